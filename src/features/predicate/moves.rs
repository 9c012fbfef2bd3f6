//! `moves(place * piece * COUNTS(n))`: a piece on the place has that number of moves, each piece by
//! itself. Moves are those of `mobility`.

use super::prelude::*;
use super::relation::Relation;
use super::relation::classes::KindClass;
use super::sink::difference;
use crate::picture;
use crate::possible::one;
use crate::tuple_values::{as_white_sees, kinds, least_number, squares};
use chess::maps::moves_of;
use chess::{Bitboard, PieceKind, Role, Square, View, attacks};

pub(crate) struct Moves;

impl Definition for Moves {
    fn entry(&self) -> Entry {
        Entry::new(
            "moves",
            "such a piece stands on the place and can move to that number of squares",
            "moves takes COUNTS of squares that a piece can reach, and places, ROLES and COLORS, each at most once: `moves({knight} * COUNTS(8) * COLORS)`, `moves(SQUARES * {queen} * COUNTS(27) * COLORS)`",
            "moves({knight} * COUNTS(8) * COLORS)",
        )
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
    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
        let pieces = concepts.iter().filter(|concept| !concept.axis().is_number()).cloned();
        Relation::Stands.max_active(&pieces.collect::<Vec<_>>(), Clauses::default())
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
        vec![Subject { what, ..picture::piece(&predicate.values(index)) }]
    }

    /// The piece, if it has that many moves on an empty board.
    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let values = predicate.values(index);
        let least = least_number(&values);
        let mut found = Vec::new();
        for square in squares(&values) {
            let able =
                kinds(&values).filter(|&kind| most_moves(square, kind) >= usize::from(least));
            found.extend(able.map(|kind| one((square, kind))));
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
        let Some((Axis::Count(most), numbers)) = values.iter().find(|(axis, _)| axis.is_number())
        else {
            return 0;
        };
        let holds = |mark: &&crate::tests::oracle::Mark| {
            let moves = facts.moves.iter().filter(|(of, _)| of == *mark).count();
            numbers.contains(&(moves.min(usize::from(*most)) as u8))
        };
        facts.pieces_that_are(&values).filter(holds).count()
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        MovesTable::new(predicate.concepts()).into()
    }
}

/// Moves of a piece on an empty board; a pawn also captures.
pub(crate) fn most_moves(square: Square, kind: PieceKind) -> usize {
    let attacked = attacks::attacks(square, as_white_sees(kind), Bitboard::EMPTY).count();
    attacked + usize::from(kind.role == Role::Pawn)
}

/// Tuples of the number of moves of each piece.
#[derive(Clone, Debug)]
pub(crate) struct MovesTable {
    /// Index offset of each square.
    places: [u32; 64],
    classes: Vec<KindClass>,
    /// Index offset of each number; the last stands for all above it.
    numbers: Vec<u32>,
    /// The first number of each number's class.
    first_like: Vec<usize>,
    /// Whether all squares are one place: a tuple is then a class and a number.
    anywhere: bool,
    /// Whether all squares are different places.
    injective: bool,
}

/// Numbers as bits: no more than 64, and "64 or more".
type Numbers = u128;

impl MovesTable {
    fn new(concepts: &[Concept]) -> Self {
        let coding = Coding::new(concepts);
        let (places, numbers) = (coding.places(), coding.numbers());
        let (classes, _) = KindClass::all(&coding.kinds());
        let (anywhere, injective) = (places.iter().all(|&place| place == 0), all_distinct(&places));
        let first = |number: &u32| numbers.iter().position(|other| other == number);
        let first_like = numbers.iter().filter_map(first).collect();
        Self { places, classes, numbers, first_like, anywhere, injective }
    }

    /// The pieces of a class on squares, not turned, with their numbers.
    #[inline]
    fn pieces<'t>(
        &self,
        class: &'t KindClass,
        view: View<'t>,
    ) -> impl Iterator<Item = (Square, usize)> + use<'t> {
        let (board, restraints) = (view.scene().board(), view.scene().restraints());
        let last = self.numbers.len() - 1;
        class.pieces(view.perspective()).flat_map(move |piece| {
            let restraint = restraints.get(piece.color);
            board.by_piece(piece).into_iter().map(move |square| {
                (square, moves_of(board, square, piece, restraint).count().min(last))
            })
        })
    }

    /// The numbers of moves of a class on any squares, each as the first of its class.
    #[inline]
    fn numbers_of(&self, class: &KindClass, view: View<'_>) -> Numbers {
        self.pieces(class, view).fold(0, |all, (_, number)| all | 1 << self.first_like[number])
    }

    /// Sends the tuples of a class with these numbers.
    #[inline]
    fn send<S: Sink>(&self, part: u32, mut numbers: Numbers, sink: &mut S) {
        while numbers != 0 {
            let number = self.numbers[numbers.trailing_zeros() as usize];
            numbers &= numbers - 1;
            if number != NONE {
                sink.push(part + number, 1.0);
            }
        }
    }

    /// All tuples of a class in a table with several places, sorted.
    fn tuples(&self, class: &KindClass, view: View<'_>) -> Tuples {
        let tuple = |(square, number): (Square, usize)| {
            let place = self.places[usize::from(view.orientation().square(square))];
            let number = self.numbers[number];
            (place != NONE && number != NONE).then(|| (class.part() + place + number, 1.0))
        };
        let mut tuples: Tuples = self.pieces(class, view).filter_map(tuple).collect();
        match self.injective {
            true => tuples.sort_unstable_by_key(|&(tuple, _)| tuple),
            false => distinct(&mut tuples),
        }
        tuples
    }
}

impl Table for MovesTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for class in &self.classes {
            match self.anywhere {
                true => self.send(class.part(), self.numbers_of(class, view), sink),
                false => {
                    let tuples = self.tuples(class, view);
                    tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
                }
            }
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        let (before, after) = (step.before(), step.after());
        for class in &self.classes {
            if self.anywhere {
                let (old, new) = (self.numbers_of(class, before), self.numbers_of(class, after));
                self.send(class.part(), old & !new, removed);
                self.send(class.part(), new & !old, added);
            } else {
                let (old, new) = (self.tuples(class, before), self.tuples(class, after));
                difference(&old, &new, removed, added);
            }
        }
        Update::Rows
    }
}
