//! The job that trains a net, quantises it and leaves its file.

mod longer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::metrics::EpochMetrics;
use crate::run::{ExperimentRun, TrainingRun};
use crate::start::WEIGHTS_FILE;
use crate::{Kept, TrainedNet, TrainingConfig, TrainingError};
use base::{Content, Key, Observer, Silent};
use data::Dataset;
use data::job::{Positions, dataset, licence_of};
use features::TrainedSet;
use nnue::{FloatWeights, Layers, NET_FILE};
use nnue_tools::check::Health;
use nnue_tools::{FirstLayer, Following, KingColumn};
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
        let folder = context.dir().renamed_folder_of(planned)?;
        if let Some(epochs) = longer::inherit_shorter(self, planned, context.dir())? {
            let resumed =
                format!("{}: goes on from {epochs} epochs, as trained before", planned.title);
            context.observer.warn(&resumed);
        }
        let run = self.run_of(planned, &dataset, context, &folder)?;
        let net = trained(&run, context.observer, context.stop)?;
        let (kept, epochs, health) = (net.kept.clone(), net.history.clone(), net.health.clone());
        let (weights, net) = run.save(net, context.observer).map_err(job_error)?;
        let first_layer = FirstLayer::of(&weights, run.features.set());
        let following = Following::of(&net).map_or(Vec::new(), |net| net.columns());
        let net = net.fingerprint().to_string();
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
    let folder = context.dir().renamed_folder_of(planned)?;
    let run = train.run_of(planned, &dataset, context, &folder)?;
    // The warnings of the training were shown when it ran.
    let net = trained(&run, &mut Silent, context.stop)?;
    Ok(Arc::new(net.weights.folded(&run.features)))
}

fn trained(
    run: &TrainingRun<'_>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<TrainedNet, JobError> {
    run.train(observer, stop).map_err(job_error)?.ok_or(JobError::Stopped)
}

impl Train {
    fn run_of<'r, 'c: 'r>(
        &self,
        planned: &'r Planned,
        dataset: &'r Dataset,
        context: &Context<'c>,
        folder: &'r Path,
    ) -> Result<TrainingRun<'r>, JobError> {
        let (_, positions) = context.job::<Positions>(self.positions)?;
        let inputs = &context.plan().inputs;
        let (experiment, run) = (inputs.experiment.as_str(), planned.folder.as_str());
        Ok(TrainingRun {
            stage: stage(planned, context),
            experiment: Some(ExperimentRun { experiment, run, title: &planned.title }),
            features: self.features_of(context)?,
            layers: self.layers.clone(),
            seed: self.seed,
            start: self.start_of(context)?,
            config: TrainingConfig { threads: inputs.threads, ..self.training.clone() },
            dataset,
            filter: &positions.filter,
            validation: positions.validation,
            licence: licence_of(inputs, self.positions),
            folder,
        })
    }

    /// The file of the net to start from.
    fn start_of(&self, context: &Context<'_>) -> Result<Option<PathBuf>, JobError> {
        Ok(match &self.start {
            None => None,
            Some(Begin::File(content)) => Some(context.file(content)?),
            Some(Begin::Trained(key)) => {
                let (stage, _) = context.job::<Self>(*key)?;
                Some(context.dir().folder_of(stage).join(WEIGHTS_FILE))
            }
        })
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
        TrainingError::Constant { .. }
        | TrainingError::Diverged { .. }
        | TrainingError::Quantise { .. } => JobError::Failed(error.to_string()),
        other => other.into(),
    }
}
