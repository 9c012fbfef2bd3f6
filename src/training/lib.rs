//! Training: samples in, a trained net out.
//!
//! One call, [`train`], runs a [`TrainingJob`] from nothing or from where it
//! was stopped. Everything that decides the outcome is in the job: the same
//! job gives the same weights to the bit, with any number of threads, stopped
//! and resumed or not. Four things make that so. The order of the samples is
//! a function of the seed and the position in the stream (`shuffle`), not
//! the state of a generator; learning rate and targets are functions of that
//! position too (`schedule`); every sum on the way is taken in an order
//! fixed by the sizes alone ([`network::front`]); and a checkpoint
//! (`checkpoint`) holds all there is besides.

mod average;
pub mod batch;
mod blocks;
mod checkpoint;
mod checkpoint_pair;
mod clipping;
mod config;
mod divergence;
mod error;
mod footprint;
mod form;
pub mod health;
mod history;
mod identity;
mod job;
mod keep;
mod labels;
mod loader;
pub mod loss;
mod method;
pub mod metrics;
pub mod mixture;
mod negative;
pub mod noise;
mod optimiser;
mod played;
mod provenance;
mod rate_test;
mod run;
mod schedule;
pub mod session;
mod shuffle;
pub mod start;
mod tensorboard;
mod train_job;
mod trainer;
mod warning;
mod windows;

pub use checkpoint::CheckpointError;
pub use checkpoint_pair::inherit;
pub use config::{ConfigError, MOST_THREADS, TrainingConfig, TrainingKey};
pub use error::TrainingError;
pub use footprint::{CardFootprint, CardTooSmall, Footprint};
pub use job::{TrainedNet, TrainingJob, TrainingOutcome};
pub use keep::{Keep, Kept};
pub use loader::{BatchLoader, FlatBatches};
pub use method::Method;
pub use metrics::{BatchProgress, EpochMetrics, Progress};
pub use optimiser::{Optimiser, WeightDecay};
pub use played::BLOCKS_READ;
pub use rate_test::{RateRange, RateTest, Try, WrongRateRange};
pub use run::{ExperimentRun, TrainingRun};
pub use schedule::{Schedule, WdlWeight};
pub use start::{StartError, StartNet, WarmStart};
pub use train_job::{Begin, Train, Trained, weights};
pub use trainer::train;
pub use warning::Warning;

#[cfg(test)]
mod tests;
