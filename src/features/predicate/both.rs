//! `both(…)`: two different pieces of the board, in no order, optionally near
//! each other: `both(SQUARES * {pawn} * COLORS, files <= 1)` are the pawn
//! pairs on the same or on adjacent files.
//!
//! Tuples that no position can show (two pieces on a square, a pawn on the
//! first or last rank, two kings of a side or kings side by side) have no
//! index, so sizes are those of what can happen.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::prelude::*;
use super::relation::Relation;
use crate::picture;
use crate::possible::{PieceOnSquare, stand_together};
use crate::tuple_values::{TupleValues, kinds, squares};
use chess::{Bitboard, PieceKind, Square, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Near {
    /// Most files between them: 0 is the same file, 7 any.
    pub(crate) files: u8,
    pub(crate) ranks: u8,
}

impl Default for Near {
    fn default() -> Self {
        Self { files: 7, ranks: 7 }
    }
}

impl Near {
    fn holds(self, a: Square, b: Square) -> bool {
        a.file().distance(b.file()) <= u32::from(self.files)
            && a.rank().distance(b.rank()) <= u32::from(self.ranks)
    }
}

pub(crate) struct Both;

impl Definition for Both {
    fn entry(&self) -> Entry {
        Entry {
            after_comma: AfterComma::Near,
            ..Entry::new(
                "both",
                "two such pieces stand on these squares, in no order",
                "both takes SQUARES and a piece, and how near the two must be: `both(SQUARES * {pawn} * COLORS, files <= 1)`",
                "both(SQUARES * {pawn} * COLORS)",
            )
        }
    }

    fn check(&self, concepts: &[Concept], clauses: &mut Clauses) -> Result<Tupling, Misuse> {
        check(concepts)?;
        Ok(Tupling::Pairs(tuples(concepts, clauses.near)))
    }

    /// Pairs of all pieces.
    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
        let most = Relation::Stands.max_active(concepts, Clauses::default());
        most * most.saturating_sub(1) / 2
    }

    /// `own pawn on d4 and other pawn on e5`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let words = |values: TupleValues<'_>| -> String {
            let placed = squares(&values).zip(kinds(&values));
            let kind = |kind: PieceKind| Axis::Piece.word(kind.index() as u8);
            placed.map(|(square, it)| format!("{} on {square}", kind(it))).collect()
        };
        halves(predicate, index).map(words).join(" and ")
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        halves(predicate, index).map(|values| picture::piece(&values)).into()
    }

    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let single = |values: TupleValues<'_>| -> Vec<PieceOnSquare> {
            squares(&values)
                .flat_map(|square| kinds(&values).map(move |kind| (square, kind)))
                .collect()
        };
        let [first, second] = halves(predicate, index).map(single);
        first.iter().flat_map(|&a| second.iter().map(move |&b| Arrangement::from([a, b]))).collect()
    }

    #[cfg(test)]
    fn count(
        &self,
        predicate: &Predicate,
        index: u64,
        facts: &crate::tests::oracle::Facts<'_>,
    ) -> usize {
        let there =
            halves(predicate, index).map(|values| facts.pieces_that_are(&values).count() > 0);
        usize::from(there == [true, true])
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        let pairs = match &predicate.tupling {
            Tupling::Pairs(pairs) => &pairs[..],
            Tupling::All | Tupling::Some(_) => &[],
        };
        BothTable::new(predicate.concepts(), pairs).into()
    }
}

/// Values of each piece.
fn halves(predicate: &Predicate, index: u64) -> [TupleValues<'_>; 2] {
    let mut first = predicate.values(index);
    let second = first.split_off(first.len() / 2);
    [first, second]
}

/// Checks the concepts of one piece.
fn check(concepts: &[Concept]) -> Result<(), Misuse> {
    for (i, concept) in concepts.iter().enumerate() {
        let axis = concept.axis();
        if axis != Axis::Square && !axis.is_kind() {
            return Err(Misuse::stranger("both", i, axis, "neither squares nor piece"));
        }
        if concept.merges() {
            return Err(Misuse::of(i, "`both` cannot take a quotient".into(), "merged here"));
        }
    }
    let coding = Coding::new(concepts);
    let says = |wanted: Axis| concepts.iter().filter(|c| c.axis() == wanted).count();
    let kind = (says(Axis::Role), says(Axis::Color), says(Axis::Piece));
    if says(Axis::Square) != 1 || !matches!(kind, (1, 1, 0) | (0, 0, 1)) {
        return Err(Misuse::missing(
            "`both` needs SQUARES, ROLES and COLORS, each once",
            "not a piece on a square",
        ));
    }
    debug_assert!(all_distinct(&coding.places()) && all_distinct(&coding.kinds()));
    Ok(())
}

