//! A product of compiled predicates at its place in the index order.
//!
//! Any expression of sums and products is a list of blocks: in `(A + B) * C`
//! the tuples of `A * C` lie at one place and those of `B * C` at another,
//! each with a stride per factor. Mirroring turns the view of every predicate
//! under it, so it becomes a mark on factors.
//!
//! One-hot factors and scalars *anchor* a block: they select a copy of the
//! other factors and give it a value, which then changes within it. When the
//! anchor moves, all rows of the block change, and that is a refresh.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use smallvec::SmallVec;

use super::expr::Expr;
use super::predicate::atom::Atom;
use super::predicate::rows::RowsTable;
use super::predicate::scalar::Scalar;
use super::predicate::sink::{Sink, Tuples};
use super::predicate::{Compiled, Selector, ViewStep};
use super::refresh::RefreshCause;
use super::set::{Feature, Update};
use crate::chess::{Piece, PieceKind, Role, Square, View};

/// One factor of a block and what one step of its index adds.
#[derive(Clone, Debug)]
struct Factor<P> {
    predicate: P,
    mirrored: bool,
    stride: u32,
}

impl<P> Factor<P> {
    #[inline]
    fn view<'a>(&self, view: View<'a>) -> View<'a> {
        if self.mirrored { view.mirrored() } else { view }
    }
}

/// Features that are the tuples of a product of predicates.
#[derive(Clone, Debug, Default)]
pub struct Block {
    offset: u32,
    selectors: Vec<Factor<Arc<Selector>>>,
    scalars: Vec<Factor<Scalar>>,
    factors: Vec<Factor<Compiled>>,
}

/// Where the one-hot factors put the others, and what the scalars are worth.
type Anchor = Option<(u32, f32)>;

/// Puts the tuples of a factor in their place.
struct Placed<'a, S> {
    offset: u32,
    stride: u32,
    value: f32,
    sink: &'a mut S,
}

