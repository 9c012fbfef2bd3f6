//! Features of a block that one piece makes true, given the own king's square.

use super::{Block, Factor};
use crate::feature::Feature;
use crate::predicate::{AnyTable, RowsTable};
use crate::refresh::RefreshCause;
use chess::{Piece, Square, View};

impl Block {
    /// Whether one piece and the own king's square decide each active feature. The structure
    /// decides: one-hot factors of the own king, and at most one other factor, which is a sum over
    /// pieces. Counts are such sums, with values.
    pub(crate) fn is_sum_over_pieces(&self) -> bool {
        let own_king = |cause: RefreshCause| cause == RefreshCause::OwnKing;
        let is_sum = |factor: &Factor<AnyTable>| match &factor.predicate {
            AnyTable::RowsTable(rows) => rows.blocks().iter().all(Block::is_sum_over_pieces),
            table => table.sum_over_pieces().is_some() && table.refreshed_by().is_none_or(own_king),
        };
        !self.has_scalar()
            && self.anchor_causes().into_iter().all(own_king)
            && self.factors.len() <= 1
            && self.factors.iter().all(is_sum)
    }

    /// Appends the features that a piece (not turned) makes true in a [sum over
    /// pieces](Self::is_sum_over_pieces): one entry for each product, `None` of products without
    /// the piece. A block is one product; a block of selected rows has the products of their set.
    pub(crate) fn of_piece(
        &self,
        view: View<'_>,
        (square, piece): (Square, Piece),
        out: &mut Vec<Option<Feature>>,
    ) {
        let Some((factor, rows)) = self.selected_rows() else {
            return out.push(self.contribution(view, square, piece));
        };
        let (first, turned) = (out.len(), factor.view(view));
        rows.blocks().iter().for_each(|block| block.of_piece(turned, (square, piece), out));
        let anchor = self.anchor(view).map(|(offset, _)| offset);
        let placed = |row: Feature| Some(Feature(anchor? + rows.index(row.0)? * factor.stride));
        out[first..].iter_mut().for_each(|feature| *feature = feature.and_then(placed));
    }

    /// The factor of selected rows, if it is the only one beside one-hot factors.
    fn selected_rows(&self) -> Option<(&Factor<AnyTable>, &RowsTable)> {
        match self.factors.as_slice() {
            [factor] => match &factor.predicate {
                AnyTable::RowsTable(rows) => Some((factor, rows)),
                _ => None,
            },
            _ => None,
        }
    }
}
