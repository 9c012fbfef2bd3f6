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
use super::relation::classes::KindClass;
use super::sink::difference;
use crate::expr::{Each, Expr};
use chess::{Bitboard, PieceKind, Square, View};

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
#[derive(Clone, Debug, Default)]
struct Term {
    /// Where its features begin among those of an element.
    offset: u32,
    /// Those of which no two classes can be true of an element first.
    factors: Vec<Factor>,
    /// How many others there are.
    several: usize,
    /// The tuple that the first element has if it has one at all, where that is the same
    /// whatever makes it true.
    only_tuple: Option<u32>,
    /// All elements, as bits.
    elements: u64,
    /// Kinds of pieces whose moves may change something, as bits of [`PieceKind::index`].
    kinds: u16,
    /// Whether all factors say what stands somewhere.
    stands: bool,
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
    /// All places together.
    any_place: Bitboard,
    /// The first of the places, if each is one square and they follow each other.
    first_square: Option<u32>,
    holds: Holds,
}

/// Whether a factor may be true of an element without any marks, and of one with some.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Holds {
    unmarked: bool,
    marked: bool,
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
        for term in &mut terms {
            term.elements = all(each.parts.len());
            term.finish();
        }
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
        terms.push(Term { offset, factors: found, ..Term::default() });
        offset += summand.size() as u32;
    }
    Some(terms)
}

impl Factor {
    /// Of a predicate that marks one place.
    fn of(predicate: &Predicate, stride: u32, kings: Kings) -> Option<Self> {
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
        let parts = classes.iter().map(KindClass::part).collect();
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
            any_place: Bitboard::EMPTY,
            first_square: None,
            holds: Holds::default(),
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
        match self.first_square {
            Some(first) => (squares & self.any_place).0 >> first,
            None => squares
                .into_iter()
                .fold(0, |all, square| all | self.elements_at[usize::from(square)]),
        }
    }

    /// Elements of which something may be true with these marks.
    #[inline]
    fn candidates(&self, marks: &[Bitboard]) -> u64 {
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
    fn holds_at(&self, element: usize, marks: &[Bitboard]) -> bool {
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
    fn steps<'f>(
        &'f self,
        element: usize,
        marks: &'f [Bitboard],
    ) -> impl Iterator<Item = Option<u32>> + 'f {
        let place = self.places[element];
        let classes = marks.iter().zip(&self.parts);
        classes.map(move |(&marked, &part)| self.step(marked & place, part))
    }

    /// Once all places are known.
    fn finish(&mut self) {
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
    fn is_exclusive(&self) -> bool {
        let one_square = || self.places.iter().all(|place| place.count() <= 1);
        let one_piece = || self.numbers.is_empty() && self.relation.marks_its_own_square();
        self.classes.len() == 1 || (one_piece() && one_square())
    }

    /// The one step that an element can have, which it has if it is a candidate.
    fn only_step(&self) -> Option<u32> {
        let [part] = self.parts[..] else { return None };
        match self.numbers[..] {
            [] => Some(part * self.stride),
            [number, NONE] | [NONE, number] if number != NONE => {
                Some((part + number) * self.stride)
            }
            _ => None,
        }
    }
}

impl Term {
    /// Of factors whose places are known.
    fn finish(&mut self) {
        self.factors.iter_mut().for_each(Factor::finish);
        // Factors of which every class may be true come last.
        self.factors.sort_by_key(|factor| !factor.is_exclusive());
        self.several = self.factors.iter().filter(|factor| !factor.is_exclusive()).count();
        let steps = self.factors.iter().map(Factor::only_step);
        self.only_tuple = steps.sum::<Option<u32>>().map(|steps| self.offset + steps);
        let kinds = self.factors.iter().map(|factor| match factor.relation {
            Relation::Stands => factor.classes.iter().fold(0, |all, class| all | class.bits()),
            _ => u16::MAX,
        });
        self.kinds = kinds.fold(0, |all, some| all | some);
        self.stands = self.factors.iter().all(|factor| factor.relation == Relation::Stands);
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
        self.marked(marks).fold(self.elements, |all, (factor, marks)| match all {
            0 => 0,
            all => all & factor.candidates(marks),
        })
    }

    /// Elements to whose places a move brings or from whose places it takes a piece, where all
    /// factors say what stands somewhere.
    #[inline]
    fn touched(&self, step: &ViewStep<'_>) -> u64 {
        let mut elements = 0;
        for (square, kind) in step.removed().chain(step.added()) {
            for factor in &self.factors {
                if factor.class_of[kind.index()].is_some() {
                    elements |= factor.elements_at[usize::from(square)];
                }
            }
        }
        elements
    }

    /// Those of few elements that have the [only tuple](Self::only_tuple).
    #[inline]
    fn true_among(&self, elements: u64, marks: &[Bitboard]) -> u64 {
        self.marked(marks).fold(elements, |all, (factor, marks)| match factor.first_square {
            _ if all == 0 => 0,
            Some(_) => all & factor.candidates(marks),
            None if self.stands => bits(all)
                .filter(|&element| factor.holds_at(element, marks))
                .fold(0, |all, element| all | 1 << element),
            None => all & factor.candidates(marks),
        })
    }

