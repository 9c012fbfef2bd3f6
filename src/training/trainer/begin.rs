//! How a run begins: checked, and where the checkpoint left it.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Run;
use crate::checkpoint::CheckpointError;
use crate::config::TrainingConfig;
use crate::error::TrainingError;
use crate::identity::identity;
use crate::job::TrainingJob;
use crate::loss::Loss;
use crate::metrics::Progress;
use crate::rotation::{Found, Instead, Rotation};
use crate::session::Session;
use crate::start::{Grown, StartError, StartNet, grown};
use crate::supply;
use crate::vitals::sample_positions;
use crate::warning::Warning;
use base::FolderLock;
use base::atomic::WriteError;
use network::Nnue;

/// Samples from which the mean number of active features is taken.
const ACTIVE_SAMPLES: usize = 1000;

impl<'a> Run<'a> {
    pub(super) fn new(job: &'a TrainingJob<'a>) -> Result<Self, TrainingError> {
        job.check()?;
        let device = job.config.device.device()?.autodiff();
        std::fs::create_dir_all(job.dir)
            .map_err(|source| WriteError { path: job.dir.to_owned(), source })?;
        let lock = FolderLock::take(job.dir)?;
        Ok(Self {
            job,
            device,
            pool: pool(job.config.threads)?,
            loss: Loss::new(&job.config),
            identity: identity(job),
            checkpoints: Rotation::new(job.dir),
            _lock: lock,
            positions: sample_positions(&job.train, job.validation),
            spread: job.train.spread(ACTIVE_SAMPLES).map_err(TrainingError::Samples)?,
        })
    }

    /// What a person should know before it begins.
    fn warnings(&self) -> Vec<Warning> {
        let census = self.job.inventory().census;
        let mut warnings = supply::warnings(&census, &self.job.config);
        warnings.extend(supply::few_positions(census.samples, &self.job.architecture()));
        warnings.extend(self.job.footprint().warning());
        warnings
    }

    /// The session to go on with: new, or as the checkpoint left it.
    pub(super) fn begin(
        &self,
        observer: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Session, TrainingError> {
        for warning in self.warnings() {
            observer(&Progress::Warning(&warning));
        }
        let found = self.checkpoints.load(&self.identity)?;
        let (network, grown) = self.first_network()?;
        let session = Session::new(network, self.device.clone(), &self.job.config);
        let Some(Found { checkpoint, path, instead }) = found else {
            if let Some(grown) = &grown {
                observer(&Progress::Grown(grown));
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
        if let Some(instead) = instead {
            observer(&Progress::Warning(&self.warning(instead, step)));
        }
        observer(&Progress::Resumed { step, history: session.history.epochs() });
        Ok(session)
    }

    /// What is said when the run goes on from the checkpoint before the newest.
    fn warning(&self, instead: Instead, step: u64) -> Warning {
        match instead {
            Instead::Missing => {
                Warning::Missing { newest: self.checkpoints.newest().to_owned(), step }
            }
            Instead::Refused { reason, aside } => {
                Warning::Refused { reason: Box::new(reason), aside, step }
            }
        }
    }

    /// The network that a run begins with: random, or a start net grown to its size.
    pub(super) fn first_network(&self) -> Result<(Nnue, Option<Grown>), StartError> {
        let encoder = self.encoder((&self.spread).into());
        let active = self.pool.install(|| encoder.mean_active(ACTIVE_SAMPLES));
        let mut network = Nnue::init(&self.job.architecture(), active, self.job.seed, &self.device);
        let grow = |StartNet { features, weights }: StartNet<'_>| {
            let fresh = network.to_float_weights();
            grown(weights, features, &self.job.features, fresh)
        };
        let grown = self.job.start.map(grow).transpose()?;
        if let Some(Grown { weights, .. }) = &grown {
            network = Nnue::of_weights(weights.clone(), &self.device);
        }
        let TrainingConfig { activation_penalty, batch, rounding, .. } = self.job.config;
        network = network.with_penalty((activation_penalty / batch as f64) as f32);
        Ok((if rounding { network.rounding() } else { network }, grown))
    }
}

fn pool(threads: usize) -> Result<ThreadPool, TrainingError> {
    ThreadPoolBuilder::new()
        .num_threads(if threads == 0 { base::cores() } else { threads })
        .thread_name(|i| format!("train-{i}"))
        .build()
        .map_err(|error| TrainingError::Threads { threads, reason: error.to_string() })
}
