//! The puzzles of one kind with the lowest lots so far.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::puzzles::Puzzle;

/// A puzzle's place in the draw: lower is taken first. Wide enough that no two
/// puzzles share one.
pub(super) type Lot = u128;

#[derive(Clone, Debug)]
pub(super) struct SampledPuzzle {
    /// Its place in the file.
    pub row: u64,
    pub puzzle: Puzzle,
}

/// Keeps the candidates with the lowest lots; strata share candidates.
#[derive(Debug)]
pub(super) struct Reservoir {
    capacity: usize,
    kept: BTreeMap<Lot, Rc<SampledPuzzle>>,
}

impl Reservoir {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, kept: BTreeMap::new() }
    }

    /// Whether the reservoir keeps a candidate with this lot for now. An equal lot is the same
    /// puzzle again, which it does not keep.
    pub(super) fn wants(&self, lot: Lot) -> bool {
        let has_room = self.kept.len() < self.capacity;
        let is_lower = self.kept.last_key_value().is_some_and(|(&highest, _)| lot < highest);
        (has_room || is_lower) && !self.kept.contains_key(&lot)
    }

    /// Keeps a wanted candidate, in place of the one with the highest lot if full.
    pub(super) fn keep(&mut self, lot: Lot, candidate: Rc<SampledPuzzle>) {
        self.kept.insert(lot, candidate);
        if self.kept.len() > self.capacity {
            self.kept.pop_last();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Kept candidates, lowest lot first.
    pub(crate) fn into_kept(self) -> impl Iterator<Item = Rc<SampledPuzzle>> {
        self.kept.into_values()
    }
}
