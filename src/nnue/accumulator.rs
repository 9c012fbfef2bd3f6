//! Accumulators that follow the search.
//!
//! Updates are lazy: a push only records the move, and an evaluation updates the sums from the
//! nearest ancestor that has them. Many nodes of a search are cut off before their evaluation and
//! cost nothing. Sums on the way are kept: the siblings of the node will start there.

mod refresh_cache;

use std::sync::Arc;

use super::aligned::Aligned;
use super::forward::Forward;
use super::net::{Accumulators, Net};
use super::rows::RowUpdate;
use super::simd::Dispatch;
use super::valued::Numbers;
use chess::{Board, BoardChange, ByColor, Color, Position, Scene};
use features::{Delta, Feature, PerspectiveMap, Step, Update};
use refresh_cache::RefreshCache;

/// Work done by the accumulators and the layers above them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateCounts {
    /// Accumulators updated incrementally from an ancestor.
    pub updates: u64,
    /// Rows added or removed in those.
    pub rows: u64,
    /// Accumulators refreshed.
    pub refreshes: u64,
    /// Rows added or removed in those.
    pub refreshed_rows: u64,
    /// Evaluations.
    pub evaluations: u64,
    /// Blocks of four inputs of the lowest dense layer that were not all zero in those; 0
    /// where it is the output.
    pub active_blocks: u64,
}

/// One position on the way from the root.
#[derive(Clone, Debug)]
struct Ply {
    scene: Scene,
    /// The change made by the move that led here.
    change: BoardChange,
    /// Perspectives whose sums are up to date.
    computed: ByColor<bool>,
}

/// The accumulators of all positions from the root to the current node.
#[derive(Clone, Debug)]
pub struct AccumulatorStack {
    net: Arc<Net>,
    dispatch: Dispatch,
    forward: Forward,
    plies: Vec<Ply>,
    /// `[plies][perspective][columns]`
    sums: Aligned,
    /// Plies in use; those above are kept for their memory.
    height: usize,
    caches: ByColor<RefreshCache>,
    /// Black's rows from White's, if the set has such a map.
    perspectives: Option<PerspectiveMap>,
    delta: Delta,
    active: Vec<Feature>,
    /// Multipliers of the partial sums of a valued set.
    numbers: ByColor<Numbers>,
    counts: UpdateCounts,
}

impl AccumulatorStack {
    /// A stack at an empty board, with the best instructions that the machine
    /// has; [`reset`](Self::reset) it before use.
    pub fn new(net: Arc<Net>) -> Self {
        Self::with(net, Dispatch::best())
    }

    /// The same with chosen instructions. Evaluations do not depend on them.
    pub fn with(net: Arc<Net>, dispatch: Dispatch) -> Self {
        let features = net.carrier().clone();
        let cache = RefreshCache::new(features.size());
        let mut stack = Self {
            forward: Forward::new(&net, dispatch),
            net,
            dispatch,
            plies: Vec::new(),
            sums: Aligned::default(),
            height: 0,
            caches: ByColor { black: cache.clone(), white: cache },
            perspectives: PerspectiveMap::of(&features),
            delta: Delta::default(),
            active: Vec::new(),
            numbers: ByColor::default(),
            counts: UpdateCounts::default(),
        };
        stack.height = 1;
        stack.grow(Scene::of_board(Board::empty()));
        stack
    }

    /// The net of the accumulators.
    pub fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Work done since the stack was made.
    pub fn counts(&self) -> UpdateCounts {
        self.counts
    }

    /// Restarts at a root position.
    pub fn reset(&mut self, root: &Position) {
        self.height = 0;
        self.push(BoardChange::default(), root);
    }

    /// Appends the move to `after`.
    #[inline]
    pub fn push(&mut self, change: BoardChange, after: &Position) {
        match self.plies.get_mut(self.height) {
            Some(ply) => ply.scene.set(after),
            None => self.grow(Scene::from(after)),
        }
        let ply = &mut self.plies[self.height];
        ply.change = change;
        ply.computed = ByColor::default();
        self.height += 1;
    }

    /// Appends a null move; `after` has the other side to move.
    pub fn push_null(&mut self, after: &Position) {
        self.push(BoardChange::default(), after);
    }

    /// Removes the last push. The root stays.
    #[inline]
    pub fn pop(&mut self) {
        self.height = (self.height - 1).max(1);
    }

    /// Makes room for one ply more.
    #[cold]
    fn grow(&mut self, scene: Scene) {
        let (change, computed) = (BoardChange::default(), ByColor::default());
        self.plies.push(Ply { scene, change, computed });
        self.sums.grow(self.plies.len() * 2 * self.net.columns());
    }

