//! A product of compiled predicates at its place in the index order.
//!
//! Any expression of sums and products is a list of blocks: in `(A + B) * C`
//! the tuples of `A * C` lie at one place and those of `B * C` at another,
//! each with a stride per factor.

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

/// What a factor does in a move.
struct FactorChange {
    before: Indices,
    after: Indices,
    kept: Indices,
    removed: Indices,
    added: Indices,
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
        let lists: Vec<Indices> = self.factors.iter().map(|f| f.predicate.active(view)).collect();
        self.tuples(&lists.iter().collect::<Vec<_>>(), out);
    }

    /// Appends what a move changes, unless a one-hot factor of a product
    /// changed: then every row of the block does.
    #[inline]
    pub fn delta(&self, step: &ViewStep<'_>, delta: &mut Delta) -> Update {
        match self.factors.as_slice() {
            [factor] => {
                let (mut removed, mut added) = (Indices::new(), Indices::new());
                factor.predicate.delta(step, &mut removed, &mut added);
                let feature = |&i: &u32| Feature(self.offset + i * factor.stride);
                delta.removed.extend(removed.iter().map(feature));
                delta.added.extend(added.iter().map(feature));
                Update::Rows
            }
            _ => self.product_delta(step, delta),
        }
    }

    fn product_delta(&self, step: &ViewStep<'_>, delta: &mut Delta) -> Update {
        let mut changes = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            let (mut removed, mut added) = (Indices::new(), Indices::new());
            factor.predicate.delta(step, &mut removed, &mut added);
            let changed = !(removed.is_empty() && added.is_empty());
            if changed && factor.predicate.is_one_hot() {
                return Update::Refresh;
            }
            changes.push((removed, added));
        }
        if changes.iter().all(|(removed, added)| removed.is_empty() && added.is_empty()) {
            return Update::Rows;
        }
        let changes: Vec<FactorChange> = self
            .factors
            .iter()
            .zip(changes)
            .map(|(factor, (removed, added))| {
                FactorChange::new(&factor.predicate, step, removed, added)
            })
            .collect();

        // A tuple is lost when some element of it is: count it at the first
        // such factor, with kept elements before it and any old ones after.
        for i in 0..changes.len() {
            let lost = |j: usize, c: &'_ FactorChange| match j.cmp(&i) {
                std::cmp::Ordering::Less => c.kept.clone(),
                std::cmp::Ordering::Equal => c.removed.clone(),
                std::cmp::Ordering::Greater => c.before.clone(),
            };
            let lists: Vec<Indices> = changes.iter().enumerate().map(|(j, c)| lost(j, c)).collect();
            self.tuples(&lists.iter().collect::<Vec<_>>(), &mut delta.removed);
            let won = |j: usize, c: &'_ FactorChange| match j.cmp(&i) {
                std::cmp::Ordering::Less => c.kept.clone(),
                std::cmp::Ordering::Equal => c.added.clone(),
                std::cmp::Ordering::Greater => c.after.clone(),
            };
            let lists: Vec<Indices> = changes.iter().enumerate().map(|(j, c)| won(j, c)).collect();
            self.tuples(&lists.iter().collect::<Vec<_>>(), &mut delta.added);
        }
        Update::Rows
    }

    /// Appends every tuple that takes one element of each list.
    fn tuples(&self, lists: &[&Indices], out: &mut Vec<Feature>) {
        if lists.iter().any(|list| list.is_empty()) {
            return;
        }
        let start = out.len();
        out.push(Feature(self.offset));
        for (factor, list) in self.factors.iter().zip(lists) {
            let partial: Vec<Feature> = out.drain(start..).collect();
            for Feature(sum) in partial {
                out.extend(list.iter().map(|&i| Feature(sum + i * factor.stride)));
            }
        }
    }
}

impl FactorChange {
    fn new(predicate: &Compiled, step: &ViewStep<'_>, removed: Indices, added: Indices) -> Self {
        let before = predicate.active(step.before());
        let after = predicate.active(step.after());
        let kept = before.iter().copied().filter(|i| !removed.contains(i)).collect();
        Self { before, after, kept, removed, added }
    }
}
