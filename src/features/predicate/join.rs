//! What stands, moves or attacks at places that one element decides, joined:
//! `each(x : SQUARES, piece(x * {own pawn}) * piece(shift(x, RANKS 1..7) * … * COUNTS(1){0}))`.
//!
//! Written out, such a sum is a product of tables for every element. Here the marks of all
//! elements are found once, and an element is asked only if the squares that a move changed are
//! among its places.

use arrayvec::ArrayVec;
use smallvec::SmallVec;

use super::prelude::*;
use super::relation::Relation;
use super::relation::classes::{KindClass, touched};
use super::says_number;
use super::sink::difference;
use crate::expr::{Each, Expr};
use chess::{Bitboard, PieceKind, View};

/// Sums over elements of products of marks.
#[derive(Clone, Debug)]
pub(crate) struct JoinTable {
    /// Features of an element.
    size: u32,
    /// What is summed for each element.
    terms: Vec<Term>,
}

/// A product of marks.
#[derive(Clone, Debug)]
struct Term {
    /// Where its features begin among those of an element.
    offset: u32,
    /// The one that leaves fewest elements first.
    factors: Vec<Factor>,
}

/// Marks of a relation on the places of the elements.
#[derive(Clone, Debug, PartialEq)]
struct Factor {
    relation: Relation,
    classes: Vec<KindClass>,
    class_of: [Option<u8>; PieceKind::COUNT],
    /// What each class adds to the index.
    parts: Vec<u32>,
    /// What each number of squares adds to the index; empty where any square will do.
    numbers: Vec<u32>,
    stride: u32,
    /// The place of each element, as seen.
    places: Vec<Bitboard>,
    /// For each square the elements in whose place it is, as bits.
    elements_at: Vec<u64>,
}

/// The squares that each class marks, as seen.
type Marks = ArrayVec<Bitboard, { PieceKind::COUNT }>;

/// Tuples of an element; mostly none or one.
type Few = SmallVec<[(u32, f32); 8]>;

impl JoinTable {
    /// `None` of sums that say more than marks on places, and of more elements than bits.
    pub(crate) fn of(each: &Each) -> Option<Self> {
        let first = each.parts.first().filter(|_| each.parts.len() <= 64)?;
        let mut terms = terms_of(first)?;
        for (element, part) in each.parts.iter().enumerate().skip(1) {
            let others = terms_of(part)?;
            for (term, other) in terms.iter_mut().zip(&others) {
                for (factor, other) in term.factors.iter_mut().zip(&other.factors) {
                    factor.is_like(other).then_some(())?;
                    factor.take_place(element, other.places[0]);
                }
            }
        }
        for term in &mut terms {
            // Single squares hold no more elements than pieces.
            let widest = |factor: &Factor| factor.places.iter().map(|place| place.count()).max();
            term.factors.sort_by_key(|factor| (!factor.numbers.is_empty(), widest(factor)));
        }
        Some(Self { size: first.size() as u32, terms })
    }
}

