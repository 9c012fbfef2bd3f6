//! A training that is longer than one before goes on from where that ended.
//!
//! The number of epochs is part of a training's name, so a longer one is another job. Where nothing
//! looks at the end, its first epochs are those of the shorter one, bit by bit.

use super::Worker;
use crate::{Done, Job, Outcome, PlanError, Planned, Results, Train};
use training::{TrainingConfig, inherit};

impl Worker<'_> {
    /// Takes over the checkpoint of the longest training that is the same but for fewer epochs; that
    /// training, if there is one and this one has not begun itself.
    pub(super) fn go_on_from_shorter(
        &self,
        planned: &Planned,
        train: &Train,
    ) -> Result<Option<Train>, PlanError> {
        if train.training.depends_on_length() {
            return Ok(None);
        }
        let done = Results::of(&self.place.folder).all()?.into_iter();
        let shorter = done.filter_map(|done| shorter(done, train));
        let Some((shorter, folder)) = shorter.max_by_key(|(one, _)| one.training.epochs) else {
            return Ok(None);
        };
        let [from, to] = [&folder, &planned.folder].map(|name| self.place.folder.join(name));
        let is_inherited =
            inherit(&from, &to).map_err(|source| PlanError::Io { path: from, source })?;
        Ok(is_inherited.then_some(shorter))
    }
}

/// A training that came to a net and is the same but for fewer epochs, with its folder.
fn shorter(done: Done, train: &Train) -> Option<(Train, String)> {
    let Done { job: Job::Train(other), folder, outcome: Outcome::Found(_), .. } = done else {
        return None;
    };
    let epochs = train.training.epochs;
    let training = TrainingConfig { epochs, ..other.training.clone() };
    let is_same = Train { training, ..other.clone() } == *train;
    (is_same && other.training.epochs < epochs).then_some((other, folder))
}
