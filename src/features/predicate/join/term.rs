//! A product of marks: the elements with a tuple, and their changes in a move.

use smallvec::SmallVec;

use super::super::prelude::*;
use super::super::relation::Relation;
use super::super::sink::difference;
use super::factor::Factor;
use chess::{Bitboard, View};

/// The squares that each class of each factor marks, as seen.
pub(super) type Marks = SmallVec<[Bitboard; 16]>;

/// A product of marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Term {
    /// Offset of its features among those of an element.
    offset: u32,
    /// Its factors; those with at most one true class per element come first.
    pub(super) factors: Vec<Factor>,
    /// Number of the other factors.
    several: usize,
    /// The only possible tuple of the first element, if it has one only.
    only_tuple: Option<u32>,
    /// All elements, as bits.
    elements: u64,
    /// Kinds of pieces whose moves may change something, as bits of [`PieceKind::index`].
    kinds: u16,
    /// Whether all factors are placements.
    stands: bool,
}

impl Term {
    /// A product at an offset among the features of an element; its factors have the place of the
    /// first element.
    pub(super) fn new(offset: u32, factors: Vec<Factor>) -> Self {
        Self { offset, factors, ..Self::default() }
    }

    /// Derives the fields that depend on the places of all `elements`.
    pub(super) fn finish(&mut self, elements: usize) {
        self.elements = all(elements);
        self.factors.iter_mut().for_each(Factor::finish);
        // Exclusive factors first.
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

    /// Elements with a possible tuple.
    #[inline]
    fn candidates(&self, marks: &[Bitboard]) -> u64 {
        self.marked(marks).fold(self.elements, |all, (factor, marks)| match all {
            0 => 0,
            all => all & factor.candidates(marks),
        })
    }

    /// Elements with a place on which a move puts a piece or from which it takes one, if all
    /// factors are placements.
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

    /// Elements with the [only tuple](Self::only_tuple), out of a few.
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

    /// Index offset of the exclusive factors at an element; `None` if one of them does not hold.
    #[inline]
    fn start(&self, element: usize, stride: u32, marks: &[Bitboard]) -> Option<u32> {
        let single = self.marked(marks).take(self.factors.len() - self.several);
        let mut steps = single.map(|(factor, marks)| factor.steps(element, marks).flatten().next());
        let start = element as u32 * stride + self.offset;
        steps.try_fold(start, |tuple, step| Some(tuple + step?))
    }

    /// Sends the tuples of an element.
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

    /// Tuples of these elements, sorted, each once.
    fn all_tuples(&self, elements: u64, stride: u32, marks: &[Bitboard]) -> Tuples {
        let mut tuples = Tuples::new();
        bits(elements).for_each(|element| self.tuples(element, stride, marks, &mut tuples));
        distinct(&mut tuples);
        tuples
    }

    /// Sends `tuple` of each of these elements.
    #[inline]
    fn send<S: Sink>(&self, tuple: u32, elements: u64, stride: u32, sink: &mut S) {
        bits(elements).for_each(|element| sink.push(tuple + element as u32 * stride, 1.0));
    }

    pub(super) fn active<S: Sink>(&self, view: View<'_>, stride: u32, sink: &mut S) {
        let marks = self.marks(view);
        let elements = self.candidates(&marks);
        if let (Some(tuple), true) = (self.only_tuple, stride > 0) {
            return self.send(tuple, elements, stride, sink);
        }
        let tuples = self.all_tuples(elements, stride, &marks);
        tuples.into_iter().for_each(|(tuple, value)| sink.push(tuple, value));
    }

    pub(super) fn delta<S: Sink>(
        &self,
        step: &ViewStep<'_>,
        stride: u32,
        removed: &mut S,
        added: &mut S,
    ) {
        let moved = step.removed().chain(step.added());
        if moved.fold(0, |kinds, (_, kind)| kinds | 1 << kind.index()) & self.kinds == 0 {
            return;
        }
        let may_change = if self.stands { self.touched(step) } else { u64::MAX };
        if may_change == 0 {
            return;
        }
        let (old, new) = (self.marks(step.before()), self.marks(step.after()));
        if let (Some(tuple), true) = (self.only_tuple, stride > 0) {
            let was = self.true_among(may_change, &old);
            let is = self.true_among(may_change, &new);
            self.send(tuple, was & !is, stride, removed);
            return self.send(tuple, is & !was, stride, added);
        }
        let (was, is) = (self.candidates(&old), self.candidates(&new));
        match self.several {
            1 if was.is_power_of_two() && is.is_power_of_two() => {
                self.compare_classes((was, &old), (is, &new), stride, removed, added);
            }
            _ => self.compare((was, &old), (is, &new), stride, removed, added),
        }
    }

    /// Change from one element to one other, class by class of the only factor that is not
    /// exclusive.
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

    /// Change of all elements whose marks differ.
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
        // Other elements may hold the same tuple.
        let changed = if stride == 0 { u64::MAX } else { changed };
        let before = self.all_tuples(changed & was, stride, old);
        let after = self.all_tuples(changed & is, stride, new);
        difference(&before, &after, removed, added);
    }
}

/// All `elements`, as bits.
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
