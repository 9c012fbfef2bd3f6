//! What a person should know of a run that nevertheless goes on.

use std::path::PathBuf;

use super::checkpoint::CheckpointError;
use super::schedule::ResultWeight;

/// Something wrong that does not stop a run.
#[derive(Debug, thiserror::Error)]
pub enum Warning {
    /// Part of the samples lack a result that counts.
    #[error(
        "{:.1} % of the training positions have no result and are taught their score alone, \
         although training.result_weight is {weight}",
        100.0 * share
    )]
    WithoutResult {
        /// Part of the samples, 0 to 1.
        share: f64,
        /// How much results count.
        weight: ResultWeight,
    },
    /// Part of the samples lack a score that counts.
    #[error(
        "{:.1} % of the training positions have no score and are taught their result alone, \
         although training.result_weight is {weight}",
        100.0 * share
    )]
    WithoutScore {
        /// Part of the samples, 0 to 1.
        share: f64,
        /// How much results count.
        weight: ResultWeight,
    },
    /// The newest checkpoint was of no use.
    #[error(
        "{reason}. It is kept as {}; the run goes on from the checkpoint before it, at step {step}",
        aside.display()
    )]
    Refused {
        /// Why.
        reason: Box<CheckpointError>,
        /// Where it was moved to.
        aside: PathBuf,
        /// Steps taken by the one that is used.
        step: u64,
    },
    /// There was only the checkpoint before the newest.
    #[error("{}: not there; the run goes on from the checkpoint before it, at step {step}", newest.display())]
    Missing {
        /// The newest checkpoint, had it been there.
        newest: PathBuf,
        /// Steps taken by the one that is used.
        step: u64,
    },
}