/// All pieces on squares that fit the concepts, in index order.
fn singles(concepts: &[Concept]) -> Vec<PieceOnSquare> {
    let coding = Coding::new(concepts);
    let count = concepts.iter().map(Concept::len).product();
    let mut singles = vec![(Square::A1, PieceKind::from_index(0)); count];
    for square in Square::ALL {
        for kind in PieceKind::all() {
            if let Some((place, part)) = coding.place(square).zip(coding.kind(kind)) {
                singles[(place + part) as usize] = (square, kind);
            }
        }
    }
    singles
}

/// The tuples in index order: indices of two singles, the smaller first.
fn tuples(concepts: &[Concept], near: Near) -> Arc<[(u16, u16)]> {
    let singles = singles(concepts);
    let mut tuples = Vec::new();
    for (i, &a) in (0u16..).zip(&singles) {
        for (j, &b) in (0u16..).zip(&singles).skip(usize::from(i) + 1) {
            if near.holds(a.0, b.0) && stand_together(a, b) {
                tuples.push((i, j));
            }
        }
    }
    tuples.into()
}

#[derive(Clone, Debug)]
pub(crate) struct BothTable {
    /// `[square][kind]`: index of the single.
    single: [[u32; PieceKind::COUNT]; 64],
    kinds: ArrayVec<PieceKind, { PieceKind::COUNT }>,
    count: usize,
    /// `[smaller][larger]`: index of the tuple.
    tuple: Vec<u32>,
}

impl BothTable {
    /// Tables for checked concepts and their [`tuples`].
    fn new(concepts: &[Concept], tuples: &[(u16, u16)]) -> Self {
        let coding = Coding::new(concepts);
        let single = std::array::from_fn(|square| {
            std::array::from_fn(|kind| {
                let place = coding.place(Square::new(square as u32));
                let kind = coding.kind(PieceKind::from_index(kind));
                place.zip(kind).map_or(NONE, |(place, kind)| place + kind)
            })
        });
        let count: usize = concepts.iter().map(Concept::len).product();
        let mut tuple = vec![NONE; count * count];
        for (index, &(a, b)) in (0..).zip(tuples) {
            tuple[usize::from(a) * count + usize::from(b)] = index;
        }
        let kinds = PieceKind::all().filter(|&kind| coding.kind(kind).is_some()).collect();
        Self { single, kinds, count, tuple }
    }

    #[inline]
    fn single(&self, square: Square, kind: PieceKind) -> Option<u32> {
        let single = self.single[square as usize][kind.index()];
        (single != NONE).then_some(single)
    }

    #[inline]
    fn send<S: Sink>(&self, a: u32, b: u32, sink: &mut S) {
        let tuple = self.tuple[a.min(b) as usize * self.count + a.max(b) as usize];
        if tuple != NONE {
            sink.push(tuple, 1.0);
        }
    }

    /// Singles on the board, but for those on `except`.
    #[inline]
    fn on_board(&self, view: View<'_>, except: Bitboard) -> ArrayVec<u32, 64> {
        let mut found = ArrayVec::new();
        for &kind in &self.kinds {
            for square in view.pieces(kind) & !except {
                found.extend(self.single(square, kind));
            }
        }
        found
    }

    /// Sends the pairs of some singles with the kept ones and with each other.
    fn with<S: Sink>(&self, some: &[u32], kept: &[u32], sink: &mut S) {
        for (i, &a) in some.iter().enumerate() {
            kept.iter().chain(&some[..i]).for_each(|&b| self.send(a, b, sink));
        }
    }
}

impl Table for BothTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let singles = self.on_board(view, Bitboard::EMPTY);
        for (i, &a) in singles.iter().enumerate() {
            singles[..i].iter().for_each(|&b| self.send(a, b, sink));
        }
    }

    /// Only tuples with a piece that moved change.
    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let mut moved = Bitboard::EMPTY;
        let mut singles = |pieces: &mut dyn Iterator<Item = PieceOnSquare>| -> ArrayVec<u32, 2> {
            pieces
                .filter_map(|(square, kind)| {
                    moved.add(square);
                    self.single(square, kind)
                })
                .collect()
        };
        let gone = singles(&mut step.removed());
        let come = singles(&mut step.added());
        if gone.is_empty() && come.is_empty() {
            return Update::Rows;
        }
        let kept = self.on_board(step.before(), moved);
        self.with(&gone, &kept, removed);
        self.with(&come, &kept, added);
        Update::Rows
    }
}
