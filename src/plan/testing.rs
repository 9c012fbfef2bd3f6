//! A kind of job for tests: a number plus the outputs of other such jobs.

use serde::{Deserialize, Serialize};

use crate::{Context, JobError, Plan, Traits, Work};
use base::Key;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sum {
    pub(crate) number: u64,
    pub(crate) needs: Vec<Key>,
}

impl Work for Sum {
    const KIND: &'static str = "sum";
    const STAGE: &'static str = "sums";
    const VERSION: u32 = 1;
    type Output = u64;

    fn needs(&self) -> Vec<Key> {
        self.needs.clone()
    }

    fn traits(&self) -> Traits {
        Traits { timed: self.number == 7, ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<u64, JobError> {
        context.control().check()?;
        if self.number == 13 {
            return Err(JobError::Failed("13 is no number".to_owned()));
        }
        let needs = self.needs.iter().map(|&key| context.output::<Self>(key));
        Ok(self.number + needs.sum::<Result<u64, _>>()?)
    }
}

/// Three jobs in a row, and one that nothing needs.
pub(crate) fn plan() -> Plan {
    let mut plan = Plan::default();
    let mut needs = Vec::new();
    for (number, title) in (1..).zip(["first", "second", "third"]) {
        needs = vec![plan.add(Sum { number, needs }, title).unwrap()];
    }
    plan.add(Sum { number: 4, needs: Vec::new() }, "other").unwrap();
    plan
}
