//! The job that trains a net, quantises it and leaves its file.

mod longer;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::metrics::{EpochMetrics, Shown};
use crate::start::{self, StartNet, WEIGHTS_FILE};
use crate::{
    Kept, Origin, Progress, TrainedNet, TrainingConfig, TrainingError, TrainingJob,
    TrainingOutcome, played,
};
use base::{Content, Key, Silent};
use data::Dataset;
use data::job::{Positions, dataset};
use features::{FeatureSet, TrainedSet};
use nnue::{FloatWeights, Layers, NET_FILE};
use nnue_tools::check::Health;
use nnue_tools::{FirstLayer, Following, KingColumn, floats};
use plan::{Context, JobError, Planned, RunDir, Traits, Work};

/// Trains a net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Train {
    /// Feature expression with names expanded.
    pub features: String,
    pub layers: Layers,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// Initial weights other than random ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Begin>,
    pub training: TrainingConfig,
    /// The job that prepares the positions.
    pub positions: Key,
}

/// A net that another starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Begin {
    /// The net of the stage before.
    Trained(Key),
    File(Content),
}

/// A trained net without its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trained {
    pub epochs: Vec<EpochMetrics>,
    /// The epoch whose weights were kept.
    pub kept: Kept,
    /// Fingerprint of the net.
    pub net: String,
    /// Activity of the neurons on real positions.
    pub health: Health,
    pub first_layer: FirstLayer,
    /// Piece values of a linear net by king squares; empty for others.
    #[serde(default)]
    pub following: Vec<KingColumn>,
}

impl Trained {
    /// Validation loss of the net against scores.
    pub fn validation_loss(&self) -> Option<f64> {
        self.kept.score_loss()
    }
}

impl Work for Train {
    const KIND: &'static str = "train";
    const STAGE: &'static str = "training";
    const VERSION: u32 = 2;
    type Output = Trained;

    fn needs(&self) -> Vec<Key> {
        match self.start {
            Some(Begin::Trained(stage)) => vec![self.positions, stage],
            Some(Begin::File(_)) | None => vec![self.positions],
        }
    }

    fn traits(&self) -> Traits {
        let gpu = self.training.device.is_gpu();
        Traits { group: "train", gpu, ..Traits::default() }
    }

    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        Some(dir.folder_of(planned).join(NET_FILE))
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Trained, JobError> {
        let planned = context.planned();
        let dataset = dataset(context, self.positions)?;
        let (weights, net) = self.train(planned, &dataset, context)?;
        let features = self.features_of(context)?;
        let provenance = self.provenance(context, planned, &features, &net.kept, &dataset)?;
        let (quantised, _) = played(&weights, &features, provenance, &dataset)
            .map_err(|error| JobError::Failed(format!("{}: {error}", planned.folder)))?;
        quantised.save(&context.folder().join(NET_FILE))?;
        let TrainedNet { kept, history: epochs, health, .. } = net;
        let first_layer = FirstLayer::of(&weights, features.set());
        let following = Following::of(&quantised).map_or(Vec::new(), |net| net.columns());
        let net = quantised.fingerprint().to_string();
        context.cache(planned.key, Arc::new(weights));
        Ok(Trained { epochs, kept, net, health, first_layer, following })
    }
}

/// Float weights of a net that a job trained, with factors folded in: from memory, or from the
/// checkpoint of the finished training.
///
/// # Errors
/// A net that no job of the plan trains, or a checkpoint that cannot be read.
pub fn weights(context: &mut Context<'_>, net: Key) -> Result<Arc<FloatWeights>, JobError> {
    if let Some(weights) = context.cached(net) {
        return Ok(weights);
    }
    let (planned, train) = context.job::<Train>(net)?;
    let dataset = dataset(context, train.positions)?;
    // The warnings of the training were shown when it ran.
    let mut silent = Silent;
    let mut quiet = context.with_observer(&mut silent);
    Ok(Arc::new(train.train(planned, &dataset, &mut quiet)?.0))
}

