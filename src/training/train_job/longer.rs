//! A training with more epochs resumes from a finished one with fewer.
//!
//! The number of epochs is part of the key, so a longer training is another job. Where no schedule
//! depends on the last epoch, the epochs of the shorter one are the same bit by bit.

use super::Train;
use crate::{TrainingConfig, inherit};
use plan::{JobError, JobResult, Planned, Results, RunDir};

/// Copies the checkpoint of the longest finished training that differs by fewer epochs only; its
/// epochs. `None` if there is none, or if this training has a checkpoint of its own.
pub(super) fn inherit_shorter(
    train: &Train,
    planned: &Planned,
    dir: &RunDir,
) -> Result<Option<u32>, JobError> {
    if train.training.depends_on_length() {
        return Ok(None);
    }
    let results = Results::of(&dir.folder).all()?;
    let shorter = results.iter().filter_map(|result| shorter(result, train));
    let Some((epochs, folder)) = shorter.max() else { return Ok(None) };
    let [from, to] = [folder, &planned.folder].map(|name| dir.folder.join(name));
    Ok(inherit(&from, &to)?.then_some(epochs))
}

/// Epochs and folder of a finished training that differs by fewer epochs only.
fn shorter<'r>(result: &'r JobResult, train: &Train) -> Option<(u32, &'r str)> {
    let other = result.definition::<Train>().filter(|_| result.failure().is_none())?;
    let (epochs, all) = (other.training.epochs, train.training.epochs);
    let training = TrainingConfig { epochs: all, ..other.training.clone() };
    let is_same = Train { training, ..other } == *train;
    (is_same && epochs < all).then_some((epochs, result.folder.as_str()))
}
