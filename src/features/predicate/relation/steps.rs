//! Marks of squares at given steps from the own king: `attacks(FILE_STEPS{-1, 0, 1} *
//! RANK_STEPS{-1, 0, 1} * PIECES)` are the attacks on the king's neighbours.
//!
//! For each square of the king, steps are ordinary places; so there is a table for each. A move of
//! the own king is a refresh.

use crate::predicate::AnyTable;
use crate::predicate::prelude::*;
use chess::{Square, View};

/// A table for each square of the own king.
#[derive(Clone, Debug)]
pub(crate) struct StepsTable(Vec<AnyTable>);

impl StepsTable {
    /// Tables for concepts as each square of the own king reads them.
    pub(crate) fn new(concepts: &[Concept], table: impl Fn(Coding<'_>) -> AnyTable) -> Self {
        let seen_from = |king| Coding::new(concepts).seen_from(king);
        Self(Square::ALL.into_iter().map(|king| table(seen_from(king))).collect())
    }
}

impl Table for StepsTable {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        Some(RefreshCause::OwnKing)
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some(king) = view.own_king() else { return };
        self.0[usize::from(king)].active(view, sink);
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let king = step.before().own_king();
        if king != step.after().own_king() {
            return Update::Refresh;
        }
        let Some(king) = king else { return Update::Rows };
        self.0[usize::from(king)].delta(step, removed, added)
    }
}
