//! Learning rate schedules.

use std::f64::consts::PI;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{SchedulePlace, between};
use crate::form;

/// The shape of the learning rate over a run. In TOML a table with the kind and its parameters:
/// `{ kind = "cosine", final = 1e-5 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Multiplied by `training.gamma` after every epoch.
    // Braces, since serde lets a variant without them have any key.
    Exponential {},
    /// Multiplied by `factor` after every `every` epochs.
    Step {
        every: u32,
        /// Factor of the rate.
        factor: f64,
    },
    /// Down half a cosine wave, flat at both ends.
    Cosine {
        /// Learning rate of the last step.
        #[serde(rename = "final")]
        last: f64,
    },
    Linear {
        /// Learning rate of the last step.
        #[serde(rename = "final")]
        last: f64,
    },
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::Exponential {}
    }
}

impl Schedule {
    /// Whether the rate of a step depends on the number of steps.
    pub(crate) fn depends_on_length(self) -> bool {
        matches!(self, Schedule::Cosine { .. } | Schedule::Linear { .. })
    }
}

/// Reads the form of the command line: `exponential`, `cosine:final=1e-5`,
/// `step:every=30,factor=0.1`.
impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        form::of_option(text).map_err(|reason| {
            format!("{reason}; write for example `cosine:final=1e-5` or `step:every=30,factor=0.1`")
        })
    }
}

/// Parameters of the learning rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LearningRate {
    /// Of the first step, but for the warm-up.
    pub first: f64,
    /// Factor per epoch of the exponential schedule.
    pub gamma: f64,
    pub schedule: Schedule,
    /// Steps over which it rises from nothing.
    pub warmup: u64,
}

impl LearningRate {
    /// Learning rate of the step that is taken at a place.
    pub(crate) fn at(&self, place: SchedulePlace) -> f64 {
        self.warmed(place.step) * self.shape(place)
    }

    fn shape(&self, place: SchedulePlace) -> f64 {
        let first = self.first;
        match self.schedule {
            Schedule::Exponential {} => first * self.gamma.powf(place.epoch() as f64),
            Schedule::Step { every, factor } => {
                first * factor.powf((place.epoch() / u64::from(every)) as f64)
            }
            Schedule::Cosine { last } => {
                between(first, last, (1.0 - (PI * place.share()).cos()) / 2.0)
            }
            Schedule::Linear { last } => between(first, last, place.share()),
        }
    }

    /// A line from `1 / warmup` at the first step to 1 at the last of the
    /// warm-up, and from there on.
    fn warmed(&self, step: u64) -> f64 {
        if step >= self.warmup { 1.0 } else { (step + 1) as f64 / self.warmup as f64 }
    }
}
