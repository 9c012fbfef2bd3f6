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
mod clipping;
mod config;
mod error;
mod footprint;
mod form;
mod guard;
mod history;
mod identity;
mod job;
mod keep;
pub mod loss;
mod method;
pub mod metrics;
pub mod mixture;
pub mod noise;
mod optimiser;
mod outstanding;
mod played;
mod provenance;
mod rate_test;
mod rival;
mod rotation;
mod schedule;
pub mod session;
mod shuffle;
pub mod start;
mod supply;
mod tensorboard;
mod train_job;
mod trainer;
pub mod vitals;
mod warning;
mod windows;

pub use checkpoint::CheckpointError;
pub use config::{ConfigError, MOST_THREADS, TrainingConfig};
pub use error::TrainingError;
pub use footprint::Footprint;
pub use job::{TrainedNet, TrainingJob, TrainingOutcome};
pub use keep::{Keep, Kept};
pub use method::Method;
pub use metrics::{BatchProgress, EpochMetrics, Progress};
pub use optimiser::{Optimiser, WeightDecay};
pub use played::{BLOCKS_READ, played};
pub use provenance::Origin;
pub use rate_test::{RateRange, RateTest, Try, WrongRateRange};
pub use rotation::inherit;
pub use schedule::{ResultWeight, Schedule};
pub use start::{Grown, StartError, StartNet};
pub use train_job::{Begin, Train, Trained, weights};
pub use trainer::{find_rate, train};
pub use warning::Warning;

#[cfg(test)]
mod tests;
