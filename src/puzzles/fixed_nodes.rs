//! A search at fixed nodes as a solver of puzzles.

use std::sync::atomic::AtomicBool;

use super::Solver;
use crate::chess::{Key, Move, Position};
use crate::engine::{Evaluator, Limits, Searcher, Techniques};

/// Table of a solver in MiB; it is cleared for every puzzle, so a small one.
const HASH_MB: usize = 1;

/// Searches each position with exactly so many nodes.
pub struct FixedNodes<'s> {
    searcher: Searcher,
    limits: Limits,
    stop: &'s AtomicBool,
}

impl<'s> FixedNodes<'s> {
    /// A solver that spends `nodes` on each move.
    pub fn new(evaluator: Box<dyn Evaluator>, nodes: u64, stop: &'s AtomicBool) -> Self {
        let searcher = Searcher::new(evaluator, HASH_MB).with_techniques(Techniques::JUDGING);
        Self { searcher, limits: Limits::nodes(nodes), stop }
    }
}

impl Solver for FixedNodes<'_> {
    fn new_puzzle(&mut self) {
        self.searcher.new_game();
    }

    fn choose(&mut self, position: &Position, history: &[Key]) -> Option<Move> {
        self.searcher.search(position, history, &self.limits, self.stop, &mut |_| {}).best
    }
}
