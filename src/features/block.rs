//! A product of compiled predicates at its place in the index order.
//!
//! Any expression of sums and products is a list of blocks: in `(A + B) * C`
//! the tuples of `A * C` lie at one place and those of `B * C` at another,
//! each with a stride per factor. Mirroring turns the view of every predicate
//! under it, so it becomes a mark on factors.
//!
//! One-hot factors and scalars *anchor* a block: they select a copy of the other factors and give
//! it a value. Moves change rows within that copy; a change of the anchor changes all rows of the
//! block, and that is a refresh.
//!
//! Refresh causes stand in `refresh`, the features of single pieces in `pieces`, comparisons of
//! blocks in `parts`.

mod parts;
mod pieces;
mod refresh;

pub(crate) use parts::Anchoring;

use std::cmp::Ordering;
use std::sync::Arc;

use smallvec::SmallVec;

use super::expr::Expr;
use super::feature::Update;
use super::predicate::coding::NONE;
use super::predicate::scalar::Scalar;
use super::predicate::sink::{Sink, Tuples};
use super::predicate::{
    AnyTable, ClassOf, Compiled, JoinTable, QuotientTable, RowsTable, Selector, ViewStep,
};
use super::product::{self, Product};
use chess::View;

/// One factor of a block and its stride in the index.
#[derive(Clone, Debug)]
struct Factor<P> {
    predicate: P,
    leaf: Arc<Leaf>,
    mirrored: bool,
    stride: u32,
}

/// Leaf of an expression.
#[derive(Debug, PartialEq, Eq)]
struct Leaf {
    /// The canonical expression.
    text: String,
    size: u32,
}

/// A compiled leaf of an expression.
#[derive(Clone)]
struct Compilation {
    predicate: Kind,
    leaf: Arc<Leaf>,
}

#[derive(Clone)]
enum Kind {
    Predicate(Compiled),
    Scalar(Scalar),
}

impl Compilation {
    /// The leaf of an expression, and the mirror that it leaves to its factor: tables made of
    /// blocks turn their views themselves. `None` of sums and products, which are multiplied out.
    fn of(expr: &Expr, mirrored: bool) -> Option<(Self, bool)> {
        let (predicate, is_of_blocks) = match expr {
            Expr::Predicate(predicate) => (predicate.compile(false), false),
            Expr::Count(predicate) => (predicate.compile(true), false),
            Expr::Scalar(scalar) => {
                return Some((Self::new(Kind::Scalar(*scalar), expr), mirrored));
            }
            Expr::Each(each) => (JoinTable::of(each)?.into(), false),
            Expr::Any(any) => match JoinTable::of_any(&any.each) {
                Some(table) => (table.into(), false),
                None => {
                    let each = Block::all(&Expr::Each(any.each.clone()), mirrored);
                    let classes = ClassOf::Modulo(expr.size() as u32);
                    (QuotientTable::new(each, classes).into(), true)
                }
            },
            Expr::Rows(inner, rows) => {
                let blocks = Block::all(inner, mirrored);
                (RowsTable::new(blocks, inner.size() as usize, rows).into(), true)
            }
            Expr::Quotient(inner, classes) => {
                let classes = classes.iter().map(|class| class.unwrap_or(NONE)).collect();
                let blocks = Block::all(inner, mirrored);
                (QuotientTable::new(blocks, ClassOf::Listed(classes)).into(), true)
            }
            Expr::Mirror(_) | Expr::Sum(_) | Expr::Product(_) => return None,
        };
        let predicate = Kind::Predicate(predicate);
        Some(match is_of_blocks && mirrored {
            true => (Self::new(predicate, &Expr::Mirror(Box::new(expr.clone()))), false),
            false => (Self::new(predicate, expr), mirrored),
        })
    }

    fn new(predicate: Kind, expr: &Expr) -> Self {
        let leaf = Leaf { text: expr.to_string(), size: expr.size() as u32 };
        Self { predicate, leaf: leaf.into() }
    }
}

impl<P> Factor<P> {
    #[inline]
    fn view<'a>(&self, view: View<'a>) -> View<'a> {
        if self.mirrored { view.mirrored() } else { view }
    }
}

/// Features that are the tuples of a product of predicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    offset: u32,
    selectors: Vec<Factor<Arc<Selector>>>,
    scalars: Vec<Factor<Scalar>>,
    factors: Vec<Factor<AnyTable>>,
}

/// Offset that the one-hot factors select, and value of the scalars.
type Anchor = Option<(u32, f32)>;

