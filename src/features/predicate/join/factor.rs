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
    /// Index offset of each number of squares; empty where any square suffices.
    numbers: Vec<u32>,
    stride: u32,
    /// The place of each element, as seen.
    pub(super) places: Vec<Bitboard>,
    /// Elements with each square in their place, as bits.
    pub(super) elements_at: Vec<u64>,
    /// All places together.
    any_place: Bitboard,
    /// The first of the places, if each is one square and they follow each other.
    pub(super) first_square: Option<u32>,
    holds: Holds,
}

/// Whether a factor may hold of an element without marks, and of one with marks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Holds {
    unmarked: bool,
    marked: bool,
}

/// Treatment of `king(…)` in a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kings {
    /// One-hot, so no marks: a block of its own is faster.
    Select,
    /// A piece like others.
    Stand,
}

/// Index offsets with one kind only.
fn only(kind: PieceKind) -> [u32; PieceKind::COUNT] {
    let mut parts = [NONE; PieceKind::COUNT];
    parts[kind.index()] = 0;
    parts
}

impl Factor {
    /// The factor of a predicate that marks one place.
    pub(super) fn of(predicate: &Predicate, stride: u32, kings: Kings) -> Option<Self> {
        if predicate.concepts.iter().any(|concept| concept.axis().is_step()) {
            // The own king's square decides its places.
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

    /// Whether both are equal but for their places.
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

    /// Elements with some of these squares in their places.
    #[inline]
    pub(super) fn elements(&self, squares: Bitboard) -> u64 {
        match self.first_square {
            Some(first) => (squares & self.any_place).0 >> first,
            None => squares
                .into_iter()
                .fold(0, |all, square| all | self.elements_at[usize::from(square)]),
        }
    }

    /// Elements with a possible tuple under these marks.
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

    /// Whether an element has a tuple under these marks of a single class.
    #[inline]
    pub(super) fn holds_at(&self, element: usize, marks: &[Bitboard]) -> bool {
        let place = self.places[element];
        match marks.iter().any(|&marked| (marked & place).any()) {
            true => self.holds.marked,
            false => self.holds.unmarked,
        }
    }

    /// Index offset of a class with these marks; `None` without a tuple.
    #[inline]
    fn step(&self, here: Bitboard, part: u32) -> Option<u32> {
        let number = match self.numbers.as_slice() {
            [] if here.is_empty() => return None,
            [] => 0,
            numbers => numbers[here.count().min(numbers.len() - 1)],
        };
        (number != NONE).then(|| (part + number) * self.stride)
    }

    /// Index offset of each class at an element; `None` without a tuple.
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

    /// Derives the fields that depend on all places.
    pub(super) fn finish(&mut self) {
        let live = |number: &u32| *number != NONE;
        self.holds = match self.numbers.as_slice() {
            [] => Holds { unmarked: false, marked: true },
            // Of several classes some may be unmarked.
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

    /// Whether at most one class has a tuple at one element.
    pub(super) fn is_exclusive(&self) -> bool {
        let one_square = || self.places.iter().all(|place| place.count() <= 1);
        let one_piece = || self.numbers.is_empty() && self.relation.marks_its_own_square();
        self.classes.len() == 1 || (one_piece() && one_square())
    }

    /// The only possible step of an element, which every candidate has.
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
