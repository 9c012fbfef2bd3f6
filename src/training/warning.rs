//! Warnings that do not end a run.

use std::path::PathBuf;

use super::checkpoint::CheckpointError;
use super::footprint::{CardFootprint, Footprint};
use super::schedule::WdlWeight;
use base::format::grouped;
use base::memory::Size;

/// A problem that does not stop a run.
#[derive(Debug, thiserror::Error)]
pub enum Warning {
    /// Part of the samples lack a result that counts.
    #[error(
        "{:.1} % of the training positions have no result and are trained on their score alone, \
         although training.wdl is {weight}",
        100.0 * share
    )]
    WithoutResult { share: f64, weight: WdlWeight },
    #[error(
        "{:.1} % of the training positions have no score and are trained on their result alone, \
         although training.wdl is {weight}",
        100.0 * share
    )]
    WithoutScore { share: f64, weight: WdlWeight },
    /// Some of the data seem to have no half-move clocks.
    #[error(
        "the net reads the half-move clock (`halfmoves`), and it is 0 in {:.1} % of the training \
         positions: lists without the counters of a FEN count as 0",
        100.0 * share
    )]
    FewHalfmoves { share: f64 },
    /// A linear net has more weights than training positions.
    #[error(
        "{} training positions for the {} weights of a linear net: they do not determine it, and \
         it overfits; give it more data, or features of fewer terms",
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
    #[error(
        "this run takes {} of the memory of {adapter} at least, and there are {}: {footprint}; \
         should it fail, lower l1 or training.batch",
        Size(footprint.bytes()),
        Size(*total)
    )]
    CardNearlyFull { footprint: CardFootprint, adapter: String, total: u64 },
    /// Neurons, or the whole net, with the same output on every position.
    #[error(
        "the net of epoch {epoch}, checked on {positions} positions: {}; a lower \
         training.learning_rate or a training.warmup keeps neurons alive",
        odd.join("; ")
    )]
    Lifeless { epoch: u32, positions: usize, odd: Vec<String> },
    #[error(
        "{reason}. It is kept as {}; the run goes on from the checkpoint before it, at step {step}",
        moved_to.display()
    )]
    Refused { reason: Box<CheckpointError>, moved_to: PathBuf, step: u64 },
    /// There was only the checkpoint before the newest.
    #[error("{}: not there; the run goes on from the checkpoint before it, at step {step}", newest.display())]
    Missing { newest: PathBuf, step: u64 },
}
