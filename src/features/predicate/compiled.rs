//! Predicates as tables.

use std::sync::Arc;

use super::minimal_cause::MinimalCause;
use super::selector::Selector;
use super::sink::{Sink, Tuples, difference};
use super::{AnyTable, ViewStep};
use crate::feature::Update;
use crate::refresh::RefreshCause;
use chess::{PieceKind, Square, View};

/// A compiled predicate; indices are within its own set.
#[derive(Clone, Debug)]
pub(crate) enum Compiled {
    /// At most one tuple is active, and in a product it selects a copy of the other factors.
    OneHot(Arc<Selector>),
    /// Any other predicate.
    Table(AnyTable),
}

/// How active tuples are found, and those that a move changes.
pub(crate) trait Table {
    /// The cause of its refreshes, if rows alone do not update it: `delta` returns a refresh when
    /// the state of the cause differs after the move.
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    /// Sends the active tuples of a view, no duplicates.
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S);

    /// Sends the tuples that a move switches off and on.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update;

    /// The minimal causes of all tuples, where each tuple has single ones.
    fn minimal_causes(&self) -> Option<Vec<(MinimalCause, u32)>> {
        None
    }

    /// The table as a sum over pieces, if it is one.
    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}

/// A table in which every piece adds tuples of its own: the active tuples are the union over the
/// pieces, given the kings.
pub(crate) trait SumOverPieces {
    /// The tuple that such a piece makes true.
    fn tuple(&self, view: View<'_>, square: Square, kind: PieceKind) -> Option<u32>;
}

/// Matches over the predicates, [`PredicateKind::ALL`](super::PredicateKind::ALL), and over their
/// tables, [`AnyTable`] with its dispatch.
macro_rules! predicates {
    ($([$($definition:expr),*] => [$($file:ident::$table:ident),*];)+) => {
        impl PredicateKind {
            pub(crate) const ALL: &[PredicateKind] = &[$($(PredicateKind(&$definition),)*)+];
        }

        /// The table of any predicate that is not one-hot.
        #[allow(clippy::enum_variant_names, reason = "named after their types")]
        #[derive(Clone, Debug)]
        pub(crate) enum AnyTable {
            $($($table(std::sync::Arc<$file::$table>),)*)+
        }

        $($(impl From<$file::$table> for Compiled {
            fn from(table: $file::$table) -> Self {
                Self::Table(AnyTable::$table(table.into()))
            }
        })*)+

        impl AnyTable {
            // The commonest predicate comes first.
            #[inline(always)]
            pub(crate) fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
                match self {
                    Self::MarkTable(table) => table.active(view, sink),
                    other => other.active_of_any(view, sink),
                }
            }

            #[inline(never)]
            fn active_of_any<S: Sink>(&self, view: View<'_>, sink: &mut S) {
                match self {
                    $($(Self::$table(table) => table.active(view, sink),)*)+
                }
            }

            #[inline(always)]
            pub(crate) fn delta<S: Sink>(
                &self,
                step: &ViewStep<'_>,
                removed: &mut S,
                added: &mut S,
            ) -> Update {
                match self {
                    Self::MarkTable(table) => table.delta(step, removed, added),
                    other => other.delta_of_any(step, removed, added),
                }
            }

            #[inline(never)]
            fn delta_of_any<S: Sink>(
                &self,
                step: &ViewStep<'_>,
                removed: &mut S,
                added: &mut S,
            ) -> Update {
                match self {
                    $($(Self::$table(table) => table.delta(step, removed, added),)*)+
                }
            }

            #[inline(always)]
            pub(crate) fn refreshed_by(&self) -> Option<RefreshCause> {
                match self {
                    $($(Self::$table(table) => table.refreshed_by(),)*)+
                }
            }

            /// The blocks of its inner set.
            #[inline]
            pub(crate) fn blocks(&self) -> Option<&[crate::block::Block]> {
                match self {
                    Self::RowsTable(rows) => Some(rows.blocks()),
                    Self::QuotientTable(classes) => Some(classes.blocks()),
                    _ => None,
                }
            }

            pub(crate) fn minimal_causes(&self) -> Option<Vec<(MinimalCause, u32)>> {
                match self {
                    $($(Self::$table(table) => table.minimal_causes(),)*)+
                }
            }

            pub(crate) fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
                match self {
                    $($(Self::$table(table) => table.sum_over_pieces(),)*)+
                }
            }
        }
    };
}
pub(super) use predicates;

/// The change between two lists of active tuples, for predicates without a faster way.
pub(super) fn compare<S: Sink>(
    table: &impl Table,
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
) -> Update {
    let list = |view: View<'_>| {
        let mut tuples = Tuples::new();
        table.active(view, &mut tuples);
        tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
        tuples
    };
    difference(&list(step.before()), &list(step.after()), removed, added);
    Update::Rows
}
