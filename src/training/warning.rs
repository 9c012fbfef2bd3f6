//! What a person should know of a run that nevertheless goes on.

use std::path::PathBuf;

use super::checkpoint::CheckpointError;
use super::footprint::Footprint;
use super::schedule::ResultWeight;
use base::memory::Size;

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
    /// There is hardly enough memory.
    #[error(
        "this run takes {} of memory at once, and {} are free: {footprint}; should the system end \
         it, lower l1 or training.batch",
        Size(footprint.peak()),
        Size(*free)
    )]
    NearlyFull {
        /// What it takes.
        footprint: Footprint,
        /// What there is, in bytes.
        free: u64,
    },
    /// Neurons that say the same whatever stands on the board, or all of the net.
    #[error(
        "the net of epoch {epoch}, looked at with {positions} positions: {}; a lower \
         training.learning_rate or a training.warmup keeps neurons alive",
        odd.join("; ")
    )]
    Lifeless {
        /// The epoch.
        epoch: u32,
        /// Positions that were looked at.
        positions: usize,
        /// What is odd, a sentence each.
        odd: Vec<String>,
    },
    /// The checkpoint knows some of the samples only.
    #[error(
        "{}: written by an earlier version, which remembers {samples} of the positions and not all; \
         those are the same, the others may have changed: if the data were touched since, start \
         again in another directory",
        path.display()
    )]
    PartlyCompared {
        /// The checkpoint.
        path: PathBuf,
        /// How many positions of each side were compared.
        samples: usize,
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
