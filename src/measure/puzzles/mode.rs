//! Limit of a player's move on a puzzle.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Solver;
use super::one_ply::OnePly;
use super::searching::Searching;
use engine::{Evaluator, Limits};

/// Limit of a player's move on a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolvingMode {
    /// No search: the evaluation after each legal move.
    OnePly,
    /// Fixed nodes. The same answers on every machine.
    Nodes(NonZeroU64),
    Time(Duration),
}

/// Transposition table of small searches, in MiB: they do not fill it, and clearing it is cheap.
const SMALL_HASH_MB: usize = 1;
const LARGE_HASH_MB: usize = 16;
/// Searches of more nodes get the large table.
const SMALL_SEARCH: u64 = 10_000;

impl SolvingMode {
    /// At fixed nodes; 0 is one ply.
    pub fn of_nodes(nodes: u64) -> Self {
        NonZeroU64::new(nodes).map_or(Self::OnePly, Self::Nodes)
    }

    /// Whether answers depend on the speed of the machine.
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Time(_))
    }

    /// A solver under this limit; `stop` ends its searches.
    pub fn solver<'s>(
        self,
        evaluator: Box<dyn Evaluator>,
        stop: &'s AtomicBool,
    ) -> Box<dyn Solver + Send + 's> {
        let (hash_mb, limits) = match self {
            Self::OnePly => return Box::new(OnePly(evaluator)),
            Self::Nodes(nodes) if nodes.get() <= SMALL_SEARCH => {
                (SMALL_HASH_MB, Limits::nodes(nodes.get()))
            }
            Self::Nodes(nodes) => (LARGE_HASH_MB, Limits::nodes(nodes.get())),
            Self::Time(time) => (LARGE_HASH_MB, Limits::movetime(time)),
        };
        Box::new(Searching::new(evaluator, hash_mb, limits, stop))
    }
}

/// `one ply`, `1000 nodes`, `100 ms`.
impl fmt::Display for SolvingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnePly => f.write_str("one ply"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
            Self::Time(time) => write!(f, "{} ms", time.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use engine::Material;

    #[test]
    fn every_mode_finds_a_mate_and_searches_announce_it() {
        let position = Position::from_fen("6k1/p4ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
        let stop = AtomicBool::new(false);
        for (mode, mate_in) in [
            (SolvingMode::of_nodes(0), None),
            (SolvingMode::of_nodes(500), Some(1)),
            (SolvingMode::Time(Duration::from_millis(20)), Some(1)),
        ] {
            let mut solver = mode.solver(Box::new(Material), &stop);
            solver.new_puzzle();
            let answer = solver.answer(&position, &[]).unwrap();
            assert_eq!(position.san(answer.played), "Rd8#", "{mode}");
            assert_eq!(answer.mate_in, mate_in, "{mode}");
        }
    }
}
