//! `attackers(place * piece * COUNTS(n))`: the number of such pieces that attack or protect a
//! square of the place. It counts pieces; `attacks(… * COUNTS)` counts squares.

use super::prelude::*;
use super::relation::StepsTable;
use super::relation::classes::KindClass;
use crate::possible::{MOST_OF_ROLE, no_piece_needed, one};
use crate::tuple_values::{as_white_sees, kinds, least_number, squares};
use chess::{Bitboard, Square, View, attacks};

pub(crate) struct Attackers;

impl Definition for Attackers {
    fn entry(&self) -> Entry {
        Entry::new(
            "attackers",
            "that number of such pieces attack or protect a square of the place",
            "attackers takes places or steps to the own king, COUNTS of pieces that attack them, ROLES and COLORS, each at most once: `attackers(SQUARES * COLORS * COUNTS(3))`, `attackers(FILE_STEPS{-1, 0, 1} * RANK_STEPS{-1, 0, 1} * COLORS * COUNTS(3))`",
            "attackers(SQUARES * COLORS * COUNTS(3))",
        )
    }

    fn check(&self, concepts: &[Concept], _: &mut Clauses) -> Result<Tupling, Misuse> {
        let is_where = |axis: Axis| axis.is_place() || axis.is_step();
        let takes = |axis: Axis| is_where(axis) || axis.is_kind() || axis.is_number();
        check_each("attackers", concepts, takes, "neither place nor piece nor number")?;
        let says =
            |wanted: &dyn Fn(Axis) -> bool| concepts.iter().any(|concept| wanted(concept.axis()));
        match (says(&is_where), says(&Axis::is_number)) {
            (true, true) => Ok(Tupling::All),
            (_, false) => Err(Misuse::missing(
                "`attackers` needs to know how many: COUNTS",
                "no number among these",
            )),
            (false, _) => Err(Misuse::missing(
                "`attackers` needs to know of what: a square, file, rank or diagonal",
                "no place among these",
            )),
        }
    }

    /// Every place and kind has exactly one number.
    fn max_active(&self, concepts: &[Concept], _: Clauses) -> u64 {
        let counted = concepts.iter().filter(|concept| !concept.axis().is_number());
        counted.map(|concept| concept.len() as u64).product()
    }

    /// `other pawn attacking d4: 2`, `own piece attacking a square, own king 1 files from there: 2`.
    fn describe(&self, predicate: &Predicate, index: u64) -> String {
        let (piece, place) = (predicate.piece_words(index), predicate.place_words(index));
        let number = predicate.number_words(index).unwrap_or_default();
        let steps = predicate.step_words(index);
        let place = if place.is_empty() { "a square".to_owned() } else { place };
        match steps.is_empty() {
            true => format!("{piece} attacking {place}: {number}"),
            false => format!("{piece} attacking {place}, own king {steps} from there: {number}"),
        }
    }

