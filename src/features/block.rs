//! A product of compiled predicates at its place in the index order.
//!
//! Any expression of sums and products is a list of blocks: in `(A + B) * C`
//! the tuples of `A * C` lie at one place and those of `B * C` at another,
//! each with a stride per factor.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::expr::Expr;
use super::predicate::{Compiled, Indices, ViewStep};
use super::set::{Delta, Feature, Update};
use crate::chess::View;

/// One factor of a block and what one step of its index adds.
#[derive(Clone, Debug)]
struct Factor {
    predicate: Compiled,
    stride: u32,
}

/// Features that are the tuples of a product of predicates.
#[derive(Clone, Debug)]
pub struct Block {
    offset: u32,
    factors: Vec<Factor>,
}

impl Block {
    /// The blocks of an expression, in index order. Sizes must fit 32 bits.
    pub fn all_of(expr: &Expr) -> Vec<Block> {
        match expr {
            Expr::Predicate(predicate) => vec![Block {
                offset: 0,
                factors: vec![Factor { predicate: predicate.compile(), stride: 1 }],
            }],
            Expr::Sum(parts) => {
                let mut offset = 0;
                let mut blocks = Vec::new();
                for part in parts {
                    blocks.extend(Block::all_of(part).into_iter().map(|block| block.moved(offset)));
                    offset += part.size() as u32;
                }
                blocks
            }
            Expr::Product(parts) => {
                let unit = vec![Block { offset: 0, factors: Vec::new() }];
                parts.iter().fold(unit, |left, part| {
                    let right = Block::all_of(part);
                    let size = part.size() as u32;
                    left.iter().flat_map(|a| right.iter().map(move |b| a.times(b, size))).collect()
                })
            }
        }
    }

    fn moved(mut self, offset: u32) -> Self {
        self.offset += offset;
        self
    }

    /// The product with a block of a right factor that has `size` features.
    fn times(&self, right: &Block, size: u32) -> Self {
        let left = self.factors.iter().map(|factor| Factor {
            predicate: factor.predicate.clone(),
            stride: factor.stride * size,
        });
        Block {
            offset: self.offset * size + right.offset,
            factors: left.chain(right.factors.iter().cloned()).collect(),
        }
    }

    /// Appends the active features.
    #[inline]
    pub fn active(&self, view: &View, out: &mut Vec<Feature>) {
        if let [factor] = self.factors.as_slice() {
            let active = factor.predicate.active(view);
            out.extend(active.iter().map(|&i| Feature(self.offset + i * factor.stride)));
            return;
        }
        self.product_active(view, out);
    }

    fn product_active(&self, view: &View, out: &mut Vec<Feature>) {
        let mut offset = self.offset;
        let mut others: SmallVec<[&Factor; 4]> = SmallVec::new();
        for factor in &self.factors {
            match &factor.predicate {
                Compiled::King(king) => match king.active(view) {
                    Some(index) => offset += index * factor.stride,
                    None => return,
                },
                _ => others.push(factor),
            }
        }
        if let [factor] = others.as_slice() {
            let active = factor.predicate.active(view);
            out.extend(active.iter().map(|&i| Feature(offset + i * factor.stride)));
            return;
        }
        let lists: Vec<Indices> = others.iter().map(|f| f.predicate.active(view)).collect();
        tuples(offset, &others, &lists, out);
    }

    /// Appends what a move changes, unless a one-hot factor of a product
    /// changed: then every row of the block does.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, delta: &mut Delta) -> Update {
        let [factor] = self.factors.as_slice() else { return self.product_delta(step, delta) };
        self.factor_delta(self.offset, factor, step, delta);
        Update::Rows
    }

    fn factor_delta(&self, offset: u32, factor: &Factor, step: &ViewStep<'_>, delta: &mut Delta) {
        let (mut removed, mut added) = (Indices::new(), Indices::new());
        factor.predicate.delta(step, &mut removed, &mut added);
        let feature = |&i: &u32| Feature(offset + i * factor.stride);
        delta.removed.extend(removed.iter().map(feature));
        delta.added.extend(added.iter().map(feature));
    }

    /// One-hot factors that stay select a copy of the others, which then
    /// change within it.
    fn product_delta(&self, step: &ViewStep<'_>, delta: &mut Delta) -> Update {
        let mut offset = self.offset;
        let mut others: SmallVec<[&Factor; 4]> = SmallVec::new();
        let mut inactive = false;
        for factor in &self.factors {
            match &factor.predicate {
                Compiled::King(king) => match (king.before(step), king.after(step)) {
                    (before, after) if before != after => return Update::Refresh,
                    (Some(index), _) => offset += index * factor.stride,
                    (None, _) => inactive = true,
                },
                _ => others.push(factor),
            }
        }
        match others.as_slice() {
            _ if inactive => {}
            [] => {}
            [factor] => self.factor_delta(offset, factor, step, delta),
            factors => many_delta(offset, factors, step, delta),
        }
        Update::Rows
    }
}

/// What a factor of a product of several multi-active factors does in a move.
struct FactorChange {
    before: Indices,
    after: Indices,
    kept: Indices,
    removed: Indices,
    added: Indices,
}

impl FactorChange {
    fn new(predicate: &Compiled, step: &ViewStep<'_>) -> Self {
        let (mut removed, mut added) = (Indices::new(), Indices::new());
        predicate.delta(step, &mut removed, &mut added);
        let before = predicate.active(step.before());
        let after = predicate.active(step.after());
        let kept = before.iter().copied().filter(|i| !removed.contains(i)).collect();
        Self { before, after, kept, removed, added }
    }
}

/// A tuple is lost when some element of it is. Each is counted once, at the
/// first element that is lost: those before it are kept, those after it are
/// any that were there. Likewise for tuples won.
fn many_delta(offset: u32, factors: &[&Factor], step: &ViewStep<'_>, delta: &mut Delta) {
    let changes: Vec<FactorChange> =
        factors.iter().map(|factor| FactorChange::new(&factor.predicate, step)).collect();
    for first in 0..factors.len() {
        let lists = |at: fn(&FactorChange) -> &Indices, later: fn(&FactorChange) -> &Indices| {
            let list = |(i, change): (usize, &'_ FactorChange)| -> Indices {
                match i.cmp(&first) {
                    Ordering::Less => change.kept.clone(),
                    Ordering::Equal => at(change).clone(),
                    Ordering::Greater => later(change).clone(),
                }
            };
            changes.iter().enumerate().map(list).collect::<Vec<_>>()
        };
        tuples(offset, factors, &lists(|c| &c.removed, |c| &c.before), &mut delta.removed);
        tuples(offset, factors, &lists(|c| &c.added, |c| &c.after), &mut delta.added);
    }
}

/// Appends every tuple that takes one element of each list.
fn tuples(offset: u32, factors: &[&Factor], lists: &[Indices], out: &mut Vec<Feature>) {
    let start = out.len();
    out.push(Feature(offset));
    for (factor, list) in factors.iter().zip(lists) {
        let partial: Vec<Feature> = out.drain(start..).collect();
        for Feature(sum) in partial {
            out.extend(list.iter().map(|&i| Feature(sum + i * factor.stride)));
        }
    }
}
