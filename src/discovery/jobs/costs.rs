//! The job that times sets on the moves of real games.

use serde::{Deserialize, Serialize};

use super::job_error;
use crate::{Candidate, ns_of_moves};
use plan::{Context, JobError, Traits, Work};

/// Times sets; the output is ns per move of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    pub sets: Vec<String>,
    /// Weights of a row.
    pub width: usize,
}

impl Work for Costs {
    const KIND: &'static str = "costs";
    const STAGE: &'static str = "screening candidates";
    const VERSION: u32 = 3;
    type Output = Vec<f64>;

    fn traits(&self) -> Traits {
        Traits { timed: true, ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Vec<f64>, JobError> {
        let sets = self.sets.iter().map(|text| Candidate::parse(text));
        let sets: Vec<Candidate> = sets.collect::<Result<_, _>>()?;
        let title = context.title();
        ns_of_moves(&sets, self.width, title, &mut context.control()).map_err(job_error)
    }
}
