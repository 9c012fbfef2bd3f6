//! What is measured of a run, as the registry stores it.

use serde::{Deserialize, Serialize};

use super::config::MatchConfig;
use arena::TournamentResult;
use nnue::check::Health;
use selfplay::Production;
use training::EpochMetrics;

/// Kinds of results in the registry.
pub mod kind {
    /// [`Trained`](super::Trained).
    pub const TRAINED: &str = "trained";
    /// [`Failed`](super::Failed), instead of all others.
    pub const FAILED: &str = "failed";
    /// [`QuantisationError`](nnue::QuantisationError).
    pub const QUANTISATION: &str = "quantisation";
    /// [`FirstLayer`](super::FirstLayer).
    pub const FIRST_LAYER: &str = "first layer";
    /// [`Speed`](super::Speed).
    pub const SPEED: &str = "speed";
    /// [`PuzzleRecord`](super::PuzzleRecord), by one-ply value.
    pub const PUZZLES_ONE_PLY: &str = "puzzles, one ply";
    /// [`PuzzleRecord`](super::PuzzleRecord), at fixed nodes.
    pub const PUZZLES_NODES: &str = "puzzles, nodes";
    /// [`MatchRecord`](super::MatchRecord).
    pub const MATCH: &str = "match";
    /// [`GenerationRecord`](super::GenerationRecord).
    pub const GENERATION: &str = "generation";
    /// [`TournamentRecord`](super::TournamentRecord).
    pub const TOURNAMENT: &str = "tournament";
}

/// A finished training run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trained {
    /// One per epoch.
    pub epochs: Vec<EpochMetrics>,
    /// The epoch that the net is of.
    #[serde(default)]
    pub epoch: u32,
    /// Fingerprint of the net.
    pub net: String,
    /// What its neurons do on real positions; not known of nets of earlier versions.
    #[serde(default)]
    pub health: Option<Health>,
}

/// A run that came to no net.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Why.
    pub reason: String,
}

impl Trained {
    /// Validation loss of the net, against scores.
    pub fn validation_loss(&self) -> Option<f64> {
        let of_net = self.epochs.iter().find(|epoch| epoch.epoch == self.epoch);
        of_net.or(self.epochs.last())?.score_loss()
    }
}

/// How large the first layer's answer to a lone piece is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstLayer {
    /// `[role][square]`, own pieces: norm of the sum of the rows that such a
    /// piece alone makes active.
    pub norms: Vec<Vec<f32>>,
}

/// Speed of the search with a net, one thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Speed {
    /// Nodes per second, once per round.
    pub rounds: Vec<f64>,
    /// First-layer rows added or removed per node, both perspectives.
    pub rows_per_node: f64,
    /// Accumulators built from scratch per node.
    pub refreshes_per_node: f64,
    /// Rows added in those, per node.
    pub refreshed_rows_per_node: f64,
}

/// A suite of puzzles attempted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PuzzleRecord {
    /// BLAKE3 of the suite's file, and how it was attempted.
    pub suite: String,
    /// The suite's file, as the experiment names it.
    pub file: std::path::PathBuf,
    /// Nodes per move; 0 for one-ply value.
    pub nodes: u64,
    /// Moves asked for and found, over all puzzles.
    pub moves: (u64, u64),
    /// One character a puzzle: `1` solved, `0` not.
    pub solved: String,
    /// Ratings of the puzzles, 0 where there is none.
    pub ratings: Vec<u32>,
}

impl PuzzleRecord {
    /// Puzzles solved and attempted.
    pub fn counts(&self) -> (u64, u64) {
        let solved = self.solved.bytes().filter(|&b| b == b'1').count();
        (solved as u64, self.solved.len() as u64)
    }
}

/// Games among nets of one seed, as counts by pair score: of two, or as was kept earlier of
/// all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchRecord {
    /// Nodes per move.
    pub nodes: u64,
    /// Seed of the nets and of the openings.
    pub seed: u64,
    /// Ids of the runs that played.
    pub players: Vec<String>,
    /// One per pairing.
    pub pairings: Vec<PairingRecord>,
}

impl MatchRecord {
    /// Whose result the games of two runs are in the registry, in whatever order: by the match
    /// and the two, so that neither another match nor another player takes its place.
    pub fn subject(config: &MatchConfig, hash_mb: usize, seed: u64, runs: [&str; 2]) -> String {
        let MatchConfig { nodes, games, openings, random_plies, .. } = config;
        let [mut first, mut second] = runs;
        if first > second {
            (first, second) = (second, first);
        }
        let how = format!("{games} {openings:?} {random_plies} {hash_mb}");
        let how = &blake3::hash(how.as_bytes()).to_hex()[..12];
        format!("{nodes} nodes, seed {seed}, {first}, {second}, {how}")
    }

    /// Where the games of all runs of a seed stood in one entry.
    pub fn earlier_subject(config: &MatchConfig, seed: u64) -> String {
        format!("{} nodes, seed {seed}", config.nodes)
    }
}

/// The games of two nets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairingRecord {
    /// Index of the first player.
    pub first: usize,
    /// Index of the second player.
    pub second: usize,
    /// Pairs by the first player's score: 0, ½, 1, 1½, 2.
    pub pentanomial: [u64; 5],
    /// Wins, draws and losses of the first player.
    pub games: [u64; 3],
    /// Games that repeat another game of the pairing move by move.
    pub duplicates: u64,
    /// Games lost by a player that did not move, or not legally.
    pub forfeits: u64,
}

/// A generation: games, and the net that was trained on them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GenerationRecord {
    /// Id of the net's run.
    pub run: String,
    /// The games, made by the player of the generation before.
    pub made: Production,
    /// Positions that the net was trained on.
    pub positions: u64,
}

/// The games of all generations against each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TournamentRecord {
    /// Ids of the nets' runs, from the first generation.
    pub runs: Vec<String>,
    /// What came of it.
    pub result: TournamentResult,
}

impl TournamentRecord {
    /// Whose result it is in the registry.
    pub const SUBJECT: &str = "generations";
}