    /// No piece for the number 0, and otherwise one that attacks.
    fn arrangements(&self, predicate: &Predicate, index: u64) -> Vec<Arrangement> {
        let values = predicate.values(index);
        let least = least_number(&values);
        // Squares at steps from the own king depend on its square.
        if least == 0 || values.iter().any(|(axis, _)| axis.is_step()) {
            return no_piece_needed();
        }
        let most: usize = kinds(&values).map(|kind| MOST_OF_ROLE[kind.role as usize - 1]).sum();
        if usize::from(least) > most {
            return Vec::new();
        }
        let place: Bitboard = squares(&values).collect();
        let mut found = Vec::new();
        for kind in kinds(&values) {
            let attacks_it = |from: &Square| {
                (attacks::attacks(*from, as_white_sees(kind), Bitboard::EMPTY) & place).any()
            };
            let from = Square::ALL.into_iter().filter(attacks_it);
            found.extend(from.map(|from| one((from, kind))));
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
        let attacks_it = |mark: &&crate::tests::oracle::Mark| {
            let of_piece = facts.attacks.iter().filter(|(of, _)| of == *mark).copied();
            !facts.marks(&of_piece.collect::<Vec<_>>(), &values).is_empty()
        };
        let attackers = facts.pieces.iter().filter(attacks_it).count();
        usize::from(numbers.contains(&(attackers.min(usize::from(*most)) as u8)))
    }

    fn compile(&self, predicate: &Predicate, _valued: bool) -> Compiled {
        let concepts = predicate.concepts();
        match concepts.iter().any(|concept| concept.axis().is_step()) {
            true => StepsTable::new(concepts, |coding| AttackersTable::new(&coding).into()).into(),
            false => AttackersTable::new(&Coding::new(concepts)).into(),
        }
    }
}

/// Tuples of places and classes of kinds: the one of the number of attackers is active.
#[derive(Clone, Debug)]
pub(crate) struct AttackersTable {
    groups: Vec<Places>,
    classes: Vec<KindClass>,
    /// Index offset of each number; the last stands for all above it.
    numbers: Vec<u32>,
}

/// At most 64 places, a bit for each.
#[derive(Clone, Debug)]
struct Places {
    /// The squares of each place, as seen, and its index offset.
    all: Vec<(Bitboard, u32)>,
    /// Whether they are the squares of the board in their order.
    are_squares: bool,
}

/// One counter per place, bit-sliced: word i holds bit i of each counter. Seven bits are enough for
/// a full board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PlaceCounts([u64; 7]);

impl PlaceCounts {
    /// Increments the counters of these places.
    #[inline]
    fn add(&mut self, places: u64) {
        let mut carry = places;
        for digit in &mut self.0 {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }

    #[inline]
    fn of(&self, place: usize) -> usize {
        let digits = self.0.iter().enumerate();
        digits.fold(0, |number, (at, digit)| number | ((digit >> place & 1) as usize) << at)
    }

    /// The places whose numbers differ.
    #[inline]
    fn differs(&self, other: &Self) -> u64 {
        self.0.iter().zip(&other.0).fold(0, |all, (a, b)| all | (a ^ b))
    }
}

impl Places {
    fn new(all: &[(Bitboard, u32)]) -> Self {
        let squares = all.iter().map(|&(place, _)| place);
        let are_squares = squares.eq(Square::ALL.into_iter().map(Bitboard::from));
        Self { all: all.to_vec(), are_squares }
    }

    /// Places with some of these squares.
    #[inline]
    fn of(&self, squares: Bitboard) -> u64 {
        if self.are_squares {
            return squares.0;
        }
        let places = self.all.iter().enumerate();
        places.fold(0, |bits, (at, (place, _))| bits | u64::from((squares & *place).any()) << at)
    }

    /// Number of pieces of a class that attack each place.
    #[inline]
    fn counts(&self, class: &KindClass, view: View<'_>) -> PlaceCounts {
        let (board, orientation) = (view.scene().board(), view.orientation());
        let mut counts = PlaceCounts::default();
        for piece in class.pieces(view.perspective()) {
            for square in board.by_piece(piece) {
                let attacked = attacks::attacks(square, piece, board.occupied());
                counts.add(self.of(orientation.squares(attacked)));
            }
        }
        counts
    }
}

impl AttackersTable {
    /// Tables for checked concepts.
    pub(crate) fn new(coding: &Coding<'_>) -> Self {
        let (classes, _) = KindClass::all(&coding.kinds());
        let groups = coding.classes_of_squares().chunks(64).map(Places::new).collect();
        Self { groups, classes, numbers: coding.numbers() }
    }

    /// Index offset of a number of attackers.
    #[inline]
    fn number(&self, attackers: usize) -> u32 {
        self.numbers[attackers.min(self.numbers.len() - 1)]
    }

    /// Sends the tuple of a place with this number.
    #[inline]
    fn send<S: Sink>(&self, start: u32, number: u32, sink: &mut S) {
        if number != NONE {
            sink.push(start + number, 1.0);
        }
    }

    /// Every class in every group of places.
    fn counted(&self) -> impl Iterator<Item = (&Places, &KindClass)> {
        let of_group = |places| self.classes.iter().map(move |class| (places, class));
        self.groups.iter().flat_map(of_group)
    }
}

impl Table for AttackersTable {
    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        for (places, class) in self.counted() {
            let counts = places.counts(class, view);
            for (at, (_, place)) in places.all.iter().enumerate() {
                self.send(class.part() + place, self.number(counts.of(at)), sink);
            }
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        for (places, class) in self.counted() {
            let (old, new) =
                (places.counts(class, step.before()), places.counts(class, step.after()));
            for at in Bitboard(old.differs(&new)) {
                let at = usize::from(at);
                let (was, is) = (self.number(old.of(at)), self.number(new.of(at)));
                if was != is {
                    self.send(class.part() + places.all[at].1, was, removed);
                    self.send(class.part() + places.all[at].1, is, added);
                }
            }
        }
        Update::Rows
    }
}
