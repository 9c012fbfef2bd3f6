//! Accumulators that follow the search.
//!
//! A push only records the move; the sums are brought up to date when an
//! evaluation asks for them, from the nearest ancestor that has them. Many
//! nodes of a search are cut off before they are evaluated and cost nothing.

use std::sync::Arc;

use smallvec::SmallVec;

use super::net::{Accumulators, Net};
use super::simd;
use crate::chess::{Board, BoardChange, ByColor, Color, Position, Scene};
use crate::features::{Delta, Feature, Step, Update};

/// Rows of one side of an update that need no allocation.
const ROWS: usize = 64;

/// What keeping the accumulators up to date has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    /// Accumulators moved on by added and removed rows.
    pub updates: u64,
    /// Rows added or removed in those.
    pub rows: u64,
    /// Accumulators built from scratch.
    pub refreshes: u64,
    /// Rows added in those.
    pub refreshed_rows: u64,
}

/// One position on the way from the root.
#[derive(Clone, Debug)]
struct Entry {
    scene: Scene,
    /// What led here from the entry below.
    change: BoardChange,
    sums: ByColor<Vec<i16>>,
    computed: ByColor<bool>,
}

/// The accumulators of all positions from the root to the current node.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    net: Arc<Net>,
    entries: Vec<Entry>,
    /// Entries in use; those above are kept for their memory.
    height: usize,
    delta: Delta,
    active: Vec<Feature>,
    activated: Vec<i16>,
    counts: UpdateCounts,
}

impl AccumulatorStack {
    /// A stack at an empty board; [`reset`](Self::reset) it before use.
    pub fn new(net: Arc<Net>) -> Self {
        let activated = vec![0; 2 * net.width()];
        let mut stack = Self {
            net,
            entries: Vec::new(),
            height: 0,
            delta: Delta::default(),
            active: Vec::new(),
            activated,
            counts: UpdateCounts::default(),
        };
        stack.enter(Scene::of_board(Board::empty()), BoardChange::default());
        stack
    }

    /// The net it evaluates with.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// What has been spent since the stack was made.
    pub fn counts(&self) -> UpdateCounts {
        self.counts
    }

    /// Starts again at a root position.
    pub fn reset(&mut self, root: &Position) {
        self.height = 0;
        self.enter(Scene::from(root), BoardChange::default());
    }

    /// A move led from the current position to `after`.
    pub fn push(&mut self, change: BoardChange, after: &Position) {
        self.enter(Scene::from(after), change);
    }

    /// The turn passed to the side to move of `after`; no piece moved.
    pub fn push_null(&mut self, after: &Position) {
        self.enter(Scene::from(after), BoardChange::default());
    }

    /// Takes back the last push. The root stays.
    pub fn pop(&mut self) {
        self.height = (self.height - 1).max(1);
    }

    fn enter(&mut self, scene: Scene, change: BoardChange) {
        if let Some(entry) = self.entries.get_mut(self.height) {
            entry.scene = scene;
            entry.change = change;
            entry.computed = ByColor::default();
        } else {
            let width = self.net.width();
            self.entries.push(Entry {
                scene,
                change,
                sums: ByColor::new_with(|_| vec![0; width]),
                computed: ByColor::default(),
            });
        }
        self.height += 1;
    }

    /// Centipawns for `turn`, the side to move at the current position.
    pub fn evaluate(&mut self, turn: Color) -> i32 {
        for perspective in Color::ALL {
            self.bring_up_to_date(perspective);
        }
        let top = &self.entries[self.height - 1];
        let (stm, nstm) = (top.sums.get(turn), top.sums.get(!turn));
        let sums = Accumulators { stm, nstm, bucket: self.net.bucket(&top.scene) };
        debug_assert_eq!(
            self.net.propagate(sums, &mut self.activated.clone()),
            self.net.evaluate(&top.scene, turn),
            "incremental and refreshed accumulators differ"
        );
        self.net.propagate(sums, &mut self.activated)
    }

    fn bring_up_to_date(&mut self, perspective: Color) {
        let computed = (0..self.height).rev().find(|&i| *self.entries[i].computed.get(perspective));
        let Some(base) = computed else {
            return self.refresh(self.height - 1, perspective);
        };
        for at in base + 1..self.height {
            self.step(at, perspective);
        }
    }

    /// Computes entry `at` from the one below it.
    fn step(&mut self, at: usize, perspective: Color) {
        let (below, above) = self.entries.split_at_mut(at);
        let (from, to) = (&below[at - 1], &mut above[0]);
        let step = Step { before: &from.scene, after: &to.scene, change: &to.change };
        if self.net.features().delta(step, perspective, &mut self.delta) == Update::Refresh {
            return self.refresh(at, perspective);
        }
        let net = &*self.net;
        let rows = |features: &[Feature]| -> SmallVec<[&[i16]; ROWS]> {
            features.iter().map(|&feature| net.row(feature)).collect()
        };
        let (added, removed) = (rows(&self.delta.added), rows(&self.delta.removed));
        let sums = to.sums.get_mut(perspective);
        simd::update_rows(sums, from.sums.get(perspective), &added, &removed);
        *to.computed.get_mut(perspective) = true;
        self.counts.updates += 1;
        self.counts.rows += (added.len() + removed.len()) as u64;
    }

    fn refresh(&mut self, at: usize, perspective: Color) {
        let entry = &mut self.entries[at];
        self.net.refresh(
            &entry.scene,
            perspective,
            &mut self.active,
            entry.sums.get_mut(perspective),
        );
        *entry.computed.get_mut(perspective) = true;
        self.counts.refreshes += 1;
        self.counts.refreshed_rows += self.active.len() as u64;
    }
}
