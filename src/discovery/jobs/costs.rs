//! The job that times sets on the moves of real games.

use serde::{Deserialize, Serialize};

use crate::{Candidate, ns_of_a_move};
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
        let mut costs = Vec::new();
        context.observer.begin(context.title(), self.sets.len() as u64, "sets");
        for text in &self.sets {
            context.control().check()?;
            context.observer.advance(costs.len() as u64, text);
            costs.push(ns_of_a_move(&Candidate::parse(text)?.set, self.width));
        }
        context.observer.end("");
        Ok(costs)
    }
}
