//! Puzzles solved by a net.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::NodeTime;
use crate::puzzles::{AttemptOutcome, PuzzleError, Solver, SolvingMode, read_puzzles, run_suite};
use arena::{Limit, NetId};
use base::format::percentage;
use base::{Content, Key};
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Work};

/// A suite of puzzles for a net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Puzzles {
    pub net: NetId,
    /// The file in the columns of Lichess.
    pub suite: Content,
    /// Puzzles from the start of the suite; 0 for all.
    pub limit: usize,
    /// Nodes per move; 0 for the best value after one ply.
    pub nodes: u64,
    /// Timing that decides the nodes at equal time, where `nodes` are those of the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_time: Option<NodeTime>,
}

impl Puzzles {
    /// Limit of a move; `None` for one-ply values.
    pub(crate) fn move_limit(&self) -> Option<Limit> {
        let limit = if self.node_time.is_some() { Limit::EqualTime } else { Limit::Nodes };
        NonZeroU64::new(self.nodes).map(limit)
    }

    /// Nodes per move, with those that take as long as the reference's.
    fn nodes(&self, context: &Context<'_>) -> Result<u64, JobError> {
        match (&self.node_time, NonZeroU64::new(self.nodes)) {
            (Some(timing), Some(nodes)) => Ok(timing.nodes(nodes, context)?.get()),
            _ => Ok(self.nodes),
        }
    }
}

/// Results of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    /// Solver moves and right moves, over all puzzles.
    pub moves: (u64, u64),
    /// One character a puzzle: `1` solved, `0` not.
    pub solved: String,
    /// Ratings of the puzzles, 0 where there is none.
    pub ratings: Vec<u32>,
}

impl Work for Puzzles {
    const KIND: &'static str = "puzzles";
    const STAGE: &'static str = "puzzles";
    const VERSION: u32 = 1;
    type Output = Solved;

    fn signature(&self) -> Option<u64> {
        (self.nodes > 0).then_some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        let node_time = self.node_time.as_ref().and_then(|timing| timing.key().ok());
        self.net.job().into_iter().chain(node_time).collect()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Solved, JobError> {
        let evaluation = self.net.load(context)?;
        let at_most = (self.limit > 0).then_some(self.limit);
        let set = read_puzzles(&context.file(&self.suite)?, at_most)?;
        if set.skipped.total() > 0 {
            let shown = set.skipped.first().join("\n  ");
            let total = set.skipped.total();
            context.observer.warn(&format!("{total} puzzles skipped; the first:\n  {shown}"));
        }
        let (puzzles, nodes, stop) = (set.puzzles, self.nodes(context)?, context.stop);
        let make = || -> Box<dyn Solver + Send + '_> {
            SolvingMode::of_nodes(nodes).solver(evaluation.evaluator(), stop)
        };
        let outcomes = context.follow(puzzles.len() as u64, "puzzles", |progress| {
            run_suite(&puzzles, &make, &|done| progress(done, String::new()), stop)
        });
        let outcomes = match outcomes {
            Err(PuzzleError::Stopped) => return Err(JobError::Stopped),
            other => other?,
        };
        let sum = |of: fn(&AttemptOutcome) -> u32| outcomes.iter().map(|o| u64::from(of(o))).sum();
        let solved = Solved {
            moves: (sum(|o| o.solver_moves), sum(|o| o.right_moves)),
            solved: outcomes.iter().map(|o| if o.solved { '1' } else { '0' }).collect(),
            ratings: puzzles.iter().map(|p| p.rating.unwrap_or(0)).collect(),
        };
        let (right, all) = solved.counts();
        let share = percentage(right as f64 / all.max(1) as f64, 1);
        context.observer.end(&format!("{right} of {all} solved ({share})"));
        Ok(solved)
    }
}

impl Solved {
    /// Puzzles solved and attempted.
    pub fn counts(&self) -> (u64, u64) {
        let solved = self.solved.bytes().filter(|&b| b == b'1').count();
        (solved as u64, self.solved.len() as u64)
    }
}
