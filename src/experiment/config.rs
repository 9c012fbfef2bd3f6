//! The experiment file as types. `docs/experiment.md` documents every key;
//! a test holds the two against each other.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::axes::Axes;
use super::define;
use super::discover::table::Discover;
use super::generations::Generations;
use super::stages::Stage;
use arena::{Limit, RandomPlies, TimeControl};
use data::{Filter, Ingredient};
use measure::Pairings;
use nnue::{Layers, LayersError};
use training::{Method, TrainingConfig};

/// A whole experiment file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Names the folders under `runs/` and `reports/`.
    pub name: String,
    /// What the experiment is to answer; printed over the report.
    #[serde(default)]
    pub question: String,
    /// Multiplies positions per epoch and games, to make a large experiment small.
    #[serde(default = "one")]
    pub scale: f64,
    /// Feature sets with a name of one's own.
    #[serde(default, deserialize_with = "define::written")]
    pub define: BTreeMap<String, String>,
    pub grid: Grid,
    /// Where the positions come from.
    #[serde(default)]
    pub data: DataConfig,
    /// Games that the experiment makes itself, generation by generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selfplay: Option<Generations>,
    #[serde(default)]
    pub training: TrainingConfig,
    /// A net to begin with instead of random weights: a file, or the folder of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<PathBuf>,
    /// What the nets are taught one after another, where it is more than one thing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    #[serde(default)]
    pub evaluation: Evaluation,
    /// How a better set than those of the grid is looked for, by `oplus discover`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discover: Option<Discover>,
}

/// Lists; the runs are their product.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Grid {
    pub features: Vec<Spanned<String>>,
    /// Lines of layers: `"512 -> 32 -> 1"`.
    #[serde(default = "default_layers")]
    pub layers: Vec<Spanned<String>>,
    /// Methods of training; that of the training table if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Vec<Method>>,
    /// Seeds; each gives a net of its own.
    #[serde(default = "default_seed")]
    pub seed: Vec<u64>,
    /// Keys of `[training]` and `[data]` that are varied too: `"training.epochs" = [8, 16]`.
    #[serde(flatten)]
    pub axes: Axes,
}

/// The `[data]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// Files and folders to train on, games or lists of positions, plain or `.zst`; each
    /// may have a weight; none if the experiment makes its own games.
    pub train: Vec<Ingredient>,
    /// What the files are, and the command that makes them: told where one is missing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Share of the games (and of listed positions) kept for validation.
    pub validation: f64,
    /// Which positions are kept.
    pub filter: Filter,
    /// Train on so many positions, drawn by game; all if absent. A smaller number is a part
    /// of a larger one, and what validates is always the same.
    pub positions: Option<u64>,
}

impl Default for DataConfig {
    fn default() -> Self {
        let (train, source) = (Vec::new(), String::new());
        Self { train, source, validation: 0.05, filter: Filter::default(), positions: None }
    }
}

/// The `[evaluation]` table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evaluation {
    /// The feature set the others are compared with; the first of the grid if empty.
    pub reference: String,
    pub puzzles: Option<PuzzleConfig>,
    #[serde(rename = "match")]
    pub matches: Vec<MatchConfig>,
    /// Games of the reference against itself with half the time, which tell what time is
    /// worth where games are played on the clock; 0 for none.
    pub price_games: u64,
    /// Rounds in which the cost of a node is measured; fewer than 6 leave its interval
    /// open, 0 skips the measurement.
    pub speed_rounds: u32,
    /// Transposition table per player, MiB.
    pub hash_mb: usize,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            reference: String::new(),
            puzzles: None,
            matches: Vec::new(),
            price_games: 200,
            speed_rounds: 6,
            hash_mb: 4,
        }
    }
}

/// `puzzles = { … }`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleConfig {
    /// Lichess CSV, plain or `.zst`.
    pub file: PathBuf,
    /// Nodes per move; 0 plays by one-ply value only.
    #[serde(default = "default_puzzle_nodes")]
    pub nodes: u64,
    /// Only the first so many puzzles; 0 for all.
    #[serde(default)]
    pub limit: usize,
}

