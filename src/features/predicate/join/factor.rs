//! Marks of one relation on the places of all elements.

use super::super::king::King;
use super::super::prelude::*;
use super::super::relation::Relation;
use super::super::relation::classes::KindClass;
use super::term::Marks;
use chess::{Bitboard, PieceKind, Square, View};

/// Marks of a relation on the places of the elements.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Factor {
    pub(super) relation: Relation,
    pub(super) classes: Vec<KindClass>,
    pub(super) class_of: [Option<u8>; PieceKind::COUNT],
    /// What each number of squares adds to the index; empty where any square will do.
    numbers: Vec<u32>,
    stride: u32,
    /// The place of each element, as seen.
    pub(super) places: Vec<Bitboard>,
    /// For each square the elements in whose place it is, as bits.
    pub(super) elements_at: Vec<u64>,
    /// All places together.
    any_place: Bitboard,
    /// The first of the places, if each is one square and they follow each other.
    pub(super) first_square: Option<u32>,
    holds: Holds,
}

/// Whether a factor may be true of an element without any marks, and of one with some.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Holds {
    unmarked: bool,
    marked: bool,
}

/// What `king(…)` is in a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kings {
    /// One-hot, so no mark: a block of its own is quicker.
    Select,
    /// A piece like others.
    Stand,
}

/// Parts of the index that leave one kind only.
fn only(kind: PieceKind) -> [u32; PieceKind::COUNT] {
    let mut parts = [NONE; PieceKind::COUNT];
    parts[kind.index()] = 0;
    parts
}

impl Factor {
    /// Of a predicate that marks one place.
    pub(super) fn of(predicate: &Predicate, stride: u32, kings: Kings) -> Option<Self> {
        if predicate.concepts.iter().any(|concept| concept.axis().is_step()) {
            // Its places are the own king's to say.
            return None;
        }
        let coding = Coding::new(&predicate.concepts);
        let (relation, kinds) = match King::of(predicate.kind) {
            Some(king) if kings == Kings::Stand => (Relation::Stands, only(king.kind())),
            _ => (Relation::of(predicate.kind)?, coding.kinds()),
        };
        let places = coding.classes_of_squares();
        let [(place, 0)] = places[..] else { return None };
        let (classes, class_of) = KindClass::all(&kinds);
        let numbers = coding.numbers();
        let mut factor = Self {
            relation,
            classes,
            class_of,
            numbers,
            stride,
            places: Vec::new(),
            elements_at: vec![0; 64],
            any_place: Bitboard::EMPTY,
            first_square: None,
            holds: Holds::default(),
        };
        factor.take_place(0, place);
        Some(factor)
    }

    /// Whether it says the same of another place.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (mut own, mut other) = (self.clone(), other.clone());
        for factor in [&mut own, &mut other] {
            factor.places.clear();
            factor.elements_at.clear();
        }
        own == other
    }

    pub(super) fn take_place(&mut self, element: usize, place: Bitboard) {
        self.places.push(place);
        for square in place {
            self.elements_at[usize::from(square)] |= 1 << element;
        }
    }

    /// Adds the squares that each class marks, as seen.
    #[inline]
    pub(super) fn push_marks(&self, view: View<'_>, marks: &mut Marks) {
        let orientation = view.orientation();
        marks.extend(self.classes.iter().map(|class| {
            orientation.squares(class.squares(self.relation, view.scene(), view.perspective()))
        }));
    }

    /// Elements in whose places these squares are.
    #[inline]
    pub(super) fn elements(&self, squares: Bitboard) -> u64 {
        match self.first_square {
            Some(first) => (squares & self.any_place).0 >> first,
            None => squares
                .into_iter()
                .fold(0, |all, square| all | self.elements_at[usize::from(square)]),
        }
    }

    /// Elements of which something may be true with these marks.
    #[inline]
    pub(super) fn candidates(&self, marks: &[Bitboard]) -> u64 {
        let marked = || self.elements(marks.iter().fold(Bitboard::EMPTY, |all, &some| all | some));
        match self.holds {
            Holds { unmarked: true, marked: true } => u64::MAX,
            Holds { unmarked: true, marked: false } => !marked(),
            Holds { unmarked: false, marked: true } => marked(),
            Holds { unmarked: false, marked: false } => 0,
        }
    }

    /// Whether something is true of an element with these marks of a single class.
    #[inline]
    pub(super) fn holds_at(&self, element: usize, marks: &[Bitboard]) -> bool {
        let place = self.places[element];
        match marks.iter().any(|&marked| (marked & place).any()) {
            true => self.holds.marked,
            false => self.holds.unmarked,
        }
    }

    /// What a class with so many marks here adds to the index, if that makes a tuple true.
    #[inline]
    fn step(&self, here: Bitboard, part: u32) -> Option<u32> {
        let number = match self.numbers.as_slice() {
            [] if here.is_empty() => return None,
            [] => 0,
            numbers => numbers[here.count().min(numbers.len() - 1)],
        };
        (number != NONE).then(|| (part + number) * self.stride)
    }

    /// What each class adds to the index of an element, of those that make a tuple true.
    #[inline]
    pub(super) fn steps<'f>(
        &'f self,
        element: usize,
        marks: &'f [Bitboard],
    ) -> impl Iterator<Item = Option<u32>> + 'f {
        let place = self.places[element];
        let classes = marks.iter().zip(&self.classes);
        classes.map(move |(&marked, class)| self.step(marked & place, class.part()))
    }

    /// Once all places are known.
    pub(super) fn finish(&mut self) {
        let live = |number: &u32| *number != NONE;
        self.holds = match self.numbers.as_slice() {
            [] => Holds { unmarked: false, marked: true },
            // Of several classes some are unmarked.
            _ if self.classes.len() > 1 => Holds { unmarked: true, marked: true },
            [zero, others @ ..] => Holds { unmarked: live(zero), marked: others.iter().any(live) },
        };
        self.any_place = self.places.iter().fold(Bitboard::EMPTY, |all, &place| all | place);
        self.first_square = self.any_place.first().map(|first| first as u32).filter(|&first| {
            let elements = (0u32..).zip(&self.places);
            let is_next = |(element, &place): (u32, &Bitboard)| {
                let square = first + element;
                square < 64 && place == Bitboard::from(Square::new(square))
            };
            elements.into_iter().all(is_next)
        });
    }

    /// Whether no two classes can make tuples of one element true.
    pub(super) fn is_exclusive(&self) -> bool {
        let one_square = || self.places.iter().all(|place| place.count() <= 1);
        let one_piece = || self.numbers.is_empty() && self.relation.marks_its_own_square();
        self.classes.len() == 1 || (one_piece() && one_square())
    }

    /// The one step that an element can have, which it has if it is a candidate.
    pub(super) fn only_step(&self) -> Option<u32> {
        let [class] = self.classes.as_slice() else { return None };
        let part = class.part();
        match self.numbers[..] {
            [] => Some(part * self.stride),
            [number, NONE] | [NONE, number] if number != NONE => {
                Some((part + number) * self.stride)
            }
            _ => None,
        }
    }
}
