//! A training job and its outcome.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::TrainingConfig;
use super::error::TrainingError;
use super::footprint::{CardFootprint, Footprint};
use super::keep::Kept;
use super::metrics::EpochMetrics;
use super::start::StartNet;
use super::{labels, windows};
use data::{Inventory, Sample, SampleView, Stretch};
use features::FeatureSet;
use nnue::{Architecture, FloatWeights, Layers};
use nnue_tools::check::Health;

/// Everything that decides the outcome of a training run.
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
    pub train: SampleView<'a>,
    /// Sampling weights: stretches of `train`, one after the other; samples past the last
    /// stretch have weight 1.
    pub stretches: &'a [Stretch],
    /// Held-out samples, evaluated after every epoch; may be empty.
    pub validation: &'a [Sample],
    /// Census of all these samples; computed if absent.
    pub inventory: Option<&'a Inventory>,
    /// Folder of checkpoints and metrics; created if missing.
    pub dir: &'a Path,
}

impl TrainingJob<'_> {
    pub fn architecture(&self) -> Architecture {
        Architecture { features: self.features.size(), layers: self.layers.clone() }
    }

    /// Whether features or buckets read the half-move clock.
    pub(crate) fn reads_halfmoves(&self) -> bool {
        self.features.reads_halfmoves() || self.layers.buckets().reads_halfmoves()
    }

    /// Memory of the host, samples excluded.
    pub fn footprint(&self) -> Footprint {
        Footprint::of(self.architecture(), &self.config, self.features.max_active())
    }

    /// Memory of the graphics card, if it trains on one.
    pub fn card_footprint(&self) -> Option<CardFootprint> {
        CardFootprint::of(self.architecture(), &self.config, self.features.max_active())
    }

    /// Refuses a job that cannot be trained, before anything is written.
    pub fn check(&self) -> Result<(), TrainingError> {
        self.config.validate()?;
        let (batch, positions) = (self.config.batch, self.train.len());
        if batch > positions {
            return Err(TrainingError::BatchTooLarge { batch, positions });
        }
        self.check_choices()?;
        self.footprint().check(windows::bytes(self.train))?;
        if self.reads_halfmoves() {
            labels::check_halfmoves(&self.inventory().census)?;
        }
        Ok(labels::check(&self.inventory().census, &self.config)?)
    }

    /// The census of the samples, computed here if the job brings none.
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
    /// The epoch or average of the run that the net comes from.
    pub kept: Kept,
    pub history: Vec<EpochMetrics>,
    /// Activity of its neurons on real positions.
    pub health: Health,
}

impl TrainedNet {
    /// Share of the training time spent waiting for a batch, 0 to 1.
    pub fn waiting(&self) -> f64 {
        let seconds: f64 = self.history.iter().map(|epoch| epoch.seconds).sum();
        let waited = self.history.iter().map(|epoch| epoch.waiting * epoch.seconds).sum::<f64>();
        waited / seconds.max(1e-9)
    }
}

/// Outcome of a call of [`train`](super::train).
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingOutcome {
    Finished(Box<TrainedNet>),
    /// The stop flag was raised; the same call resumes from the checkpoint.
    Stopped {
        step: u64,
        /// The checkpoint to resume from.
        checkpoint: PathBuf,
    },
}
