//! What stands, moves or attacks at places that one element decides, joined:
//! `each(x : SQUARES, piece(x * {own pawn}) * piece(shift(x, RANKS 1..7) * … * COUNTS(1){0}))`.
//!
//! Written out, such a sum is a product of tables for every element. Here the marks of all
//! elements are found once, and an element is asked only if the squares that a move changed are
//! among its places.

use smallvec::SmallVec;

use super::king::King;
use super::prelude::*;
use super::relation::Relation;
use super::relation::classes::{KindClass, touched};
use super::sink::difference;
use crate::expr::{Each, Expr};
use chess::{Bitboard, PieceKind, View};

/// Sums over elements of products of marks.
#[derive(Clone, Debug)]
pub(crate) struct JoinTable {
    /// Where the features of an element begin: so many times its number; 0 if those of all
    /// elements are the same.
    stride: u32,
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
    /// Whether an element has one tuple at most.
    exclusive: bool,
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

/// The squares that each class of each factor marks, as seen.
type Marks = SmallVec<[Bitboard; 16]>;

impl JoinTable {
    /// `None` of sums that say more than marks on places, and of more elements than bits.
    pub(crate) fn of(each: &Each) -> Option<Self> {
        let stride = each.parts.first()?.size() as u32;
        Self::joined(each, stride, Kings::Select)
    }

    /// The same where an element stands for any other.
    pub(crate) fn of_any(each: &Each) -> Option<Self> {
        Self::joined(each, 0, Kings::Stand)
    }

    fn joined(each: &Each, stride: u32, kings: Kings) -> Option<Self> {
        let first = each.parts.first().filter(|_| each.parts.len() <= 64)?;
        let mut terms = terms_of(first, kings)?;
        for (element, part) in each.parts.iter().enumerate().skip(1) {
            let others = terms_of(part, kings)?;
            for (term, other) in terms.iter_mut().zip(&others) {
                for (factor, other) in term.factors.iter_mut().zip(&other.factors) {
                    factor.is_like(other).then_some(())?;
                    factor.take_place(element, other.places[0]);
                }
            }
        }
        terms.iter_mut().for_each(Term::finish);
        Some(Self { stride, terms })
    }
}

/// What `king(…)` is in a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kings {
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

/// What a set for one element is the sum of.
fn terms_of(part: &Expr, kings: Kings) -> Option<Vec<Term>> {
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
            found.push(Factor::of(predicate, stride, kings)?);
            stride *= predicate.size() as u32;
        }
        terms.push(Term { offset, factors: found, exclusive: false });
        offset += summand.size() as u32;
    }
    Some(terms)
}

impl Factor {
    /// Of a predicate that marks one place.
    fn of(predicate: &Predicate, stride: u32, kings: Kings) -> Option<Self> {
        let coding = Coding::new(&predicate.concepts);
        let (relation, kinds) = match King::of(predicate.kind) {
            Some(king) if kings == Kings::Stand => (Relation::Stands, only(king.kind())),
            _ => (Relation::of(predicate.kind)?, coding.kinds()),
        };
        let places = coding.classes_of_squares();
        let [(place, 0)] = places[..] else { return None };
        let (classes, class_of) = KindClass::all(&kinds);
        let parts = classes.iter().map(|class| kinds[class.first().index()]).collect();
        let numbers = coding.numbers();
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

    /// Adds the squares that each class marks, as seen.
    #[inline]
    fn push_marks(&self, view: View<'_>, marks: &mut Marks) {
        let orientation = view.orientation();
        marks.extend(self.classes.iter().map(|class| {
            orientation.squares(class.squares(self.relation, view.scene(), view.perspective()))
        }));
    }

    /// Elements in whose places these squares are.
    #[inline]
    fn elements(&self, squares: Bitboard) -> u64 {
        squares.into_iter().fold(0, |all, square| all | self.elements_at[usize::from(square)])
    }

    /// Elements of which something may be true with these marks; all where none is true as well.
    #[inline]
    fn candidates(&self, marks: &[Bitboard]) -> u64 {
        match self.numbers.is_empty() {
            true => self.elements(marks.iter().fold(Bitboard::EMPTY, |all, &some| all | some)),
            false => u64::MAX,
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

    /// What each class that makes a tuple of an element true adds to the index.
    #[inline]
    fn steps<'f>(
        &'f self,
        element: usize,
        marks: &'f [Bitboard],
    ) -> impl Iterator<Item = u32> + 'f {
        let place = self.places[element];
        marks
            .iter()
            .zip(&self.parts)
            .filter_map(move |(&marked, &part)| self.step(marked & place, part))
    }

    /// Whether no two classes can make tuples of one element true.
    fn is_exclusive(&self) -> bool {
        let one_square = || self.places.iter().all(|place| place.count() <= 1);
        let one_piece = || self.numbers.is_empty() && self.relation.marks_its_own_square();
        self.classes.len() == 1 || (one_piece() && one_square())
    }
}

impl Term {
    /// Of factors whose places are known.
    fn finish(&mut self) {
        // Single squares hold no more elements than pieces.
        let widest = |factor: &Factor| factor.places.iter().map(|place| place.count()).max();
        self.factors.sort_by_key(|factor| (!factor.numbers.is_empty(), widest(factor)));
        self.exclusive = self.factors.iter().all(Factor::is_exclusive);
    }

