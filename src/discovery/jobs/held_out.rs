//! Games that no net was trained on, as jobs name them.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::Purpose;
use base::Key;
use data::SamplesByGame;
use plan::{Context, JobError};

/// Held-out games for one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The job that prepares positions: these are from its validation games.
    pub positions: Key,
    pub purpose: Purpose,
    /// Limit in positions, approximate.
    pub at_most: NonZeroU64,
}

impl HeldOut {
    /// # Errors
    /// Data that cannot be read; [`JobError::Stopped`].
    pub(super) fn load(&self, context: &mut Context<'_>) -> Result<SamplesByGame, JobError> {
        let all = data::job::held_out(context, self.positions)?;
        let games = self.purpose.part_of((*all).clone());
        Ok(games.first(self.at_most.get() as usize))
    }
}
