//! Predicates as tables, ready to be asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ViewStep;
use super::atom::Atom;
use super::bands::BandTable;
use super::both::BothTable;
use super::castling::CastlingTable;
use super::en_passant::EnPassantTable;
use super::king::KingTable;
use super::king_offset::KingOffsetTable;
use super::pair::PairTable;
use super::relation::{CountTable, MarkTable};
use super::rows::RowsTable;
use super::scalar::Scalar;
use super::sink::{Sink, Tuples, difference};
use super::threat::ThreatTable;
use crate::feature::Update;
use crate::refresh::RefreshCause;
use chess::View;

/// A one-hot predicate ready to be asked.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "made once per factor and kept behind an Arc")]
pub enum Selector {
    /// `king`, `enemy_king`
    King(KingTable),
    /// `material`, `phase`
    Band(BandTable),
}

impl Selector {
    /// The active tuple, if any.
    #[inline(always)]
    pub fn value(&self, view: View<'_>) -> Option<u32> {
        match self {
            Selector::King(table) => table.value(view),
            Selector::Band(table) => table.value(view),
        }
    }

    /// The tuples that there are.
    pub fn tuples(&self) -> BTreeSet<u32> {
        match self {
            Selector::King(table) => table.tuples(),
            Selector::Band(table) => table.tuples(),
        }
    }

    /// What changes it.
    pub fn refresh_cause(&self) -> RefreshCause {
        match self {
            Selector::King(table) => table.refresh_cause(),
            Selector::Band(table) => table.refresh_cause(),
        }
    }
}

/// A predicate ready to be asked; indices are within the predicate's own set.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// `piece`, `attacks`, `mobility`
    Marks(Arc<MarkTable>),
    /// The same with COUNTS
    Counts(Arc<CountTable>),
    /// `king`, `enemy_king`, `material`, `phase`
    Select(Arc<Selector>),
    /// `ONE`, `PHASE`, `own_king.file`, …
    Scalar(Scalar),
    /// `king_offset`
    KingOffset(Arc<KingOffsetTable>),
    /// `pair`
    Pair(Arc<PairTable>),
    /// `both`
    Both(Arc<BothTable>),
    /// `threat`
    Threat(Arc<ThreatTable>),
    /// `castling`
    Castling(Arc<CastlingTable>),
    /// `en_passant`
    EnPassant(Arc<EnPassantTable>),
    /// `rows`
    Rows(Arc<RowsTable>),
}

impl Compiled {
    /// Whether it says where pieces stand.
    pub fn is_of_standing(&self) -> bool {
        matches!(self, Compiled::Marks(table) if table.is_of_standing())
    }

    /// What makes each tuple true, if single atoms do.
    pub fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        match self {
            Compiled::Marks(table) => table.atoms(),
            Compiled::Counts(table) => Some(table.atoms()),
            Compiled::Pair(table) => table.atoms(),
            _ => None,
        }
    }

    /// Sends the active tuples of a view, no duplicates.
    #[inline(always)]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        match self {
            Compiled::Marks(table) => table.active(view, sink),
            other => other.active_of_others(view, sink),
        }
    }

    // Apart, so that the commonest predicate is not burdened with the others.
    fn active_of_others<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        match self {
            Compiled::Marks(table) => table.active(view, sink),
            Compiled::Counts(table) => table.active(view, sink),
            Compiled::Select(selector) => {
                selector.value(view).into_iter().for_each(|tuple| sink.push(tuple, 1.0));
            }
            Compiled::Scalar(scalar) => sink.push(0, scalar.value(view)),
            Compiled::KingOffset(table) => table.active(view, sink),
            Compiled::Pair(table) => table.active(view, sink),
            Compiled::Both(table) => table.active(view, sink),
            Compiled::Threat(table) => table.active(view, sink),
            Compiled::Castling(table) => table.active(view, sink),
            Compiled::EnPassant(table) => table.active(view, sink),
            Compiled::Rows(table) => table.active(view, sink),
        }
    }

    /// Sends the tuples that a move switches off and on.
    #[inline(always)]
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        match self {
            Compiled::Marks(table) => table.delta(step, removed, added),
            other => other.delta_of_others(step, removed, added),
        }
    }

    fn delta_of_others<S: Sink>(
        &self,
        step: &ViewStep<'_>,
        removed: &mut S,
        added: &mut S,
    ) -> Update {
        match self {
            Compiled::Marks(table) => table.delta(step, removed, added),
            Compiled::Counts(table) => table.delta(step, removed, added),
            Compiled::KingOffset(table) => table.delta(step, removed, added),
            Compiled::Pair(table) => table.delta(step, removed, added),
            Compiled::Both(table) => table.delta(step, removed, added),
            Compiled::Threat(table) => table.delta(step, removed, added),
            Compiled::Rows(table) => table.delta(step, removed, added),
            // At most four tuples: reading them twice is the quickest way.
            Compiled::Select(_)
            | Compiled::Scalar(_)
            | Compiled::Castling(_)
            | Compiled::EnPassant(_) => {
                compare(step, removed, added, |view, list| self.active(view, list))
            }
        }
    }
}

/// The change between two lists of active tuples, for predicates without a
/// quicker way.
pub(super) fn compare<S: Sink>(
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
    active: impl Fn(View<'_>, &mut Tuples),
) -> Update {
    let list = |view: View<'_>| {
        let mut tuples = Tuples::new();
        active(view, &mut tuples);
        tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
        tuples
    };
    difference(&list(step.before()), &list(step.after()), removed, added);
    Update::Rows
}
