//! The principal variation, collected from the leaves up.

use arrayvec::ArrayVec;

use chess::Move;

use super::super::value::MAX_PLY;

/// One line for each ply: the best found from there.
pub(super) struct PvTable(Vec<ArrayVec<Move, MAX_PLY>>);

impl PvTable {
    pub(super) fn new() -> Self {
        Self(vec![ArrayVec::new(); MAX_PLY + 2])
    }

    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// At `ply`, `m` and then the line of the next ply is best.
    pub(super) fn extend(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.0.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(m);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }

    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}
