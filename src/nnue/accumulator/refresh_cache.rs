//! Accumulators of earlier positions to refresh from.
//!
//! When a king moves to another bucket every row of a king-relative block changes, but not against
//! the position in which the king last stood there: that one shares most of its pieces. So each
//! recent value of a set's one-hot factors keeps an accumulator with the list of its active
//! features, and a refresh adds and subtracts the difference of two lists. Engines know this as a
//! Finny table, keyed by king bucket. Comparing lists makes it work for any feature set and correct
//! for any key: a key shared by two values only makes the difference longer.

use crate::aligned::Aligned;
use crate::net::Net;
use crate::rows::RowUpdate;
use crate::simd::Dispatch;
use features::Feature;

/// Most accumulators kept for a perspective; a power of two.
const PLACES: usize = 256;

/// The accumulators of one perspective.
#[derive(Clone, Debug)]
pub(super) struct RefreshCache {
    /// Slot of each hashed key; slots are made on first use.
    slot_of: [Option<u16>; PLACES],
    active: Vec<Vec<Feature>>,
    /// `[slots][columns]`
    sums: Aligned,
    difference: Difference,
}

impl RefreshCache {
    pub(super) fn new(features: usize) -> Self {
        Self {
            slot_of: [None; PLACES],
            active: Vec::new(),
            sums: Aligned::default(),
            difference: Difference::new(features),
        }
    }

    /// Writes the accumulator of a position with the features `active` into `out`, starting from
    /// the earlier position with the same `key`. Returns the number of rows added or removed.
    pub(super) fn refresh(
        &mut self,
        net: &Net,
        dispatch: Dispatch,
        key: u64,
        active: &[Feature],
        out: &mut [i16],
    ) -> usize {
        let width = net.columns();
        let slot = self.slot(net, key);
        let sums = &mut self.sums[slot * width..][..width];
        let difference = &mut self.difference;
        difference.find(&self.active[slot], active);
        let is_far = difference.rows() > active.len();
        let (from, added, removed) = match is_far {
            true => (Some(net.bias()), active, &[][..]),
            false => (None, &*difference.added, &*difference.removed),
        };
        dispatch.run(RowUpdate { out: sums, from, weights: net.rows(), added, removed });
        out.copy_from_slice(sums);
        self.active[slot].clear();
        self.active[slot].extend_from_slice(active);
        added.len() + removed.len()
    }

    /// The slot of a key; a new one is that of a position without features.
    fn slot(&mut self, net: &Net, key: u64) -> usize {
        // Fibonacci hashing: keys that follow each other are spread evenly.
        let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.ilog2());
        let slot = self.slot_of[place as usize].get_or_insert_with(|| {
            let slot = self.active.len();
            self.active.push(Vec::new());
            self.sums.grow((slot + 1) * net.columns());
            self.sums[slot * net.columns()..].copy_from_slice(net.bias());
            slot as u16
        });
        usize::from(*slot)
    }
}

/// The difference of two lists of features.
#[derive(Clone, Debug)]
struct Difference {
    /// Features of the first list that the second has not shown yet; all false between two
    /// comparisons.
    is_left: Vec<bool>,
    added: Vec<Feature>,
    removed: Vec<Feature>,
}

impl Difference {
    fn new(features: usize) -> Self {
        Self { is_left: vec![false; features], added: Vec::new(), removed: Vec::new() }
    }

    fn rows(&self) -> usize {
        self.added.len() + self.removed.len()
    }

    /// Compares two lists without duplicates.
    fn find(&mut self, before: &[Feature], after: &[Feature]) {
        let Self { is_left, added, removed } = self;
        before.iter().for_each(|feature| is_left[feature.0 as usize] = true);
        let mut take = |feature: &Feature| std::mem::take(&mut is_left[feature.0 as usize]);
        added.clear();
        added.extend(after.iter().filter(|feature| !take(feature)));
        removed.clear();
        removed.extend(before.iter().filter(|feature| take(feature)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn differences_are_those_of_sets(
            lists in prop::collection::vec(prop::collection::btree_set(0u32..50, 0..30), 2..6)
        ) {
            let list = |set: &BTreeSet<u32>| set.iter().copied().map(Feature).collect::<Vec<_>>();
            let mut difference = Difference::new(50);
            for pair in lists.windows(2) {
                difference.find(&list(&pair[0]), &list(&pair[1]));
                let only = |a: &BTreeSet<u32>, b: &BTreeSet<u32>| list(&(a - b));
                prop_assert_eq!(&difference.removed, &only(&pair[0], &pair[1]));
                prop_assert_eq!(&difference.added, &only(&pair[1], &pair[0]));
            }
        }
    }
}