impl Train {
    /// Trains from the last checkpoint on; weights with factors folded in.
    fn train(
        &self,
        planned: &Planned,
        dataset: &Dataset,
        context: &mut Context<'_>,
    ) -> Result<(FloatWeights, TrainedNet), JobError> {
        let features = self.features_of(context)?;
        let threads = context.plan().inputs.threads;
        let config = TrainingConfig { threads, ..self.training.clone() };
        let per_epoch = config.batches_per_epoch() * config.batch as u64;
        let folder = context.dir().renamed_folder_of(planned)?;
        if let Some(epochs) = longer::inherit_shorter(self, planned, context.dir())? {
            let resumed =
                format!("{}: goes on from {epochs} epochs, as trained before", planned.title);
            context.observer.warn(&resumed);
        }
        let stage = stage(planned, context);
        context.observer.begin(&stage, per_epoch * u64::from(config.epochs), "positions");
        let start = self.start_of(context)?;
        let job = TrainingJob {
            features: features.input().clone(),
            layers: self.layers.clone(),
            seed: self.seed,
            start: start.as_ref().map(|(weights, features)| StartNet { features, weights }),
            config,
            train: (&dataset.train).into(),
            stretches: &dataset.stretches,
            validation: &dataset.validation,
            inventory: Some(&dataset.inventory),
            dir: &folder,
        };
        let (mut last, observer) = (String::new(), &mut *context.observer);
        let mut on_progress = |progress: &Progress<'_>| match progress {
            Progress::Batch(batch) => {
                let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
                observer.advance(done, &format!("{batch}  {last}"));
            }
            Progress::Epoch(epoch) => {
                last = match epoch.score_loss() {
                    Some(loss) => format!("validation {}", Shown(loss)),
                    None => format!("loss {}", Shown(epoch.train_loss)),
                };
            }
            Progress::Ended(kept) => last = format!("the net is {kept}"),
            Progress::Warning(warning) => observer.warn(&format!("{}: {warning}", planned.title)),
            Progress::Resumed { .. } | Progress::WarmStart(_) => {}
        };
        match crate::train(&job, &mut on_progress, context.stop).map_err(job_error)? {
            TrainingOutcome::Stopped { .. } => Err(JobError::Stopped),
            TrainingOutcome::Finished(net) => {
                let seconds: f64 = net.history.iter().map(|epoch| epoch.seconds).sum();
                let positions = net.history.last().map_or(0, |epoch| epoch.positions);
                let rate = positions as f64 / seconds.max(1e-9);
                context.observer.end(&format!("{last}, {rate:.0} positions/s"));
                floats::save(&net.weights, features.input(), &folder.join(WEIGHTS_FILE))
                    .map_err(TrainingError::from)?;
                let weights = net.weights.clone().folded(&features);
                Ok((weights, *net))
            }
        }
    }

    fn provenance(
        &self,
        context: &Context<'_>,
        planned: &Planned,
        features: &TrainedSet,
        kept: &Kept,
        data: &Dataset,
    ) -> Result<serde_json::Value, JobError> {
        let (_, positions) = context.job::<Positions>(self.positions)?;
        let origin = Origin {
            expression: features.expression(),
            seed: self.seed,
            kept,
            config: &self.training,
            data,
            filter: &positions.filter,
            validation: positions.validation,
        };
        let mut provenance = origin.provenance();
        provenance["experiment"] = context.plan().inputs.experiment.as_str().into();
        provenance["run"] = planned.folder.as_str().into();
        Ok(provenance)
    }

    /// The net to start from, with its features.
    fn start_of(
        &self,
        context: &Context<'_>,
    ) -> Result<Option<(FloatWeights, Arc<FeatureSet>)>, JobError> {
        let path = match &self.start {
            None => return Ok(None),
            Some(Begin::File(content)) => context.file(content)?,
            Some(Begin::Trained(key)) => {
                let (stage, _) = context.job::<Self>(*key)?;
                context.dir().folder_of(stage).join(WEIGHTS_FILE)
            }
        };
        Ok(Some(start::read(&path).map_err(TrainingError::from)?))
    }

    /// The feature set, with the file's expression if the plan has it.
    fn features_of(&self, context: &Context<'_>) -> Result<Arc<TrainedSet>, JobError> {
        match context.plan().inputs.get(&self.features) {
            Some(known) => Ok(known),
            None => TrainedSet::parse(&self.features)
                .map_err(|error| JobError::message(error.to_string())),
        }
    }
}

/// `training ALL seed 1 (2 of 6)`.
fn stage(planned: &Planned, context: &Context<'_>) -> String {
    let jobs = context.plan().jobs().iter();
    let nets: Vec<_> = jobs.filter(|one| one.job.get::<Train>().is_some()).collect();
    let before = nets.iter().take_while(|one| one.key != planned.key).count();
    format!("training {} ({} of {})", planned.title, before + 1, nets.len())
}

/// Training that diverges does so in every run.
fn job_error(error: TrainingError) -> JobError {
    match error {
        TrainingError::Constant { .. } | TrainingError::Diverged { .. } => {
            JobError::Failed(error.to_string())
        }
        other => other.into(),
    }
}