    /// What the factors of which one class is true at most add up to.
    #[inline]
    fn start(&self, element: usize, stride: u32, marks: &[Bitboard]) -> Option<u32> {
        let single = self.marked(marks).take(self.factors.len() - self.several);
        let mut steps = single.map(|(factor, marks)| factor.steps(element, marks).flatten().next());
        let start = element as u32 * stride + self.offset;
        steps.try_fold(start, |tuple, step| Some(tuple + step?))
    }

    /// Sends what is true of an element.
    #[inline]
    fn tuples(&self, element: usize, stride: u32, marks: &[Bitboard], sink: &mut Tuples) {
        let Some(start) = self.start(element, stride, marks) else { return };
        let mut found = SmallVec::<[u32; 16]>::from_slice(&[start]);
        for (factor, marks) in self.marked(marks).skip(self.factors.len() - self.several) {
            let steps = factor.steps(element, marks).flatten();
            found = steps.flat_map(|step| found.iter().map(move |tuple| tuple + step)).collect();
        }
        sink.extend(found.into_iter().map(|tuple| (tuple, 1.0)));
    }

    /// What is true of any of these elements, sorted; once, where several make it true.
    fn all_tuples(&self, elements: u64, stride: u32, marks: &[Bitboard]) -> Tuples {
        let mut tuples = Tuples::new();
        bits(elements).for_each(|element| self.tuples(element, stride, marks, &mut tuples));
        distinct(&mut tuples);
        tuples
    }

    /// Sends the one tuple of each of these elements.
    #[inline]
    fn send<S: Sink>(&self, tuple: u32, elements: u64, stride: u32, sink: &mut S) {
        bits(elements).for_each(|element| sink.push(tuple + element as u32 * stride, 1.0));
    }

    fn active<S: Sink>(&self, view: View<'_>, stride: u32, sink: &mut S) {
        let marks = self.marks(view);
        let elements = self.candidates(&marks);
        if let (Some(tuple), true) = (self.only_tuple, stride > 0) {
            return self.send(tuple, elements, stride, sink);
        }
        let tuples = self.all_tuples(elements, stride, &marks);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    fn delta<S: Sink>(&self, step: &ViewStep<'_>, stride: u32, removed: &mut S, added: &mut S) {
        let moved = step.removed().chain(step.added());
        if moved.fold(0, |kinds, (_, kind)| kinds | 1 << kind.index()) & self.kinds == 0 {
            return;
        }
        let may_change = if self.stands { self.touched(step) } else { u64::MAX };
        if may_change == 0 {
            return;
        }
        let (old, new) = (self.marks(step.before()), self.marks(step.after()));
        match self.only_tuple {
            Some(tuple) if stride > 0 => {
                let was = self.true_among(may_change, &old);
                let is = self.true_among(may_change, &new);
                self.send(tuple, was & !is, stride, removed);
                self.send(tuple, is & !was, stride, added);
                return;
            }
            _ => {}
        }
        let (was, is) = (self.candidates(&old), self.candidates(&new));
        match self.several {
            1 if was.is_power_of_two() && is.is_power_of_two() => {
                self.compare_classes((was, &old), (is, &new), stride, removed, added);
            }
            _ => self.compare((was, &old), (is, &new), stride, removed, added),
        }
    }

    /// Of one element before and one after: class by class of the one factor of which several
    /// may be true.
    #[inline]
    fn compare_classes<S: Sink>(
        &self,
        (was, old): (u64, &[Bitboard]),
        (is, new): (u64, &[Bitboard]),
        stride: u32,
        removed: &mut S,
        added: &mut S,
    ) {
        let (from, to) = (was.trailing_zeros() as usize, is.trailing_zeros() as usize);
        let (before, after) = (self.start(from, stride, old), self.start(to, stride, new));
        let Some(factor) = self.factors.last() else { return };
        let last = |marks: &'_ [Bitboard]| marks.len() - factor.classes.len();
        let gone = factor.steps(from, &old[last(old)..]);
        let come = factor.steps(to, &new[last(new)..]);
        for (gone, come) in gone.zip(come) {
            let gone = before.zip(gone).map(|(start, step)| start + step);
            let come = after.zip(come).map(|(start, step)| start + step);
            if gone != come {
                gone.into_iter().for_each(|tuple| removed.push(tuple, 1.0));
                come.into_iter().for_each(|tuple| added.push(tuple, 1.0));
            }
        }
    }

    /// Of any elements: those of which a mark changed.
    fn compare<S: Sink>(
        &self,
        (was, old): (u64, &[Bitboard]),
        (is, new): (u64, &[Bitboard]),
        stride: u32,
        removed: &mut S,
        added: &mut S,
    ) {
        let mut changed = was ^ is;
        for ((factor, old), (_, new)) in self.marked(old).zip(self.marked(new)) {
            let squares = old.iter().zip(new).map(|(&old, &new)| old ^ new);
            changed |= factor.elements(squares.fold(Bitboard::EMPTY, |all, some| all | some));
        }
        if changed & (was | is) == 0 {
            return;
        }
        // What one element makes true others may make true as well.
        let changed = if stride == 0 { u64::MAX } else { changed };
        let before = self.all_tuples(changed & was, stride, old);
        let after = self.all_tuples(changed & is, stride, new);
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