/// Puts the tuples of a factor in their place.
struct Shifted<'a, S> {
    offset: u32,
    stride: u32,
    value: f32,
    sink: &'a mut S,
}

impl<S: Sink> Sink for Shifted<'_, S> {
    #[inline]
    fn push(&mut self, tuple: u32, value: f32) {
        self.sink.push(self.offset + tuple * self.stride, self.value * value);
    }

    #[inline(always)]
    fn push_if(&mut self, wanted: bool, tuple: u32) {
        // An unwanted tuple may be any number.
        let index = self.offset.wrapping_add(tuple.wrapping_mul(self.stride));
        if self.value == 1.0 {
            self.sink.push_if(wanted, index);
        } else if wanted {
            self.sink.push(index, self.value);
        }
    }

    #[inline(always)]
    fn push_all(&mut self, tuples: impl ExactSizeIterator<Item = u32>) {
        let (offset, stride, value) = (self.offset, self.stride, self.value);
        if value == 1.0 {
            self.sink.push_all(tuples.map(|tuple| offset + tuple * stride));
        } else {
            tuples.for_each(|tuple| self.sink.push(offset + tuple * stride, value));
        }
    }
}

impl Block {
    /// The blocks of an expression, in index order. Sizes must fit 32 bits.
    pub(crate) fn all_of(expr: &Expr) -> Vec<Block> {
        Self::all(expr, false)
    }

    fn all(expr: &Expr, mirrored: bool) -> Vec<Block> {
        expr.products(mirrored, &Compilation::of).into_iter().map(Self::of).collect()
    }

    fn of(product: Product<Compilation>) -> Self {
        let mut block = Self { offset: product.offset as u32, ..Self::default() };
        for product::Factor { leaf: Compilation { predicate, leaf }, mirrored, stride } in
            product.factors
        {
            let stride = stride as u32;
            match predicate {
                Kind::Scalar(predicate) => {
                    block.scalars.push(Factor { predicate, leaf, mirrored, stride });
                }
                Kind::Predicate(Compiled::OneHot(predicate)) => {
                    block.selectors.push(Factor { predicate, leaf, mirrored, stride });
                }
                Kind::Predicate(Compiled::Table(predicate)) => {
                    block.factors.push(Factor { predicate, leaf, mirrored, stride });
                }
            }
        }
        block
    }

    /// Index of its first feature. Blocks of a sum follow each other.
    pub(crate) fn offset(&self) -> u32 {
        self.offset
    }

    /// Whether exactly one of its features is active in any position of a game.
    pub(crate) fn is_choice(&self) -> bool {
        let is_plain = self.scalars.is_empty() && self.factors.is_empty();
        let always = |selector: &Factor<Arc<Selector>>| selector.predicate.always_selects();
        is_plain && !self.selectors.is_empty() && self.selectors.iter().all(always)
    }

    /// The feature of a [choice](Self::is_choice).
    #[inline]
    pub(crate) fn choice(&self, view: View<'_>) -> Option<u32> {
        self.anchor(view).map(|(feature, _)| feature)
    }

    #[inline]
    fn is_anchored(&self) -> bool {
        !self.selectors.is_empty() || !self.scalars.is_empty()
    }

    /// Offset and value for the other factors; `None` if a one-hot factor, and so the block, has no
    /// active tuple.
    #[inline(always)]
    fn anchor(&self, view: View<'_>) -> Anchor {
        let mut offset = self.offset;
        for selector in &self.selectors {
            offset += selector.predicate.value(selector.view(view))? * selector.stride;
        }
        if self.scalars.is_empty() {
            return Some((offset, 1.0));
        }
        let value = |scalar: &Factor<Scalar>| scalar.predicate.value(scalar.view(view));
        Some((offset, self.scalars.iter().map(value).product()))
    }

