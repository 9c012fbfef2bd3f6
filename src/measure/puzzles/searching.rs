//! A search as a solver of puzzles.

use std::sync::atomic::AtomicBool;

use super::{Solver, SuiteAnswer};
use chess::{Move, Position, PositionKey};
use data::Score;
use engine::{Evaluator, Limits, Searcher, Techniques};

/// Searches every position under the same limits, without techniques that hide errors of the
/// evaluation ([`Techniques::JUDGING`]).
pub(crate) struct Searching<'s> {
    searcher: Searcher,
    limits: Limits,
    stop: &'s AtomicBool,
}

impl<'s> Searching<'s> {
    /// A solver with `hash_mb` MiB of table, which is cleared for every puzzle.
    pub(crate) fn new(
        evaluator: Box<dyn Evaluator>,
        hash_mb: usize,
        limits: Limits,
        stop: &'s AtomicBool,
    ) -> Self {
        let searcher = Searcher::new(evaluator, hash_mb).with_techniques(Techniques::JUDGING);
        Self { searcher, limits, stop }
    }
}

impl Solver for Searching<'_> {
    fn new_puzzle(&mut self) {
        self.searcher.new_game();
    }

    fn choose(&mut self, position: &Position, history: &[PositionKey]) -> Option<Move> {
        self.answer(position, history).map(|answer| answer.played)
    }

    fn answer(&mut self, position: &Position, history: &[PositionKey]) -> Option<SuiteAnswer> {
        let found = self.searcher.search(position, history, &self.limits, self.stop, &mut |_| {});
        let mate_in = match found.score {
            Score::Mate(moves) => u32::try_from(moves).ok().filter(|&moves| moves > 0),
            Score::Centipawns(_) => None,
        };
        Some(SuiteAnswer { played: found.best?, mate_in })
    }
}
