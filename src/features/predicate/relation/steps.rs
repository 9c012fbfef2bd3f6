//! Marks of squares at given steps from the own king: `attacks(FILE_STEPS{-1, 0, 1} *
//! RANK_STEPS{-1, 0, 1} * PIECES)` are the attacks on the king's neighbours.
//!
//! For each square of the king, steps are ordinary places; so there is a table for each. A move of
//! the own king is a refresh.

use super::{CountTable, MarkTable, Relation};
use crate::predicate::attackers::AttackersTable;
use crate::predicate::has_number;
use crate::predicate::prelude::*;
use chess::{Square, View};

/// A table for each square of the own king.
#[derive(Clone, Debug)]
pub(crate) enum StepsTable {
    Marks(Vec<MarkTable>),
    Counts(Vec<CountTable>),
    Attackers(Vec<AttackersTable>),
}

impl StepsTable {
    /// Tables for checked concepts with steps.
    pub(crate) fn new(relation: Relation, concepts: &[Concept], valued: bool) -> Self {
        let codings = seen_from_all(concepts);
        match has_number(concepts) {
            true => Self::Counts(codings.map(|c| CountTable::new(relation, &c)).collect()),
            false => Self::Marks(codings.map(|c| MarkTable::new(relation, &c, valued)).collect()),
        }
    }

    /// The same where attackers are counted.
    pub(crate) fn of_attackers(concepts: &[Concept]) -> Self {
        Self::Attackers(seen_from_all(concepts).map(|c| AttackersTable::new(&c)).collect())
    }
}

/// Concepts relative to each square of the own king.
fn seen_from_all(concepts: &[Concept]) -> impl Iterator<Item = Coding<'_>> {
    Square::ALL.into_iter().map(|king| Coding::new(concepts).seen_from(king))
}

impl Table for StepsTable {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        Some(RefreshCause::OwnKing)
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some(king) = view.own_king() else { return };
        match self {
            Self::Marks(tables) => tables[usize::from(king)].active(view, sink),
            Self::Counts(tables) => tables[usize::from(king)].active(view, sink),
            Self::Attackers(tables) => tables[usize::from(king)].active(view, sink),
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let king = step.before().own_king();
        if king != step.after().own_king() {
            return Update::Refresh;
        }
        let Some(king) = king else { return Update::Rows };
        match self {
            Self::Marks(tables) => tables[usize::from(king)].delta(step, removed, added),
            Self::Counts(tables) => tables[usize::from(king)].delta(step, removed, added),
            Self::Attackers(tables) => tables[usize::from(king)].delta(step, removed, added),
        }
    }
}