/// One entry of `match = [ … ]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "MatchTable", into = "MatchTable")]
pub struct MatchConfig {
    /// What a move may cost.
    pub limit: Limit,
    /// Games of each pairing and seed; rounded up to whole pairs.
    pub games: u64,
    /// Who plays whom.
    pub pairings: Pairings,
    /// EPD or PGN of start positions, plain or `.zst`; random plies if absent.
    pub openings: Option<PathBuf>,
    /// Random plies from the start position when there is no book.
    pub random_plies: RandomPlies,
}

/// The same as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchTable {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<NonZeroU32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    movetime_ms: Option<NonZeroU32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tc: Option<TimeControl>,
    #[serde(default = "default_games")]
    games: u64,
    #[serde(default)]
    pairings: Pairings,
    #[serde(default)]
    openings: Option<PathBuf>,
    #[serde(default = "default_random_plies")]
    random_plies: RandomPlies,
}

/// A match without a limit, or with several.
#[derive(Debug, thiserror::Error)]
#[error(
    "a match has one limit of its moves: nodes = 1_000, depth = 8, movetime_ms = 20 or tc = \"1+0.01\""
)]
struct NotOneLimit;

impl TryFrom<MatchTable> for MatchConfig {
    type Error = NotOneLimit;

    fn try_from(table: MatchTable) -> Result<Self, NotOneLimit> {
        let MatchTable { nodes, depth, movetime_ms, tc, .. } = table;
        let limits = [
            nodes.map(Limit::Nodes),
            depth.map(Limit::Depth),
            movetime_ms.map(Limit::MovetimeMs),
            tc.map(Limit::Tc),
        ];
        let mut limits = limits.into_iter().flatten();
        let limit = limits.next().filter(|limit| *limit != Limit::Tc(TimeControl::Untimed));
        let (Some(limit), None) = (limit, limits.next()) else { return Err(NotOneLimit) };
        let MatchTable { games, pairings, openings, random_plies, .. } = table;
        Ok(Self { limit, games, pairings, openings, random_plies })
    }
}

impl From<MatchConfig> for MatchTable {
    fn from(config: MatchConfig) -> Self {
        let MatchConfig { limit, games, pairings, openings, random_plies } = config;
        let (nodes, depth, movetime_ms, tc) = match limit {
            Limit::Nodes(nodes) => (Some(nodes), None, None, None),
            Limit::Depth(plies) => (None, Some(plies), None, None),
            Limit::MovetimeMs(ms) => (None, None, Some(ms), None),
            Limit::Tc(control) => (None, None, None, Some(control)),
        };
        Self { nodes, depth, movetime_ms, tc, games, pairings, openings, random_plies }
    }
}

fn one() -> f64 {
    1.0
}
fn default_layers() -> Vec<Spanned<String>> {
    vec![Spanned::new(0..0, Layers::default().to_string())]
}
fn default_seed() -> Vec<u64> {
    vec![1]
}
fn default_puzzle_nodes() -> u64 {
    1_000
}
fn default_games() -> u64 {
    400
}
fn default_random_plies() -> RandomPlies {
    RandomPlies::USUAL
}

impl Grid {
    /// All layers of the grid.
    ///
    /// # Errors
    /// A line that says none.
    pub fn layers(&self) -> Result<Vec<Layers>, LayersError> {
        self.layers.iter().map(|line| line.get_ref().parse()).collect()
    }
}

impl Experiment {
    /// Feature expressions of the grid, as written.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.grid.features.iter().map(|text| text.get_ref().as_str())
    }

    pub fn methods(&self) -> &[Method] {
        match &self.grid.method {
            Some(methods) => methods,
            None => std::slice::from_ref(&self.training.method),
        }
    }

    /// The feature set the others are compared with.
    pub fn reference(&self) -> &str {
        match self.evaluation.reference.as_str() {
            "" => self.expressions().next().unwrap_or_default(),
            named => named,
        }
    }
}
