//! Schedules: learning rate and WDL weight.
//!
//! Both are functions of the place in the run alone, so a checkpoint needs no
//! state of them.

mod learning_rate;
mod wdl;

pub(crate) use learning_rate::LearningRate;
pub use learning_rate::Schedule;
pub use wdl::WdlWeight;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulePlace {
    /// Steps of the optimiser already taken.
    pub step: u64,
    /// Steps in an epoch, at least 1.
    pub steps_per_epoch: u64,
    pub epochs: u32,
}

impl SchedulePlace {
    /// Epochs already finished.
    pub fn epoch(self) -> u64 {
        self.step / self.steps_per_epoch
    }

    pub fn steps(self) -> u64 {
        self.steps_per_epoch.saturating_mul(self.epochs.into())
    }

    /// Progress of the run: 0 at its first step, 1 at its last.
    pub fn share(self) -> f64 {
        match self.steps().saturating_sub(1) {
            0 => 0.0,
            last => (self.step as f64 / last as f64).min(1.0),
        }
    }
}

/// From `from` at share 0 to `to` at share 1, both exactly.
fn between(from: f64, to: f64, share: f64) -> f64 {
    (1.0 - share) * from + share * to
}

#[cfg(test)]
mod tests;
