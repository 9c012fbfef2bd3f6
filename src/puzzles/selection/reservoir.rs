//! The puzzles of one kind with the lowest lots so far.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::Puzzle;

/// A puzzle's place in the draw: lower is taken first. Wide enough that no two
/// puzzles share one.
pub type Lot = u128;

/// A puzzle that may be selected.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place in the file.
    pub row: u64,
    /// What it is.
    pub puzzle: Puzzle,
}

/// Keeps a fixed number of candidates, which kinds share.
#[derive(Debug)]
pub struct Reservoir {
    capacity: usize,
    kept: BTreeMap<Lot, Rc<Candidate>>,
}

impl Reservoir {
    /// An empty one for `capacity` candidates.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, kept: BTreeMap::new() }
    }

    /// Whether a candidate with this lot would be kept for now. The same lot
    /// again is the same puzzle again, and is not.
    pub fn wants(&self, lot: Lot) -> bool {
        let has_room = self.kept.len() < self.capacity;
        let is_lower = self.kept.last_key_value().is_some_and(|(&highest, _)| lot < highest);
        (has_room || is_lower) && !self.kept.contains_key(&lot)
    }

    /// Keeps a wanted candidate; the one with the highest lot makes room.
    pub fn keep(&mut self, lot: Lot, candidate: Rc<Candidate>) {
        self.kept.insert(lot, candidate);
        if self.kept.len() > self.capacity {
            self.kept.pop_last();
        }
    }

    /// How many are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// What was kept, lowest lot first.
    pub fn into_kept(self) -> impl Iterator<Item = Rc<Candidate>> {
        self.kept.into_values()
    }
}
