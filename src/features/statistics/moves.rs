//! How many rows moves change.

use std::ops::AddAssign;
use std::sync::Arc;

use crate::{Delta, FeatureSet, Sink, Step, Update};
use chess::Color;

/// Sums over moves, of one perspective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveSums {
    /// Moves.
    pub moves: u64,
    /// Those that were a refresh.
    pub refreshes: u64,
    /// Rows added by the others.
    pub added: u64,
    /// Rows removed by the others.
    pub removed: u64,
    /// Active features after the move, over all moves.
    pub active: u64,
}

impl MoveSums {
    fn per_update(&self, rows: u64) -> f64 {
        rows as f64 / (self.moves - self.refreshes).max(1) as f64
    }

    /// Mean rows added by a move that is no refresh; 0 if there is none.
    pub fn mean_added(&self) -> f64 {
        self.per_update(self.added)
    }

    /// Mean rows removed by a move that is no refresh; 0 if there is none.
    pub fn mean_removed(&self) -> f64 {
        self.per_update(self.removed)
    }

    /// Mean rows changed by a move that is no refresh; 0 if there is none.
    pub fn mean_rows(&self) -> f64 {
        self.per_update(self.added + self.removed)
    }

    /// Share of the moves that are a refresh, 0 to 1.
    pub fn refresh_share(&self) -> f64 {
        self.refreshes as f64 / self.moves.max(1) as f64
    }

    /// Mean active features after a move: the rows of a refresh there.
    pub fn mean_active(&self) -> f64 {
        self.active as f64 / self.moves.max(1) as f64
    }

    /// A whole set is refreshed when any of its summands is, and otherwise has the rows of all.
    fn whole<'a>(of_one_move: impl Iterator<Item = &'a MoveSums>) -> Self {
        let mut whole = MoveSums { moves: 1, ..Self::default() };
        for part in of_one_move {
            whole += MoveSums { moves: 0, ..*part };
        }
        if whole.refreshes > 0 {
            whole = MoveSums { refreshes: 1, added: 0, removed: 0, ..whole };
        }
        whole
    }
}

impl AddAssign for MoveSums {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.refreshes += other.refreshes;
        self.added += other.added;
        self.removed += other.removed;
        self.active += other.active;
    }
}

/// The sums of both perspectives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seats {
    /// Seen by the side that moves.
    pub mover: MoveSums,
    /// Seen by the side that does not.
    pub other: MoveSums,
}

impl Seats {
    /// Both together: every move counts twice.
    pub fn both(&self) -> MoveSums {
        let mut both = self.mover;
        both += self.other;
        both
    }

    fn of(&mut self, is_mover: bool) -> &mut MoveSums {
        if is_mover { &mut self.mover } else { &mut self.other }
    }
}

/// Rows that moves change, per summand and for the whole set.
#[derive(Clone, Debug)]
pub struct MoveCounts {
    features: Arc<FeatureSet>,
    parts: Vec<Seats>,
    whole: Seats,
    delta: Delta,
    of_one_move: Vec<MoveSums>,
}

/// Counts features alone.
struct Number(u64);

impl Sink for Number {
    fn push(&mut self, _index: u32, _value: f32) {
        self.0 += 1;
    }
}

impl MoveCounts {
    /// Nothing counted yet.
    pub fn new(features: Arc<FeatureSet>) -> Self {
        let parts = vec![Seats::default(); features.summands().len()];
        Self {
            features,
            parts,
            whole: Seats::default(),
            delta: Delta::default(),
            of_one_move: Vec::new(),
        }
    }

    /// Counts a move of `mover`, from both perspectives.
    pub fn record(&mut self, step: Step<'_>, mover: Color) {
        for perspective in Color::ALL {
            let is_mover = perspective == mover;
            self.of_one_move.clear();
            for part in self.features.parts() {
                let mut sums = MoveSums { moves: 1, ..MoveSums::default() };
                match part.delta(step, perspective, &mut self.delta) {
                    Update::Refresh => sums.refreshes = 1,
                    Update::Rows => {
                        sums.added = self.delta.added.len() as u64;
                        sums.removed = self.delta.removed.len() as u64;
                    }
                }
                let mut active = Number(0);
                part.active(step.after, perspective, &mut active);
                sums.active = active.0;
                self.of_one_move.push(sums);
            }
            for (part, &sums) in self.parts.iter_mut().zip(&self.of_one_move) {
                *part.of(is_mover) += sums;
            }
            *self.whole.of(is_mover) += MoveSums::whole(self.of_one_move.iter());
        }
    }

    /// Adds the counts of another counter of the same set.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.features.canonical(), other.features.canonical());
        let sums = self.parts.iter_mut().chain([&mut self.whole]);
        for (sum, more) in sums.zip(other.parts.iter().chain([&other.whole])) {
            sum.mover += more.mover;
            sum.other += more.other;
        }
    }

    /// Moves counted.
    pub fn moves(&self) -> u64 {
        self.whole.mover.moves
    }

    /// The sums of each summand.
    pub fn parts(&self) -> &[Seats] {
        &self.parts
    }

    /// The sums of the whole set, which is refreshed when any summand is.
    pub fn whole(&self) -> Seats {
        self.whole
    }
}
