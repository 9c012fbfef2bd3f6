//! `king_offset(FILE_STEPS * RANK_STEPS * PIECES)`: distance from a piece of that kind to the own
//! king in files and ranks; `enemy_king_offset(…)` to the other king. A move of that king is a
//! refresh.

use super::prelude::*;
use crate::picture;
use crate::tuple_values::{TupleValues, is_so_far, kinds};
use chess::{Bitboard, PieceKind, Role, Side, Square, View};

/// Whose king.
pub(crate) struct KingOffset(pub(super) Side);

impl KingOffset {
    fn king(&self) -> PieceKind {
        PieceKind { role: Role::King, side: self.0 }
    }
}

impl Definition for KingOffset {
    fn entry(&self) -> Entry {
        match self.0 {
            Side::Own => Entry::new(
                "king_offset",
                "the own king stands that many files and ranks from such a piece",
                "king_offset takes FILE_STEPS, RANK_STEPS, ROLES and COLORS, each at most once: `king_offset(FILE_STEPS * RANK_STEPS * PIECES)`",
                "king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
            ),
            Side::Other => Entry::new(
                "enemy_king_offset",
                "the other king stands that many files and ranks from such a piece",
                "enemy_king_offset takes FILE_STEPS, RANK_STEPS, ROLES and COLORS, each at most once: `enemy_king_offset(FILE_STEPS * RANK_STEPS * PIECES)`",
                "enemy_king_offset(FILE_STEPS * RANK_STEPS * PIECES)",
            ),
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let name = self.entry().name;
        let takes = |axis: Axis| axis.is_step() || axis.is_kind();
        check_each(name, concepts, takes, "neither steps nor piece")?;
        if concepts.iter().any(|concept| concept.axis().is_step()) {
            return Ok(Tupling::All);
        }
        let message = format!("`{name}` needs FILE_STEPS or RANK_STEPS");
        Err(Misuse::missing(&message, "no steps among these"))
    }

    fn max_active(&self, _: &[Concept], _: Clauses) -> u64 {
        32
    }

    /// `own king 3 files and -2 ranks from other rook`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let king = Axis::Piece.word(self.king().index() as u8);
        let (steps, piece) = (predicate.step_words(index), predicate.piece_words(index));
        format!("{king} {steps} from {piece}")
    }

    /// The king as near to the centre as possible, and the pieces at its distance.
    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        let values = predicate.values(index);
        let kings = Square::ALL.into_iter().map(|king| (king, squares_from(&values, king)));
        let middle = |king: Square| {
            let off = |at: u32| at.abs_diff(3).min(at.abs_diff(4));
            off(king.file() as u32) + off(king.rank() as u32)
        };
        let Some((king, squares)) =
            kings.filter(|(_, squares)| squares.any()).min_by_key(|(king, _)| middle(*king))
        else {
            return Vec::new();
        };
        let what = format!("{}, for example here", Axis::Piece.word(self.king().index() as u8));
        let here = Subject { what, kinds: vec![self.king()], squares: king.into() };
        vec![here, Subject { squares, ..picture::piece(&values) }]
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let values = predicate.values(index);
        let mut found = Vec::new();
        for king in Square::ALL {
            for square in squares_from(&values, king) {
                found.extend(
                    kinds(&values).map(|kind| [(king, self.king()), (square, kind)].into()),
                );
            }
        }
        found
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let values = predicate.values(index);
        let Some(king) = facts.view.king(self.0) else { return 0 };
        let steps = |square: Square| {
            values.iter().filter(|(axis, _)| axis.is_step()).all(|(axis, elements)| {
                let (to, from) = match axis {
                    Axis::FileStep => (king.file() as i32, square.file() as i32),
                    _ => (king.rank() as i32, square.rank() as i32),
                };
                elements.iter().any(|&element| axis.word(element) == (to - from).to_string())
            })
        };
        facts.pieces_that_are(&values).filter(|(_, square)| steps(*square)).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        KingOffsetTable::new(self.0, predicate.concepts()).into()
    }
}

/// The squares at the given steps from a king.
fn squares_from(values: &TupleValues<'_>, king: Square) -> Bitboard {
    Square::ALL.into_iter().filter(|&square| is_so_far(values, square, king)).collect()
}

#[derive(Clone, Debug)]
pub(crate) struct KingOffsetTable {
    side: Side,
    files: Vec<u32>,
    ranks: Vec<u32>,
    kinds: [u32; PieceKind::COUNT],
    injective: bool,
}

impl KingOffsetTable {
    fn new(side: Side, concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let (files, ranks) = (coding.along(Axis::FileStep), coding.along(Axis::RankStep));
        let kinds = coding.kinds();
        // The steps then determine the square, which holds one piece.
        let injective = all_distinct(&files) && all_distinct(&ranks);
        Self { side, files, ranks, kinds, injective }
    }

    /// The tuple that a piece makes true.
    #[inline]
    fn tuple_from(&self, king: Square, square: Square, kind: PieceKind) -> Option<u32> {
        let file = self.files[usize::from(Axis::FileStep.of_step(king, square))];
        let rank = self.ranks[usize::from(Axis::RankStep.of_step(king, square))];
        let kind = self.kinds[kind.index()];
        (file != NONE && rank != NONE && kind != NONE).then(|| file + rank + kind)
    }
}

impl Table for KingOffsetTable {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        Some(match self.side {
            Side::Own => RefreshCause::OwnKing,
            Side::Other => RefreshCause::EnemyKing,
        })
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some(king) = view.king(self.side) else { return };
        let tuples = view.iter().filter_map(|(square, kind)| self.tuple_from(king, square, kind));
        if self.injective {
            return tuples.for_each(|tuple| sink.push(tuple, 1.0));
        }
        let mut tuples: Tuples = tuples.map(|tuple| (tuple, 1.0)).collect();
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let king = step.before().king(self.side);
        if king != step.after().king(self.side) {
            return Update::Refresh;
        }
        let Some(king) = king else { return Update::Rows };
        if !self.injective {
            return compare(self, step, removed, added);
        }
        step.exchanged(|square, kind| self.tuple_from(king, square, kind), removed, added);
        Update::Rows
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        self.injective.then_some(self)
    }
}

impl SumOverPieces for KingOffsetTable {
    fn tuple(&self, view: View<'_>, square: Square, kind: PieceKind) -> Option<u32> {
        self.tuple_from(view.king(self.side)?, square, kind)
    }
}
