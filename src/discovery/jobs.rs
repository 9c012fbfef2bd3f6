//! Jobs that look for sets: screening candidates, timing sets, comparing nets, ranking rows.

mod compare;
mod costs;
mod held_out;
mod rank;
mod screen;

pub use compare::Compare;
pub use costs::Costs;
pub use held_out::HeldOut;
pub use rank::{Rank, Ranked};
pub use screen::{Screen, check_games};

use crate::ScreeningError;
use plan::JobError;

fn job_error(error: ScreeningError) -> JobError {
    match error {
        ScreeningError::Stopped => JobError::Stopped,
        ScreeningError::TooFewGames { .. } => error.into(),
    }
}
