//! A trained net as an evaluation.

use std::sync::Arc;

use crate::chess::{Move, Position};
use crate::nnue::{AccumulatorStack, Net, UpdateCounts};

use super::Evaluator;

/// A net whose accumulators follow the search.
pub struct NetEvaluator {
    accumulators: AccumulatorStack,
}

impl NetEvaluator {
    /// Evaluates with `net`, which many searchers may share.
    pub fn new(net: Arc<Net>) -> Self {
        Self { accumulators: AccumulatorStack::new(net) }
    }
}

impl Evaluator for NetEvaluator {
    fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root.board());
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.accumulators.push(before.change(played), after.board());
    }

    fn push_null(&mut self) {
        self.accumulators.push_null();
    }

    fn pop(&mut self) {
        self.accumulators.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.accumulators.evaluate(position.turn())
    }

    fn update_counts(&self) -> UpdateCounts {
        self.accumulators.counts()
    }
}
