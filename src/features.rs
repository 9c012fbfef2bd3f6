//! The feature-set algebra.

use std::sync::Arc;

use crate::chess::{Board, BoardChange, Color};

/// Index of a feature in its set; the row of the first layer it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Feature(pub u32);

/// A move as features see it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The board before the move.
    pub before: &'a Board,
    /// The board after the move.
    pub after: &'a Board,
    /// What the move took off and put on.
    pub change: &'a BoardChange,
}

/// Rows to subtract and add for one move and one perspective.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    /// Features that were active and are not any more.
    pub removed: Vec<Feature>,
    /// Features that became active.
    pub added: Vec<Feature>,
}

/// How an accumulator follows a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Apply the rows in the [`Delta`].
    Rows,
    /// Start again from the active features.
    Refresh,
}

/// A compiled feature expression.
#[derive(Clone, Debug)]
pub struct FeatureSet;

impl FeatureSet {
    /// Compiles an expression of built-in names.
    pub fn parse(
        _expression: &str,
    ) -> Result<Arc<FeatureSet>, Box<dyn std::error::Error + Send + Sync>> {
        todo!()
    }
    /// The expression as written.
    pub fn expression(&self) -> &str {
        todo!()
    }
    /// The expression with all names expanded; what a net file stores.
    pub fn canonical(&self) -> &str {
        todo!()
    }
    /// Number of features.
    pub fn size(&self) -> usize {
        todo!()
    }
    /// Upper bound of active features per perspective.
    pub fn max_active(&self) -> usize {
        todo!()
    }
    /// Appends the active features (no duplicates, order unspecified but deterministic).
    pub fn active(&self, _board: &Board, _perspective: Color, _out: &mut Vec<Feature>) {
        todo!()
    }
    /// The rows to change for a move, seen by `perspective`. Clears `delta` first.
    pub fn delta(&self, _step: Step<'_>, _perspective: Color, _delta: &mut Delta) -> Update {
        todo!()
    }
}
