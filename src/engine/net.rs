//! A quantised net as evaluation.

use std::sync::Arc;

use super::Evaluator;
use crate::chess::{Move, Position};
use crate::nnue::{AccumulatorStack, Net, UpdateCounts};

/// Evaluates with a net whose accumulators follow the search.
#[derive(Debug)]
pub struct NetEvaluator(AccumulatorStack);

impl NetEvaluator {
    /// An evaluation with this net.
    pub fn new(net: Arc<Net>) -> Self {
        Self(AccumulatorStack::new(net))
    }
}

impl Evaluator for NetEvaluator {
    fn reset(&mut self, root: &Position) {
        self.0.reset(root.board());
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.0.push(before.change(played), after.board());
    }

    fn push_null(&mut self) {
        self.0.push_null();
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.0.evaluate(position.turn())
    }

    fn update_counts(&self) -> UpdateCounts {
        self.0.counts()
    }
}