/// What a set for one element is the sum of.
fn terms_of(part: &Expr) -> Option<Vec<Term>> {
    let summands = match part {
        Expr::Sum(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut offset = 0;
    let mut terms = Vec::new();
    for summand in summands {
        let factors = match summand {
            Expr::Product(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut stride = 1;
        let mut found = Vec::new();
        for factor in factors.iter().rev() {
            let Expr::Predicate(predicate) = factor else { return None };
            found.push(Factor::of(predicate, stride)?);
            stride *= predicate.size() as u32;
        }
        terms.push(Term { offset, factors: found });
        offset += summand.size() as u32;
    }
    Some(terms)
}

impl Factor {
    /// Of a predicate that marks one place.
    fn of(predicate: &Predicate, stride: u32) -> Option<Self> {
        let relation = Relation::of(predicate.kind)?;
        let coding = Coding::new(&predicate.concepts);
        let places = coding.classes_of_squares();
        let [(place, 0)] = places[..] else { return None };
        let kinds = coding.kinds();
        let (classes, class_of) = KindClass::all(&kinds);
        let parts = classes.iter().map(|class| kinds[class.first().index()]).collect();
        let is_number = |axis: &Axis| matches!(axis, Axis::Count(_));
        let numbers = match says_number(&predicate.concepts) {
            true => predicate.concepts.iter().map(Concept::axis).find(is_number),
            false => None,
        };
        let numbers = numbers.map_or_else(Vec::new, |axis| coding.along(axis));
        let mut factor = Self {
            relation,
            classes,
            class_of,
            parts,
            numbers,
            stride,
            places: Vec::new(),
            elements_at: vec![0; 64],
        };
        factor.take_place(0, place);
        Some(factor)
    }

    /// Whether it says the same of another place.
    fn is_like(&self, other: &Self) -> bool {
        let (mut own, mut other) = (self.clone(), other.clone());
        for factor in [&mut own, &mut other] {
            factor.places.clear();
            factor.elements_at.clear();
        }
        own == other
    }

    fn take_place(&mut self, element: usize, place: Bitboard) {
        self.places.push(place);
        for square in place {
            self.elements_at[usize::from(square)] |= 1 << element;
        }
    }

    fn marks(&self, view: View<'_>) -> Marks {
        let squares = |class: &KindClass| {
            let squares = class.squares(self.relation, view.scene(), view.perspective());
            view.orientation().squares(squares)
        };
        self.classes.iter().map(squares).collect()
    }

    /// Elements in whose places these squares are.
    #[inline]
    fn elements(&self, squares: Bitboard) -> u64 {
        squares.into_iter().fold(0, |all, square| all | self.elements_at[usize::from(square)])
    }

    /// Elements of which something may be true with these marks; all where none is true as well.
    #[inline]
    fn candidates(&self, marks: &Marks) -> u64 {
        match self.numbers.is_empty() {
            true => self.elements(marks.iter().fold(Bitboard::EMPTY, |all, &some| all | some)),
            false => u64::MAX,
        }
    }

    /// The tuples of an element, added to those of the factors before.
    #[inline]
    fn extend(&self, element: usize, marks: &Marks, before: &Few) -> Few {
        let place = self.places[element];
        let mut tuples = Few::new();
        for (&marked, &part) in marks.iter().zip(&self.parts) {
            let here = marked & place;
            let tuple = match self.numbers.is_empty() {
                true if here.is_empty() => continue,
                true => part,
                false => match self.numbers[here.count().min(self.numbers.len() - 1)] {
                    NONE => continue,
                    number => part + number,
                },
            };
            let at = tuple * self.stride;
            tuples.extend(before.iter().map(|&(index, _)| (index + at, 1.0)));
        }
        tuples
    }
}

impl Term {
    fn marks(&self, view: View<'_>) -> SmallVec<[Marks; 3]> {
        self.factors.iter().map(|factor| factor.marks(view)).collect()
    }

    /// What is true of an element.
    #[inline]
    fn tuples(&self, element: usize, size: u32, marks: &[Marks]) -> Few {
        let mut tuples = Few::from_slice(&[(element as u32 * size + self.offset, 1.0)]);
        for (factor, marks) in self.factors.iter().zip(marks) {
            tuples = factor.extend(element, marks, &tuples);
            if tuples.is_empty() {
                break;
            }
        }
        tuples
    }

    fn active<S: Sink>(&self, view: View<'_>, size: u32, sink: &mut S) {
        let marks = self.marks(view);
        let Some((lead, first)) = self.factors.first().zip(marks.first()) else { return };
        for element in bits(lead.candidates(first) & all(lead.places.len())) {
            let tuples = self.tuples(element, size, &marks);
            tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
        }
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, size: u32, removed: &mut S, added: &mut S) {
        let is_touched = |factor: &Factor| {
            touched(factor.relation, &factor.class_of, factor.classes.len(), step) != 0
        };
        if !self.factors.iter().any(is_touched) {
            return;
        }
        let (old, new) = (self.marks(step.before()), self.marks(step.after()));
        let mut changed = 0;
        for (factor, (old, new)) in self.factors.iter().zip(old.iter().zip(&new)) {
            let squares = old.iter().zip(new).map(|(&old, &new)| old ^ new);
            changed |= factor.elements(squares.fold(Bitboard::EMPTY, |all, some| all | some));
        }
        if let Some(lead) = self.factors.first() {
            changed &= lead.candidates(&old[0]) | lead.candidates(&new[0]);
        }
        for element in bits(changed) {
            let sorted = |marks: &[Marks]| {
                let mut tuples = self.tuples(element, size, marks);
                tuples.sort_unstable_by_key(|&(tuple, _)| tuple);
                tuples
            };
            difference(&sorted(&old), &sorted(&new), removed, added);
        }
    }
}

/// So many elements, as bits.
fn all(elements: usize) -> u64 {
    u64::MAX >> (64 - elements.clamp(1, 64))
}

/// The elements among bits.
fn bits(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

impl Table for JoinTable {
    const REFRESHED_BY: Option<RefreshCause> = None;

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        self.terms.iter().for_each(|term| term.active(view, self.size, sink));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        self.terms.iter().for_each(|term| term.delta(step, self.size, removed, added));
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
