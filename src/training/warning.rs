//! What a person should know of a run that nevertheless goes on.

use std::path::PathBuf;

use super::checkpoint::CheckpointError;
use super::footprint::Footprint;
use super::schedule::ResultWeight;
use base::format::grouped;
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
    WithoutResult { share: f64, weight: ResultWeight },
    #[error(
        "{:.1} % of the training positions have no score and are taught their result alone, \
         although training.result_weight is {weight}",
        100.0 * share
    )]
    WithoutScore { share: f64, weight: ResultWeight },
    /// A linear net has more weights than there are positions to tell them apart.
    #[error(
        "{} training positions for the {} weights of a linear net: they do not determine it, and \
         what it learns is theirs; give it more data, or features of fewer terms",
        grouped(*positions),
        grouped(*weights)
    )]
    FewPositions { positions: u64, weights: u64 },
    #[error(
        "this run takes {} of memory at once, and {} are free: {footprint}; should the system end \
         it, lower l1 or training.batch",
        Size(footprint.peak()),
        Size(*free)
    )]
    NearlyFull { footprint: Footprint, free: u64 },
    /// Neurons that say the same whatever stands on the board, or all of the net.
    #[error(
        "the net of epoch {epoch}, looked at with {positions} positions: {}; a lower \
         training.learning_rate or a training.warmup keeps neurons alive",
        odd.join("; ")
    )]
    Lifeless { epoch: u32, positions: usize, odd: Vec<String> },
    #[error(
        "{reason}. It is kept as {}; the run goes on from the checkpoint before it, at step {step}",
        aside.display()
    )]
    Refused { reason: Box<CheckpointError>, aside: PathBuf, step: u64 },
    /// There was only the checkpoint before the newest.
    #[error("{}: not there; the run goes on from the checkpoint before it, at step {step}", newest.display())]
    Missing { newest: PathBuf, step: u64 },
}