impl<S: Sink> Sink for Placed<'_, S> {
    #[inline]
    fn push(&mut self, tuple: u32, value: f32) {
        self.sink.push(self.offset + tuple * self.stride, self.value * value);
    }

    #[inline(always)]
    fn push_if(&mut self, wanted: bool, tuple: u32) {
        // What is not wanted may be no tuple at all.
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
    pub fn all_of(expr: &Expr) -> Vec<Block> {
        Self::all(expr, false)
    }

    fn all(expr: &Expr, mirrored: bool) -> Vec<Block> {
        match expr {
            Expr::Predicate(predicate) => vec![Self::leaf(predicate.compile(false), mirrored)],
            Expr::Count(predicate) => vec![Self::leaf(predicate.compile(true), mirrored)],
            Expr::Scalar(scalar) => vec![Self::leaf(Compiled::Scalar(*scalar), mirrored)],
            Expr::Mirror(inner) => Self::all(inner, true),
            Expr::Rows(inner, rows) => {
                let table = RowsTable::new(Self::all(inner, mirrored), inner.size() as usize, rows);
                // The blocks inside turn their views themselves.
                vec![Self::leaf(Compiled::Rows(Arc::new(table)), false)]
            }
            Expr::Sum(parts) => {
                let mut offset = 0;
                let mut blocks = Vec::new();
                for part in parts {
                    blocks.extend(Self::all(part, mirrored).into_iter().map(|b| b.moved(offset)));
                    offset += part.size() as u32;
                }
                blocks
            }
            Expr::Product(parts) => parts.iter().fold(vec![Block::default()], |left, part| {
                let right = Self::all(part, mirrored);
                let size = part.size() as u32;
                left.iter().flat_map(|a| right.iter().map(move |b| a.times(b, size))).collect()
            }),
        }
    }

    fn leaf(predicate: Compiled, mirrored: bool) -> Self {
        let mut block = Self::default();
        match predicate {
            Compiled::Select(selector) => {
                block.selectors.push(Factor { predicate: selector, mirrored, stride: 1 });
            }
            Compiled::Scalar(scalar) => {
                block.scalars.push(Factor { predicate: scalar, mirrored, stride: 1 });
            }
            predicate => block.factors.push(Factor { predicate, mirrored, stride: 1 }),
        }
        block
    }

    fn moved(mut self, offset: u32) -> Self {
        self.offset += offset;
        self
    }

    /// The product with a block of a right factor that has `size` features.
    fn times(&self, right: &Block, size: u32) -> Self {
        fn joined<P: Clone>(a: &[Factor<P>], b: &[Factor<P>], size: u32) -> Vec<Factor<P>> {
            let left = a.iter().cloned().map(|f| Factor { stride: f.stride * size, ..f });
            left.chain(b.iter().cloned()).collect()
        }
        Block {
            offset: self.offset * size + right.offset,
            selectors: joined(&self.selectors, &right.selectors, size),
            scalars: joined(&self.scalars, &right.scalars, size),
            factors: joined(&self.factors, &right.factors, size),
        }
    }

    /// Index of its first feature. Blocks of a sum follow each other.
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// What makes the block start again. A block of one-hot factors alone has
    /// at most one active feature and never does.
    pub fn refresh_causes(&self, causes: &mut BTreeSet<RefreshCause>) {
        if self.factors.is_empty() {
            return;
        }
        causes.extend(self.selectors.iter().map(|selector| selector.predicate.refresh_cause()));
        causes.extend(self.scalars.iter().filter_map(|scalar| scalar.predicate.refresh_cause()));
        let anchors_mirrored = self.selectors.iter().any(|selector| selector.mirrored)
            || self.scalars.iter().any(|scalar| scalar.mirrored);
        if anchors_mirrored || self.factors.iter().any(|factor| factor.mirrored) {
            causes.insert(RefreshCause::Mirror);
        }
        for factor in &self.factors {
            match &factor.predicate {
                Compiled::KingOffset(_) => drop(causes.insert(RefreshCause::OwnKing)),
                Compiled::Rows(rows) => rows.refresh_causes(causes),
                _ => {}
            }
        }
    }

    /// What makes each of its features true, if one atom alone does and no king
    /// has a say.
    pub fn atoms(&self) -> Option<HashMap<Atom, u32>> {
        if self.is_anchored() || self.factors.iter().any(|factor| factor.mirrored) {
            return None;
        }
        let placed = |(atom, feature)| (atom, self.offset + feature);
        Some(self.copy_atoms()?.map(placed).collect())
    }

    /// The same of a block that says where pieces stand.
    pub fn standing_atoms(&self) -> Option<HashMap<Atom, u32>> {
        match self.factors.as_slice() {
            [factor] if factor.predicate.is_of_standing() => self.atoms(),
            _ => None,
        }
    }

    /// What makes each feature of a copy true, if one atom alone does; counted
    /// from the beginning of the copy.
    pub fn copy_atoms(&self) -> Option<impl Iterator<Item = (Atom, u32)>> {
        let [factor] = self.factors.as_slice() else { return None };
        let stride = factor.stride;
        Some(factor.predicate.atoms()?.into_iter().map(move |(atom, tuple)| (atom, tuple * stride)))
    }

    /// Where the copies begin that one-hot factors select from.
    pub fn copies(&self) -> Vec<u32> {
        self.selectors.iter().fold(vec![self.offset], |starts, selector| {
            let tuples = selector.predicate.tuples();
            let of_start = |&start: &u32| {
                tuples.iter().map(move |tuple| start + tuple * selector.stride).collect::<Vec<_>>()
            };
            starts.iter().flat_map(of_start).collect()
        })
    }

    /// Goes on with a number that tells views apart between which the block
    /// is refreshed.
    #[inline]
    pub fn refresh_key(&self, view: View<'_>, key: u64) -> u64 {
        let key = match self.anchor(view) {
            _ if self.factors.is_empty() => return key,
            Some((offset, _)) if self.is_anchored() => mixed(key, u64::from(offset)),
            _ => key,
        };
        self.factors.iter().fold(key, |key, factor| {
            let turned = factor.view(view);
            let key = match factor.mirrored {
                true => mixed(key, turned.orientation().index() as u64),
                false => key,
            };
            match &factor.predicate {
                Compiled::KingOffset(_) => {
                    mixed(key, turned.own_king().map_or(64, |king| king as u64))
                }
                Compiled::Rows(rows) => rows.refresh_key(turned, key),
                _ => key,
            }
        })
    }

    /// Predicates of the factors that are neither one-hot nor scalars.
    pub fn factors(&self) -> impl ExactSizeIterator<Item = &Compiled> {
        self.factors.iter().map(|factor| &factor.predicate)
    }

    /// What one-hot factors and scalars depend on.
    pub fn anchor_causes(&self) -> Vec<RefreshCause> {
        let selectors = self.selectors.iter().map(|selector| selector.predicate.refresh_cause());
        let scalars = self.scalars.iter().filter_map(|scalar| scalar.predicate.refresh_cause());
        selectors.chain(scalars).collect()
    }

    /// The feature that a piece (not turned) switches on by itself, given the
    /// kings of the view, in a block of at most one factor that is a sum over
    /// pieces. A block of one-hot factors alone is the own king's.
    pub fn contribution(&self, view: View<'_>, square: Square, piece: Piece) -> Option<Feature> {
        let (offset, _) = self.anchor(view)?;
        let Some(factor) = self.factors.first() else {
            let own_king = view.perspective() == piece.color && piece.role == Role::King;
            return own_king.then_some(Feature(offset));
        };
        let view = factor.view(view);
        let (seen, kind) =
            (view.orientation().square(square), PieceKind::seen(piece, view.perspective()));
        let tuple = match &factor.predicate {
            Compiled::Marks(marks) => marks.tuple(seen, kind),
            Compiled::KingOffset(offset) => offset.tuple(view.own_king()?, seen, kind),
            _ => None,
        };
        tuple.map(|tuple| Feature(offset + tuple * factor.stride))
    }

    #[inline]
    fn is_anchored(&self) -> bool {
        !self.selectors.is_empty() || !self.scalars.is_empty()
    }

    /// Offset and value for the other factors; `None` if a one-hot factor has
    /// no active tuple, and with it the block.
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

    /// Sends the active features.
    #[inline(always)]
    pub fn active<S: Sink>(&self, view: View<'_>, sink: &mut S) {
        let Some((offset, value)) = self.anchor(view) else { return };
        match self.factors.as_slice() {
            [] => sink.push(offset, value),
            [factor] => {
                let mut placed = Placed { offset, stride: factor.stride, value, sink };
                factor.predicate.active(factor.view(view), &mut placed);
            }
            factors => {
                let lists: Vec<Tuples> =
                    factors.iter().map(|factor| active_tuples(factor, view)).collect();
                tuples((offset, value), factors, &lists.iter().collect::<Vec<_>>(), sink);
            }
        }
    }

    /// Sends what a move changes, unless the anchor of other factors moved or
    /// their view turned: then every row of the block does.
    #[inline(always)]
    pub fn delta<S: Sink>(&self, step: &ViewStep<'_>, removed: &mut S, added: &mut S) -> Update {
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

/// Another key for every other value, mostly.
#[inline]
fn mixed(key: u64, value: u64) -> u64 {
    key.wrapping_mul(0x0100_0000_01b3).wrapping_add(value)
}

fn active_tuples(factor: &Factor<Compiled>, view: View<'_>) -> Tuples {
    let mut tuples = Tuples::new();
    factor.predicate.active(factor.view(view), &mut tuples);
    tuples
}

#[inline(always)]
fn factor_delta<S: Sink>(
    (offset, value): (u32, f32),
    factor: &Factor<Compiled>,
    step: &ViewStep<'_>,
    removed: &mut S,
    added: &mut S,
) -> Update {
    let mut removed = Placed { offset, stride: factor.stride, value, sink: removed };
    let mut added = Placed { offset, stride: factor.stride, value, sink: added };
    if !factor.mirrored {
        return factor.predicate.delta(step, &mut removed, &mut added);
    }
    match step.mirrored() {
        Some(step) => factor.predicate.delta(&step, &mut removed, &mut added),
        None => Update::Refresh,
    }
}

/// What a factor of a product of several multi-active factors does in a move.
struct FactorChange {
    before: Tuples,
    after: Tuples,
    kept: Tuples,
    removed: Tuples,
    added: Tuples,
}

impl FactorChange {
    /// `None` if the factor is to be refreshed.
    fn new(factor: &Factor<Compiled>, step: &ViewStep<'_>) -> Option<Self> {
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

/// A tuple is lost when some element of it is. Each is counted once, at the
/// first element that is lost: those before it are kept, those after it are
/// any that were there. Likewise for tuples won.
fn many_delta<S: Sink>(
    anchor: (u32, f32),
    factors: &[Factor<Compiled>],
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
    factors: &[Factor<Compiled>],
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
