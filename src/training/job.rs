//! What to train, and what came of it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::TrainingConfig;
use super::error::TrainingError;
use super::footprint::Footprint;
use super::keep::Kept;
use super::metrics::EpochMetrics;
use super::start::StartNet;
use super::{supply, windows};
use data::{Inventory, Sample, SampleView, Stretch};
use features::FeatureSet;
use nnue::{Architecture, FloatWeights, Layers};
use nnue_tools::check::Health;

/// All that decides what a training run does.
#[derive(Clone, Debug)]
pub struct TrainingJob<'a> {
    pub features: Arc<FeatureSet>,
    pub layers: Layers,
    /// Seed of the starting weights and of the order of the samples.
    pub seed: u64,
    /// The net to begin with, instead of random weights.
    pub start: Option<StartNet<'a>>,
    /// The `[training]` table.
    pub config: TrainingConfig,
    /// What to learn from.
    pub train: SampleView<'a>,
    /// How often it is seen: stretches of `train`, one after the other; what they leave
    /// over has weight 1.
    pub stretches: &'a [Stretch],
    /// What to measure on after every epoch; may be empty.
    pub validation: &'a [Sample],
    /// What is known of all these samples, if somebody has looked at them.
    pub inventory: Option<&'a Inventory>,
    /// Where checkpoints and metrics are kept; made if missing.
    pub dir: &'a Path,
}

impl TrainingJob<'_> {
    /// Inputs and layers.
    pub fn architecture(&self) -> Architecture {
        Architecture { features: self.features.size(), layers: self.layers.clone() }
    }

    /// What it takes of memory, besides the samples.
    pub fn footprint(&self) -> Footprint {
        Footprint::of(self.architecture(), &self.config, self.features.max_active())
    }

    /// Refuses what cannot be trained, before anything is begun.
    pub fn check(&self) -> Result<(), TrainingError> {
        self.config.validate()?;
        let (batch, positions) = (self.config.batch, self.train.len());
        if batch > positions {
            return Err(TrainingError::BatchTooLarge { batch, positions });
        }
        self.check_choices()?;
        self.footprint().check(windows::bytes(self.train))?;
        Ok(supply::check(&self.inventory().census, &self.config)?)
    }

    /// What is known of the samples; where nobody has looked at them that is done now.
    pub(crate) fn inventory(&self) -> Cow<'_, Inventory> {
        match self.inventory {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(Inventory::of(&self.train, self.validation)),
        }
    }

    fn check_choices(&self) -> Result<(), TrainingError> {
        if !self.config.method.needs_choices() {
            return Ok(());
        }
        match self.inventory().without_choice as usize {
            0 => Ok(()),
            without => {
                let positions = self.train.len() + self.validation.len();
                Err(TrainingError::NoChoices { without, positions })
            }
        }
    }
}

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedNet {
    /// The net, in centipawns.
    pub weights: FloatWeights,
    /// Which of the run's nets it is.
    pub kept: Kept,
    /// Every epoch, in order.
    pub history: Vec<EpochMetrics>,
    /// What its neurons do on real positions.
    pub health: Health,
}

impl TrainedNet {
    /// Share of the training time in which there was no batch to learn from, 0 to 1.
    pub fn waiting(&self) -> f64 {
        let seconds: f64 = self.history.iter().map(|epoch| epoch.seconds).sum();
        let waited = self.history.iter().map(|epoch| epoch.waiting * epoch.seconds).sum::<f64>();
        waited / seconds.max(1e-9)
    }
}

/// How a call of [`train`](super::train) ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingOutcome {
    /// All epochs are done.
    Finished(Box<TrainedNet>),
    /// The stop flag was raised; the same call again goes on from there.
    Stopped {
        step: u64,
        /// The checkpoint to resume from.
        checkpoint: PathBuf,
    },
}
