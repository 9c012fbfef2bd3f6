//! Refresh causes of blocks.

use std::collections::BTreeSet;

use super::Block;
use crate::predicate::ViewStep;
use crate::refresh::RefreshCause;
use chess::View;

impl Block {
    /// Adds the refresh causes of the block. A block of one-hot factors alone has at most one
    /// active feature and is never refreshed.
    pub(crate) fn refresh_causes(&self, causes: &mut BTreeSet<RefreshCause>) {
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
            match factor.predicate.blocks() {
                Some(blocks) => blocks.iter().for_each(|block| block.refresh_causes(causes)),
                None => causes.extend(factor.predicate.refreshed_by()),
            }
        }
    }

    /// Adds the causes of a refresh in this move.
    pub(crate) fn refreshed_by(&self, step: &ViewStep<'_>, causes: &mut BTreeSet<RefreshCause>) {
        if self.factors.is_empty() {
            return;
        }
        let (before, after) = (step.before(), step.after());
        let anchors = (self.anchor(before), self.anchor(after));
        if anchors == (None, None) {
            return;
        }
        let moved = anchors.0 != anchors.1;
        for selector in self.selectors.iter().filter(|_| moved) {
            let value = |view| selector.predicate.value(selector.view(view));
            if value(before) != value(after) {
                causes.insert(selector.predicate.refresh_cause());
            }
        }
        for scalar in self.scalars.iter().filter(|_| moved) {
            let value = |view| scalar.predicate.value(scalar.view(view));
            if value(before) != value(after) {
                causes.extend(scalar.predicate.refresh_cause());
            }
        }
        for factor in &self.factors {
            if factor.mirrored && step.mirrored().is_none() {
                causes.insert(RefreshCause::Mirror);
            }
            match factor.predicate.blocks() {
                Some(blocks) => blocks.iter().for_each(|block| block.refreshed_by(step, causes)),
                None => {
                    let differs = |cause: &RefreshCause| cause.state(before) != cause.state(after);
                    causes.extend(factor.predicate.refreshed_by().filter(differs));
                }
            }
        }
    }

    /// Mixes into `key` a number that differs between views with a refresh of the block between
    /// them.
    #[inline]
    pub(crate) fn refresh_key(&self, view: View<'_>, key: u64) -> u64 {
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
            match (factor.predicate.blocks(), factor.predicate.refreshed_by()) {
                (Some(blocks), _) => key_of_all(blocks, turned, key),
                (None, Some(cause)) => mixed(key, cause.state(turned) as u64),
                (None, None) => key,
            }
        })
    }
}

// A function of its own, so that blocks without inner blocks are inlined.
#[inline(never)]
fn key_of_all(blocks: &[Block], view: View<'_>, key: u64) -> u64 {
    blocks.iter().fold(key, |key, block| block.refresh_key(view, key))
}

/// Another key for every other value, mostly.
#[inline]
fn mixed(key: u64, value: u64) -> u64 {
    key.wrapping_mul(0x0100_0000_01b3).wrapping_add(value)
}