    fn marks(&self, view: View<'_>) -> Marks {
        let mut marks = Marks::new();
        self.factors.iter().for_each(|factor| factor.push_marks(view, &mut marks));
        marks
    }

    /// Each factor with its marks.
    #[inline]
    fn marked<'t>(
        &'t self,
        mut marks: &'t [Bitboard],
    ) -> impl Iterator<Item = (&'t Factor, &'t [Bitboard])> {
        self.factors.iter().map(move |factor| {
            let (own, others) = marks.split_at(factor.classes.len());
            marks = others;
            (factor, own)
        })
    }

    /// Elements of which something may be true.
    #[inline]
    fn candidates(&self, marks: &[Bitboard]) -> u64 {
        let lead = self.factors.first();
        lead.map_or(0, |lead| {
            lead.candidates(&marks[..lead.classes.len()]) & all(lead.places.len())
        })
    }

    /// Sends what is true of an element.
    #[inline]
    fn tuples(&self, element: usize, stride: u32, marks: &[Bitboard], sink: &mut Tuples) {
        let start = element as u32 * stride + self.offset;
        if self.exclusive {
            let mut steps = self.marked(marks).map(|(f, marks)| f.steps(element, marks).next());
            let tuple = steps.try_fold(start, |tuple, step| Some(tuple + step?));
            tuple.into_iter().for_each(|tuple| sink.push((tuple, 1.0)));
            return;
        }
        let mut found = SmallVec::<[u32; 16]>::from_slice(&[start]);
        for (factor, marks) in self.marked(marks) {
            let steps = factor.steps(element, marks);
            found = steps.flat_map(|step| found.iter().map(move |tuple| tuple + step)).collect();
            if found.is_empty() {
                return;
            }
        }
        sink.extend(found.into_iter().map(|tuple| (tuple, 1.0)));
    }

    /// What is true of any of these elements, sorted; once, where several make it true.
    #[inline]
    fn all_tuples(&self, elements: u64, stride: u32, marks: &[Bitboard]) -> Tuples {
        let mut tuples = Tuples::new();
        bits(elements).for_each(|element| self.tuples(element, stride, marks, &mut tuples));
        distinct(&mut tuples);
        tuples
    }

    fn active<S: Sink>(&self, view: View<'_>, stride: u32, sink: &mut S) {
        let marks = self.marks(view);
        let tuples = self.all_tuples(self.candidates(&marks), stride, &marks);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, stride: u32, removed: &mut S, added: &mut S) {
        let is_touched = |factor: &Factor| {
            touched(factor.relation, &factor.class_of, factor.classes.len(), step) != 0
        };
        if !self.factors.iter().any(is_touched) {
            return;
        }
        let (old, new) = (self.marks(step.before()), self.marks(step.after()));
        let (was, is) = (self.candidates(&old), self.candidates(&new));
        let mut changed = 0;
        for ((factor, old), (_, new)) in self.marked(&old).zip(self.marked(&new)) {
            let squares = old.iter().zip(new).map(|(&old, &new)| old ^ new);
            changed |= factor.elements(squares.fold(Bitboard::EMPTY, |all, some| all | some));
        }
        changed &= was | is;
        if changed == 0 {
            return;
        }
        // What one element makes true others may make true as well.
        let changed = if stride == 0 { u64::MAX } else { changed };
        let before = self.all_tuples(changed & was, stride, &old);
        let after = self.all_tuples(changed & is, stride, &new);
        difference(&before, &after, removed, added);
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
    fn refreshed_by(&self) -> Option<RefreshCause> {
        None
    }

    fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        self.terms.iter().for_each(|term| term.active(view, self.stride, sink));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
        self.terms.iter().for_each(|term| term.delta(step, self.stride, removed, added));
        Update::Rows
    }

    fn atoms(&self) -> Option<Vec<(Atom, u32)>> {
        None
    }

    fn sum_over_pieces(&self) -> Option<&dyn SumOverPieces> {
        None
    }
}
