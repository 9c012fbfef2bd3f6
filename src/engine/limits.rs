//! Limits of a search.

use std::time::{Duration, Instant};

use chess::Move;

/// Limits of a search; `None` is unlimited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Positions visited below the root; exact.
    pub nodes: Option<u64>,
    /// Positions after which no new iteration begins; the running one is finished.
    pub soft_nodes: Option<u64>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Stop when a mate in at most this number of moves is found.
    pub mate: Option<u32>,
    /// Report nothing as final before a stop (UCI `go infinite`).
    pub infinite: bool,
    /// Only these moves are considered at the root; empty for all.
    pub root_moves: Vec<Move>,
    /// These moves are not considered at the root.
    pub excluded_root_moves: Vec<Move>,
    /// Number of best moves to find, each with its line; 0 counts as 1.
    pub lines: usize,
    /// Time kept back for delays outside the search.
    pub overhead: Duration,
    /// Start of the clock; that of the search if `None`.
    pub begun: Option<Instant>,
}

/// A chess clock, from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Limits {
    /// An exact number of positions.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Whole iterations until this number of positions is passed.
    pub fn soft_nodes(nodes: u64) -> Self {
        Self { soft_nodes: Some(nodes), ..Self::default() }
    }

    /// A depth in plies.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// The limits of one of `threads` threads.
    #[must_use]
    pub(crate) fn divided(&self, threads: u64) -> Self {
        let share = |nodes: Option<u64>| nodes.map(|nodes| nodes.div_ceil(threads.max(1)));
        Self { nodes: share(self.nodes), soft_nodes: share(self.soft_nodes), ..self.clone() }
    }

    /// A fixed time.
    pub fn movetime(time: Duration) -> Self {
        Self { movetime: Some(time), ..Self::default() }
    }
}
