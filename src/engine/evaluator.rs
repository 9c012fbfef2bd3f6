//! Interface between the search and an evaluation.

use chess::{Move, Position};
use nnue::UpdateCounts;

/// A static evaluation that may follow the search move by move.
pub trait Evaluator: Send {
    /// Forgets everything and starts at `root`.
    fn reset(&mut self, root: &Position);
    /// `played` led from `before` to `after`.
    fn push(&mut self, before: &Position, played: Move, after: &Position);
    /// The turn passed to the side to move of `after`; no piece moved.
    fn push_null(&mut self, after: &Position);
    /// Takes back the last push.
    fn pop(&mut self);
    /// Centipawns for the side to move of `position`, the position after all pushes.
    fn evaluate(&mut self, position: &Position) -> i32;

    /// Cost of accumulator updates since the evaluation was made; zero for evaluations without
    /// accumulators.
    fn update_counts(&self) -> UpdateCounts {
        UpdateCounts::default()
    }
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn reset(&mut self, root: &Position) {
        (**self).reset(root);
    }

    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        (**self).push(before, played, after);
    }

    fn push_null(&mut self, after: &Position) {
        (**self).push_null(after);
    }

    fn pop(&mut self) {
        (**self).pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        (**self).evaluate(position)
    }

    fn update_counts(&self) -> UpdateCounts {
        (**self).update_counts()
    }
}
