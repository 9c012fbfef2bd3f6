//! `moves(place * piece * COUNTS(n))`: a piece stands there that can move to so many squares,
//! each piece by itself. Moves are those of `mobility`.

use super::prelude::*;
use super::relation::Relation;
use super::sink::difference;
use crate::picture;
use crate::possible::one;
use crate::said::{as_white_sees, kinds, squares};
use chess::{Bitboard, PieceKind, Role, Square, View, attacks};

pub(crate) struct Moves;

impl Definition for Moves {
    fn entry(&self) -> Entry {
        Entry {
            name: "moves",
            usage: "moves takes COUNTS of squares that a piece can reach, and places, ROLES and COLORS, each at most once: `moves({knight} * COUNTS(8) * COLORS)`, `moves(SQUARES * {queen} * COUNTS(27) * COLORS)`",
            example: "moves({knight} * COUNTS(8) * COLORS)",
            after_comma: AfterComma::Nothing,
            is_countable: false,
        }
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let takes = |axis: Axis| axis.is_place() || axis.is_kind() || axis.is_number();
        check_each("moves", concepts, takes, "neither place nor piece nor number")?;
        if concepts.iter().any(|concept| concept.axis().is_number()) {
            return Ok(Tupling::All);
        }
        Err(Misuse::missing("`moves` needs to know how many: COUNTS", "no number among these"))
    }

    /// Every piece has one number.
    fn max_active(&self, concepts: &[Concept]) -> u64 {
        let pieces = concepts.iter().filter(|concept| !concept.axis().is_number()).cloned();
        Relation::Stands.max_active(&pieces.collect::<Vec<_>>())
    }

    /// `own knight on d4 can move to 5 squares`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let (piece, place) = (predicate.piece_words(index), predicate.place_words(index));
        let number = predicate.number_words(index).unwrap_or_default();
        match place.is_empty() {
            true => format!("{piece} can move to {number} squares"),
            false => format!("{piece} on {place} can move to {number} squares"),
        }
    }

    fn subjects(&self, predicate: &Predicate, index: u64) -> Vec<Subject> {
        let what = predicate.describe(index);
        vec![Subject { what, ..picture::piece(&predicate.said(index)) }]
    }

    /// The piece, where an empty board allows it so many moves.
    fn witnesses(&self, predicate: &Predicate, index: u64) -> Vec<Witness> {
        let said = predicate.said(index);
        let numbers = said.iter().find(|(axis, _)| axis.is_number());
        let least = numbers.and_then(|(_, numbers)| numbers.iter().min()).copied().unwrap_or(0);
        let mut found = Vec::new();
        for square in squares(&said) {
            let able = kinds(&said).filter(|&kind| most_moves(square, kind) >= usize::from(least));
            found.extend(able.map(|kind| one((square, kind))));
        }
        found
    }

    #[cfg(test)]
    fn count(&self, predicate: &Predicate, index: u64, facts: &crate::oracle::Facts<'_>) -> usize {
        let said = predicate.said(index);
        let Some((Axis::Count(most), numbers)) = said.iter().find(|(axis, _)| axis.is_number())
        else {
            return 0;
        };
        let is_said = |mark: &&crate::oracle::Mark| {
            let moves = facts.moves.iter().filter(|(of, _)| of == *mark).count();
            numbers.contains(&(moves.min(usize::from(*most)) as u8))
        };
        facts.pieces_that_are(&said).filter(is_said).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        MovesTable::new(predicate.concepts()).into()
    }
}

/// Moves of a piece on an empty board; a pawn also captures.
fn most_moves(square: Square, kind: PieceKind) -> usize {
    let attacked = attacks::attacks(square, as_white_sees(kind), Bitboard::EMPTY).count();
    attacked + usize::from(kind.role == Role::Pawn)
}

/// Which number each piece has.
#[derive(Clone, Debug)]
pub(crate) struct MovesTable {
    places: [u32; 64],
    kinds: [u32; PieceKind::COUNT],
    /// What each number adds to the index; the last stands for all above it.
    numbers: Vec<u32>,
    /// Whether no two squares are the same place.
    injective: bool,
}

impl MovesTable {
    fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let (places, kinds) = (coding.places(), coding.kinds());
        let injective = all_distinct(&places);
        Self { places, kinds, numbers: coding.numbers(), injective }
    }

    /// The tuple of a piece, seen from a side, with so many moves.
    #[inline]
    fn tuple(&self, square: Square, kind: PieceKind, moves: u8) -> Option<u32> {
        let number = self.numbers[usize::from(moves).min(self.numbers.len() - 1)];
        let (place, kind) = (self.places[usize::from(square)], self.kinds[kind.index()]);
        (place != NONE && kind != NONE && number != NONE).then(|| place + kind + number)
    }

    /// Tuples of the pieces on these squares, not turned.
    #[inline]
    fn of_squares<S: Sink>(&self, view: View<'_>, squares: Bitboard, sink: &mut S) {
        let (board, counts) = (view.scene().board(), view.scene().move_counts());
        for square in squares {
            let Some(piece) = board.piece_at(square) else { continue };
            let kind = PieceKind::seen(piece, view.perspective());
            let seen = view.orientation().square(square);
            let tuple = self.tuple(seen, kind, counts[usize::from(square)]);
            tuple.into_iter().for_each(|tuple| sink.push(tuple, 1.0));
        }
    }

    /// Squares of pieces that any tuple speaks of, not turned.
    #[inline]
    fn pieces(&self, view: View<'_>) -> Bitboard {
        let board = view.scene().board();
        PieceKind::all().filter(|kind| self.kinds[kind.index()] != NONE).fold(
            Bitboard::EMPTY,
            |all, kind| {
                let color = kind.side.color(view.perspective());
                all | board.by_role(kind.role) & board.by_color(color)
            },
        )
    }
}

impl Table for MovesTable {
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        if self.injective {
            return self.of_squares(view, self.pieces(view), sink);
        }
        let mut tuples = Tuples::new();
        self.of_squares(view, self.pieces(view), &mut tuples);
        distinct(&mut tuples);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (before, after) = (step.before(), step.after());
        let (old, new) = (self.pieces(before), self.pieces(after));
        let (old_counts, new_counts) = (before.scene().move_counts(), after.scene().move_counts());
        let exchanged = step.change().removed.iter().chain(&step.change().added);
        let exchanged = exchanged.fold(Bitboard::EMPTY, |all, placed| all.with(placed.square));
        let has_other_number =
            |square: &Square| old_counts[usize::from(*square)] != new_counts[usize::from(*square)];
        let staying: Bitboard =
            (old & new & !exchanged).into_iter().filter(has_other_number).collect();
        let changed = exchanged | staying;
        if (changed & (old | new)).is_empty() {
            return Update::Rows;
        }
        if !self.injective {
            return compare(self, step, removed, added);
        }
        let (mut gone, mut come) = (Tuples::new(), Tuples::new());
        self.of_squares(before, old & changed, &mut gone);
        self.of_squares(after, new & changed, &mut come);
        gone.sort_unstable_by_key(|&(tuple, _)| tuple);
        come.sort_unstable_by_key(|&(tuple, _)| tuple);
        difference(&gone, &come, removed, added);
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