    /// Centipawns for `turn`, the side to move at the current position.
    pub fn evaluate(&mut self, turn: Color) -> i32 {
        match self.perspectives {
            Some(_) => self.bring_both_up_to_date(),
            None => Color::ALL.iter().for_each(|&side| self.bring_up_to_date(side)),
        }
        self.find_numbers();
        let (top, width) = (self.height - 1, self.net.columns());
        let of = |perspective| &self.sums[place(top, perspective, width)..][..width];
        let scene = &self.plies[top].scene;
        let sums = Accumulators {
            stm: of(turn),
            nstm: of(!turn),
            bucket: self.net.bucket(scene, turn),
            numbers: [turn, !turn].map(|side| self.numbers.get(side).as_slice()),
        };
        let centipawns = self.forward.evaluate(sums);
        debug_assert_eq!(
            centipawns,
            self.net.evaluate(scene, turn),
            "incremental and refreshed evaluations differ"
        );
        self.counts.evaluations += 1;
        self.counts.active_blocks += self.forward.active_blocks() as u64;
        centipawns
    }

    /// Computes the multipliers of a valued set in the current position.
    #[inline]
    fn find_numbers(&mut self) {
        let Some(valued) = &self.net.valued else { return };
        let scene = &self.plies[self.height - 1].scene;
        for side in Color::ALL {
            valued.find(self.numbers.get_mut(side), scene, side);
        }
    }

    #[inline]
    fn bring_up_to_date(&mut self, perspective: Color) {
        match self.nearest(perspective) {
            Some(base) => {
                (base + 1..self.height).for_each(|at| match self.follow(at, perspective) {
                    Update::Rows => self.update(at, perspective),
                    Update::Refresh => self.refresh(at, perspective),
                })
            }
            None => self.refresh(self.height - 1, perspective),
        }
    }

    /// Updates both perspectives of a set with a perspective map. They are always computed
    /// together, and such a set never needs a refresh.
    #[inline]
    fn bring_both_up_to_date(&mut self) {
        let Some(base) = self.nearest(Color::White) else {
            return Color::ALL.iter().for_each(|&side| self.refresh(self.height - 1, side));
        };
        for at in base + 1..self.height {
            self.follow(at, Color::White);
            self.update(at, Color::White);
            let Some(map) = &self.perspectives else { continue };
            for features in [&mut self.delta.added, &mut self.delta.removed] {
                features.iter_mut().for_each(|feature| *feature = map.black(*feature));
            }
            self.update(at, Color::Black);
        }
    }

    /// The nearest ply, from the top down, whose sums are up to date.
    #[inline]
    fn nearest(&self, perspective: Color) -> Option<usize> {
        let plies = &self.plies[..self.height];
        plies.iter().rposition(|ply| *ply.computed.get(perspective))
    }

    /// Writes the rows that change from the ply below to this one into `delta`.
    #[inline]
    fn follow(&mut self, at: usize, perspective: Color) -> Update {
        let (before, after) = (&self.plies[at - 1], &self.plies[at]);
        let step = Step { before: &before.scene, after: &after.scene, change: &after.change };
        self.net.carrier().fused_delta(step, perspective, &mut self.delta)
    }

    /// Computes the sums of a ply from those of the one below it and the rows
    /// in `delta`.
    #[inline]
    fn update(&mut self, at: usize, perspective: Color) {
        let (delta, width) = (&self.delta, self.net.columns());
        let (below, above) = self.sums.split_at_mut(place(at, perspective, width));
        self.dispatch.run(RowUpdate {
            out: &mut above[..width],
            from: Some(&below[place(at - 1, perspective, width)..][..width]),
            weights: self.net.rows(),
            added: &delta.added,
            removed: &delta.removed,
        });
        *self.plies[at].computed.get_mut(perspective) = true;
        self.counts.updates += 1;
        self.counts.rows += (delta.added.len() + delta.removed.len()) as u64;
    }

    /// Computes the sums of a ply from a position with the same anchors.
    fn refresh(&mut self, at: usize, perspective: Color) {
        let (features, width) = (self.net.carrier(), self.net.columns());
        let scene = &self.plies[at].scene;
        self.active.clear();
        features.active(scene, perspective, &mut self.active);
        let key = features.refresh_key(scene, perspective);
        let out = &mut self.sums[place(at, perspective, width)..][..width];
        let cache = self.caches.get_mut(perspective);
        let rows = cache.refresh(&self.net, self.dispatch, key, &self.active, out);
        *self.plies[at].computed.get_mut(perspective) = true;
        self.counts.refreshes += 1;
        self.counts.refreshed_rows += rows as u64;
    }
}

/// Offset of the sums of a ply and a perspective.
#[inline]
fn place(ply: usize, perspective: Color, width: usize) -> usize {
    (2 * ply + usize::from(perspective.is_white())) * width
}

#[cfg(test)]
mod tests;
