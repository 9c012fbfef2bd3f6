//! What a comparison plays and measures.

use std::path::PathBuf;
use std::time::Duration;

use arena::OpeningSource;

/// How much of what.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Nodes per move of the games at fixed nodes.
    pub nodes: u64,
    /// Games of each contestant at fixed nodes, over all its nets; 0 for none.
    pub node_games: usize,
    /// Time per move of the games at fixed time.
    pub movetime: Duration,
    /// Games of each contestant at fixed time; 0 for none.
    pub time_games: usize,
    /// Games of the reference against itself with half the time; 0 for none.
    pub price_games: usize,
    /// Where games begin.
    pub openings: OpeningSource,
    /// Seed of the openings.
    pub seed: u64,
    /// Games at once at fixed nodes.
    pub node_concurrency: usize,
    /// Games at once at fixed time; each wants a core that does nothing else.
    pub time_concurrency: usize,
    /// Rounds in which the cost of a node is measured.
    pub rounds: usize,
    /// Plies of those searches.
    pub depth: u32,
    /// Puzzles to be solved, if any.
    pub puzzles: Option<Puzzles>,
}

/// A suite of puzzles and how it is attempted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzles {
    /// In the Lichess format.
    pub file: PathBuf,
    /// Nodes per move.
    pub nodes: u64,
}
