//! The principal variation, collected from the leaves up.

use arrayvec::ArrayVec;

use chess::Move;

use super::super::value::MAX_PLY;

/// One line for each ply: the best found from there.
pub struct PvTable(Vec<ArrayVec<Move, MAX_PLY>>);

impl PvTable {
    /// Empty lines.
    pub fn new() -> Self {
        Self(vec![ArrayVec::new(); MAX_PLY + 2])
    }

    /// Nothing is known at `ply` yet.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// At `ply`, `m` and then the line of the next ply is best.
    pub fn extend(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.0.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(m);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }

    /// The best line from `ply`.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}