    #[inline(always)]
    pub(crate) fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some((offset, value)) = self.anchor(view) else { return };
        match self.factors.as_slice() {
            [] => sink.push(offset, value),
            [factor] => {
                let mut shifted = Shifted { offset, stride: factor.stride, value, sink };
                factor.predicate.active(factor.view(view), &mut shifted);
            }
            factors => {
                let lists: Vec<Tuples> =
                    factors.iter().map(|factor| active_tuples(factor, view)).collect();
                tuples((offset, value), factors, &lists.iter().collect::<Vec<_>>(), sink);
            }
        }
    }

    /// Sends the rows that a move changes. If the anchor of other factors moved or their view
    /// turned, these are all rows of the block.
    #[inline(always)]
    pub(crate) fn delta<S: Sink>(
        &self,
        step: &ViewStep<'_>,
        removed: &mut S,
        added: &mut S,
    ) -> Update {
        if !self.is_anchored()
            && let [factor] = self.factors.as_slice()
        {
            return factor_delta((self.offset, 1.0), factor, step, removed, added);
        }
        let (before, after) = (self.anchor(step.before()), self.anchor(step.after()));
        if self.factors.is_empty() {
            if before != after {
                before.into_iter().for_each(|(index, value)| removed.push(index, value));
                after.into_iter().for_each(|(index, value)| added.push(index, value));
            }
            return Update::Rows;
        }
        if before != after {
            return Update::Refresh;
        }
        match (after, self.factors.as_slice()) {
            (None, _) => Update::Rows,
            (Some(anchor), [factor]) => factor_delta(anchor, factor, step, removed, added),
            (Some(anchor), factors) => many_delta(anchor, factors, step, removed, added),
        }
    }
}

fn active_tuples(factor: &Factor<AnyTable>, view: View<'_>) -> Tuples {
    let mut tuples = Tuples::new();
    factor.predicate.active(factor.view(view), &mut tuples);
    tuples
}

#[inline(always)]
fn factor_delta<S: Sink>(
    (offset, value): (u32, f32),
    factor: &Factor<AnyTable>,
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
) -> Update {
    let mut removed = Shifted { offset, stride: factor.stride, value, sink: removed };
    let mut added = Shifted { offset, stride: factor.stride, value, sink: added };
    if !factor.mirrored {
        return factor.predicate.delta(step, &mut removed, &mut added);
    }
    match step.mirrored() {
        Some(step) => factor.predicate.delta(&step, &mut removed, &mut added),
        None => Update::Refresh,
    }
}

/// Change of one factor in a move, for products of several multi-active factors.
struct FactorChange {
    before: Tuples,
    after: Tuples,
    kept: Tuples,
    removed: Tuples,
    added: Tuples,
}

impl FactorChange {
    /// `None` if the factor is to be refreshed.
    fn new(factor: &Factor<AnyTable>, step: &ViewStep<'_>) -> Option<Self> {
        let step = if factor.mirrored { step.mirrored()? } else { *step };
        let (mut removed, mut added) = (Tuples::new(), Tuples::new());
        if factor.predicate.delta(&step, &mut removed, &mut added) == Update::Refresh {
            return None;
        }
        let (mut before, mut after) = (Tuples::new(), Tuples::new());
        factor.predicate.active(step.before(), &mut before);
        factor.predicate.active(step.after(), &mut after);
        let kept = before.iter().copied().filter(|tuple| !removed.contains(tuple)).collect();
        Some(Self { before, after, kept, removed, added })
    }
}

/// A tuple is lost when one of its elements is. Each is counted at its first lost element: those
/// before it are kept, those after it are any of the view before. Likewise for tuples won.
/// A function of its own: its lists take kilobytes of the stack, which every call would touch.
#[inline(never)]
fn many_delta<S: Sink>(
    anchor: (u32, f32),
    factors: &[Factor<AnyTable>],
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
) -> Update {
    let changes: Option<SmallVec<[FactorChange; 4]>> =
        factors.iter().map(|factor| FactorChange::new(factor, step)).collect();
    let Some(changes) = changes else { return Update::Refresh };
    for first in 0..factors.len() {
        let lists = |at: fn(&FactorChange) -> &Tuples, later: fn(&FactorChange) -> &Tuples| {
            let list = move |(i, change)| match Ord::cmp(&i, &first) {
                Ordering::Less => &(change as &FactorChange).kept,
                Ordering::Equal => at(change),
                Ordering::Greater => later(change),
            };
            changes.iter().enumerate().map(list).collect::<SmallVec<[&Tuples; 4]>>()
        };
        tuples(anchor, factors, &lists(|c| &c.removed, |c| &c.before), removed);
        tuples(anchor, factors, &lists(|c| &c.added, |c| &c.after), added);
    }
    Update::Rows
}

/// Sends every tuple that takes one element of each list.
fn tuples<S: Sink>(
    (offset, value): (u32, f32),
    factors: &[Factor<AnyTable>],
    lists: &[&Tuples],
    sink: &mut S,
) {
    match (factors, lists) {
        ([factor, factors @ ..], [list, lists @ ..]) => {
            for &(tuple, factor_value) in list.iter() {
                let anchor = (offset + tuple * factor.stride, value * factor_value);
                tuples(anchor, factors, lists, sink);
            }
        }
        _ => sink.push(offset, value),
    }
}
