//! A training from its positions to the files of its net.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::metrics::{Progress, Shown};
use super::played::played;
use super::provenance::Origin;
use super::rate_test::{RateRange, RateTest, Try};
use super::start::{self, StartFileError, StartNet, WEIGHTS_FILE};
use super::trainer;
use super::{TrainedNet, TrainingConfig, TrainingError, TrainingJob, TrainingOutcome};
use base::format::grouped;
use base::{Content, Observer};
use data::{Dataset, Filter};
use features::{FeatureSet, TrainedSet};
use nnue::{BlocksRead, FloatWeights, Layers, NET_FILE, Net};
use nnue_tools::floats;

/// A training that leaves checkpoints, metrics, float weights and the quantised net in a folder.
pub struct TrainingRun<'a> {
    /// Heading of its progress.
    pub stage: String,
    /// `None` for a net of its own.
    pub experiment: Option<ExperimentRun<'a>>,
    pub features: Arc<TrainedSet>,
    pub layers: Layers,
    /// Seed of the initial weights and of the order of the positions.
    pub seed: u64,
    /// A net, or the folder of a run, instead of random weights.
    pub start: Option<PathBuf>,
    pub config: TrainingConfig,
    pub dataset: &'a Dataset,
    /// Filter and held-out share of the data set.
    pub filter: &'a Filter<Content>,
    pub validation: f64,
    /// Licence of the data, for the provenance of the net; empty if unknown.
    pub licence: String,
    pub folder: &'a Path,
}

/// The place of a training in an experiment.
#[derive(Clone, Copy)]
pub struct ExperimentRun<'a> {
    pub experiment: &'a str,
    /// Name of the folder.
    pub run: &'a str,
    /// Heading of warnings.
    pub title: &'a str,
}

/// Weights of a start net and their features.
type Start = Option<(FloatWeights, Arc<FeatureSet>)>;

impl TrainingRun<'_> {
    /// Trains from the last checkpoint on and writes the float weights; `None` if it was stopped.
    ///
    /// # Errors
    /// As [`train`](super::train); a start net that cannot be read.
    pub fn train(
        &self,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<TrainedNet>, TrainingError> {
        let start = self.start()?;
        let (job, config) = (self.job(&start), &self.config);
        let per_epoch = config.batches_per_epoch() * config.batch as u64;
        let total = per_epoch.saturating_mul(config.epochs.into());
        observer.begin(&self.stage, total, "positions");
        let mut last = String::new();
        let mut on_progress = |progress: &Progress<'_>| match progress {
            Progress::Resumed { step, history } => {
                let epochs = history.len();
                observer.say(&format!("goes on from step {step}, {epochs} epochs are finished"));
            }
            Progress::WarmStart(grown) => observer.say(&format!("start: {grown}")),
            Progress::Batch(batch) => {
                let done = u64::from(batch.epoch - 1) * per_epoch + batch.positions;
                observer.advance(done, &format!("{batch}  {last}"));
            }
            Progress::Epoch(epoch) => {
                observer.say(&epoch.to_string());
                last = match epoch.score_loss() {
                    Some(loss) => format!("validation {}", Shown(loss)),
                    None => format!("loss {}", Shown(epoch.train_loss)),
                };
            }
            Progress::Ended(kept) => last = format!("the net is {kept}"),
            Progress::Warning(warning) => match &self.experiment {
                Some(run) => observer.warn(&format!("{}: {warning}", run.title)),
                None => observer.warn(&warning.to_string()),
            },
        };
        let TrainingOutcome::Finished(net) = trainer::train(&job, &mut on_progress, stop)? else {
            return Ok(None);
        };
        observer.end(&format!("{last}, {}", speed(&net)));
        floats::save(&net.weights, self.features.input(), &self.folder.join(WEIGHTS_FILE))?;
        Ok(Some(*net))
    }

    /// Quantises a trained net and writes it; its float weights with factors folded in, and itself.
    ///
    /// # Errors
    /// Weights that cannot be quantised; a file that cannot be written.
    pub fn save(
        &self,
        net: TrainedNet,
        observer: &mut dyn Observer,
    ) -> Result<(FloatWeights, Net), TrainingError> {
        let provenance = self.provenance(&net);
        let weights = net.weights.folded(&self.features);
        let (net, read) = played(&weights, &self.features, provenance, self.dataset)
            .map_err(|source| TrainingError::Quantise { folder: self.folder.to_owned(), source })?;
        if let Some(BlocksRead { before, after }) = read {
            let [before, after] = [before, after].map(|share| 100.0 * share);
            observer.say(&format!(
                "neurons sorted: {after:.0} % of the first dense layer's blocks are read, \
                 {before:.0} % before"
            ));
        }
        net.save(&self.folder.join(NET_FILE))?;
        Ok((weights, net))
    }

    /// Tries learning rates on a throwaway net; `None` if it was stopped.
    ///
    /// # Errors
    /// As [`train`](Self::train), but for those of checkpoints; a start net that cannot be read.
    pub fn find_rate(
        &self,
        range: RateRange,
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Option<RateTest>, TrainingError> {
        let start = self.start()?;
        observer.begin(&self.stage, range.steps().into(), "steps");
        let mut on_step = |step: u32, at: &Try| observer.advance(step.into(), &at.to_string());
        let test = trainer::find_rate(&self.job(&start), range, &mut on_step, stop)?;
        if let Some(test) = &test {
            observer.end(&format!("{} steps", test.tries().len()));
        }
        Ok(test)
    }

    fn job<'j>(&'j self, start: &'j Start) -> TrainingJob<'j> {
        let Self { dataset, .. } = self;
        TrainingJob {
            features: self.features.input().clone(),
            layers: self.layers.clone(),
            seed: self.seed,
            start: start.as_ref().map(|(weights, features)| StartNet { features, weights }),
            config: self.config.clone(),
            train: (&dataset.train).into(),
            stretches: &dataset.stretches,
            validation: &dataset.validation,
            inventory: Some(&dataset.inventory),
            dir: self.folder,
        }
    }

    fn start(&self) -> Result<Start, StartFileError> {
        self.start.as_deref().map(start::read).transpose()
    }

    fn provenance(&self, net: &TrainedNet) -> serde_json::Value {
        let origin = Origin {
            expression: self.features.expression(),
            seed: self.seed,
            kept: &net.kept,
            config: &self.config,
            data: self.dataset,
            filter: self.filter,
            validation: self.validation,
            licence: &self.licence,
        };
        let mut provenance = origin.provenance();
        if let Some(ExperimentRun { experiment, run, .. }) = self.experiment {
            provenance["experiment"] = experiment.into();
            provenance["run"] = run.into();
        }
        provenance
    }
}

/// `81,234 positions/s, 0.3 % of the time waiting for data`.
fn speed(net: &TrainedNet) -> String {
    let seconds: f64 = net.history.iter().map(|epoch| epoch.seconds).sum();
    let positions = net.history.last().map_or(0, |epoch| epoch.positions);
    let rate = positions as f64 / seconds.max(1e-9);
    let (rate, waiting) = (grouped(rate as u64), 100.0 * net.waiting());
    format!("{rate} positions/s, {waiting:.1} % of the time waiting for data")
}
