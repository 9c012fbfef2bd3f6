//! Start of a run: checks, resume from the checkpoint, first network.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Run;
use crate::checkpoint::CheckpointError;
use crate::checkpoint_pair::{CheckpointPair, Fallback, LoadedCheckpoint};
use crate::config::TrainingConfig;
use crate::error::TrainingError;
use crate::footprint::CardFootprint;
use crate::health::sample_positions;
use crate::identity::identity;
use crate::job::TrainingJob;
use crate::labels;
use crate::loss::Loss;
use crate::metrics::Progress;
use crate::session::Session;
use crate::start::{StartError, StartNet, WarmStart, warm_start};
use crate::warning::Warning;
use base::FolderLock;
use base::atomic::WriteError;
use network::{Adapter, Nnue};

/// Samples from which the mean number of active features is taken.
const ACTIVE_SAMPLES: usize = 1000;

impl<'a> Run<'a> {
    pub(super) fn new(job: &'a TrainingJob<'a>) -> Result<Self, TrainingError> {
        job.check()?;
        let device = job.config.device.device()?.autodiff();
        if let Some((footprint, adapter)) = card(job)? {
            footprint.check(&adapter)?;
        }
        std::fs::create_dir_all(job.dir)
            .map_err(|source| WriteError { path: job.dir.to_owned(), source })?;
        let lock = FolderLock::take(job.dir)?;
        Ok(Self {
            job,
            device,
            pool: pool(job.config.threads)?,
            loss: Loss::new(&job.config),
            identity: identity(job),
            checkpoints: CheckpointPair::new(job.dir),
            _lock: lock,
            positions: sample_positions(&job.train, job.validation),
            spread: job.train.spread(ACTIVE_SAMPLES).map_err(TrainingError::Samples)?,
        })
    }

    fn warnings(&self) -> Result<Vec<Warning>, TrainingError> {
        let census = self.job.inventory().census;
        let mut warnings = labels::warnings(&census, &self.job.config);
        if self.job.reads_halfmoves() {
            warnings.extend(labels::few_halfmoves(&census));
        }
        warnings.extend(labels::few_positions(census.samples, &self.job.architecture()));
        warnings.extend(self.job.footprint().warning());
        if let Some((footprint, adapter)) = card(self.job)? {
            warnings.extend(footprint.warning(&adapter));
        }
        Ok(warnings)
    }

    /// A new session, or one resumed from the checkpoint.
    pub(super) fn begin(
        &self,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Session, TrainingError> {
        for warning in self.warnings()? {
            observer(&Progress::Warning(&warning));
        }
        let loaded = self.checkpoints.load(&self.identity)?;
        let (network, warm_start) = self.first_network()?;
        let session = Session::new(network, self.device.clone(), &self.job.config);
        let Some(LoadedCheckpoint { checkpoint, path, fallback }) = loaded else {
            if let Some(warm_start) = &warm_start {
                observer(&Progress::WarmStart(warm_start));
            }
            return Ok(session);
        };
        let session = session.resume(checkpoint, &path).map_err(|newest| {
            CheckpointError::Unusable { newest: Box::new(newest), previous: None }
        })?;
        let (done, epochs) = (session.cursor.epoch, self.job.config.epochs);
        if done > epochs || (done == epochs && session.cursor.batch > 0) {
            return Err(TrainingError::Beyond { done, epochs, path });
        }
        session.history.write(self.job.dir)?;
        let step = self.step_of(&session.cursor);
        if let Some(fallback) = fallback {
            observer(&Progress::Warning(&self.fallback_warning(fallback, step)));
        }
        observer(&Progress::Resumed { step, history: session.history.epochs() });
        Ok(session)
    }

    fn fallback_warning(&self, fallback: Fallback, step: u64) -> Warning {
        match fallback {
            Fallback::Missing => {
                Warning::Missing { newest: self.checkpoints.newest().to_owned(), step }
            }
            Fallback::Refused { reason, moved_to } => {
                Warning::Refused { reason: Box::new(reason), moved_to, step }
            }
        }
    }

    /// Random weights, or a warm start.
    pub(super) fn first_network(&self) -> Result<(Nnue, Option<WarmStart>), StartError> {
        let encoder = self.encoder((&self.spread).into());
        let active = self.pool.install(|| encoder.mean_active(ACTIVE_SAMPLES));
        let mut network = Nnue::init(&self.job.architecture(), active, self.job.seed, &self.device);
        let start = |StartNet { features, weights }: StartNet<'_>| {
            let fresh = network.to_float_weights();
            warm_start(weights, features, &self.job.features, fresh)
        };
        let warm = self.job.start.map(start).transpose()?;
        if let Some(WarmStart { weights, .. }) = &warm {
            network = Nnue::of_weights(weights.clone(), &self.device);
        }
        let TrainingConfig { activation_penalty, batch, quantisation_aware, row_precision, .. } =
            self.job.config;
        network = network.with_penalty((activation_penalty / batch as f64) as f32);
        network = network.with_row_precision(row_precision);
        Ok((if quantisation_aware { network.quantisation_aware() } else { network }, warm))
    }
}

/// The graphics card of a job, and the memory that it takes there.
fn card(job: &TrainingJob<'_>) -> Result<Option<(CardFootprint, Adapter)>, TrainingError> {
    Ok(job.card_footprint().zip(job.config.device.adapter()?))
}

fn pool(threads: usize) -> Result<ThreadPool, TrainingError> {
    ThreadPoolBuilder::new()
        .num_threads(if threads == 0 { base::cores() } else { threads })
        .thread_name(|i| format!("train-{i}"))
        .build()
        .map_err(|error| TrainingError::Threads { threads, reason: error.to_string() })
}
