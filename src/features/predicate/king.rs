//! `king(…)` and `enemy_king(…)`: that king stands on one of the squares. One-hot: a product with
//! it selects one copy of the other factors, and a king move to another tuple is a refresh.

use super::PredicateKind;
use super::prelude::*;
use crate::picture::place;
use crate::possible::one;
use crate::tuple_values::squares;
use chess::{PieceKind, Role, Side};

pub(crate) struct King(pub(super) Side);

impl King {
    /// The king of a predicate, if it is about one.
    pub(super) fn of(kind: PredicateKind) -> Option<Self> {
        let kings = [Side::Own, Side::Other].map(King);
        kings.into_iter().find(|king| king.entry().name == kind.name())
    }

    pub(super) fn kind(&self) -> PieceKind {
        PieceKind { role: Role::King, side: self.0 }
    }
}

impl Definition for King {
    fn entry(&self) -> Entry {
        match self.0 {
            Side::Own => Entry::new(
                "king",
                "the own king stands on the place",
                "king takes places only (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), each at most once: `king(SQUARES)`, `king(FILES / [0, 1, 2, 3, 3, 2, 1, 0])`",
                "king(SQUARES)",
            ),
            Side::Other => Entry::new(
                "enemy_king",
                "the other king stands on the place",
                "enemy_king takes places only (SQUARES, FILES, RANKS, DIAGS1, DIAGS2), each at most once: `enemy_king(FILES)`",
                "enemy_king(SQUARES)",
            ),
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        check_each(self.entry().name, concepts, Axis::is_place, "not a place")?;
        Ok(Tupling::All)
    }

    fn max_active(&self, _: &[Concept], _: Clauses) -> u64 {
        1
    }

    /// `own king on e1`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let places = predicate.words(index).map(|(_, words)| words).collect::<Vec<_>>();
        let king = Axis::Piece.word(self.kind().index() as u8);
        format!("{king} on {}", places.join(", "))
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        let (what, squares) = (predicate.describe(index), place(&predicate.values(index)));
        vec![Subject { what, kinds: vec![self.kind()], squares }]
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let values = predicate.values(index);
        squares(&values).map(|square| one((square, self.kind()))).collect()
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let values = predicate.values(index);
        facts.pieces_that_are(&values).filter(|(kind, _)| *kind == self.kind()).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        let cause = match self.0 {
            Side::Own => RefreshCause::OwnKing,
            Side::Other => RefreshCause::EnemyKing,
        };
        let places = Coding::new(predicate.concepts()).places();
        Selector::compiled(cause, |square| places.get(square).copied().unwrap_or(NONE))
    }
}
