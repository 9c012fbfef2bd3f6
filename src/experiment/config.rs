//! The experiment file as types. `docs/experiment.md` documents every key;
//! a test holds the two against each other.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::define;
use super::generations::Generations;
use arena::RandomPlies;
use data::{DataSpec, Filter, Ingredient};
use nnue::{HiddenActivation, Layers, LayersError};
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
    /// What is varied.
    pub grid: Grid,
    /// Where the positions come from.
    #[serde(default)]
    pub data: DataConfig,
    /// Games that the experiment makes itself, generation by generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selfplay: Option<Generations>,
    /// How the nets are trained.
    #[serde(default)]
    pub training: TrainingConfig,
    /// How the nets are judged.
    #[serde(default)]
    pub evaluation: Evaluation,
}

/// Lists; the runs are their product.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Feature expressions.
    pub features: Vec<Spanned<String>>,
    /// Feature transformer outputs per perspective; multiples of 8, or 0 for
    /// the linear model.
    #[serde(default = "default_l1")]
    pub l1: Vec<usize>,
    /// Second hidden layer; multiples of 8, or 0 for none.
    #[serde(default = "default_l2")]
    pub l2: Vec<usize>,
    /// After the hidden layers.
    #[serde(default = "default_activation")]
    pub activation: Vec<HiddenActivation>,
    /// Output buckets.
    #[serde(default = "default_buckets")]
    pub buckets: Vec<usize>,
    /// Methods of training; that of the training table if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Vec<Method>>,
    /// Seeds; each gives a net of its own.
    #[serde(default = "default_seed")]
    pub seed: Vec<u64>,
}

/// The `[data]` table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// Files and folders to train on, games or lists of positions, plain or `.zst`; each
    /// may have a weight; none if the experiment makes its own games.
    pub train: Vec<Ingredient>,
    /// Share of the games (and of listed positions) kept for validation.
    pub validation: f64,
    /// Which positions are kept.
    pub filter: Filter,
    /// Train on so many positions, chosen by a hash of their games; all if absent.
    pub positions: Option<u64>,
}

impl Default for DataConfig {
    fn default() -> Self {
        Self { train: Vec::new(), validation: 0.05, filter: Filter::default(), positions: None }
    }
}

/// The `[evaluation]` table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evaluation {
    /// The feature set the others are compared with; the first of the grid if empty.
    pub reference: String,
    /// Puzzles to solve.
    pub puzzles: Option<PuzzleConfig>,
    /// Matches to play.
    #[serde(rename = "match")]
    pub matches: Vec<MatchConfig>,
    /// Nodes searched to measure nodes/s; 0 skips the measurement.
    pub speed_nodes: u64,
    /// Transposition table per player, MiB.
    pub hash_mb: usize,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            reference: String::new(),
            puzzles: None,
            matches: Vec::new(),
            speed_nodes: 400_000,
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
#[serde(deny_unknown_fields)]
pub struct MatchConfig {
    /// Nodes per move.
    pub nodes: u64,
    /// Games of each pairing and seed; rounded up to whole pairs.
    #[serde(default = "default_games")]
    pub games: u64,
    /// Who plays whom.
    #[serde(default)]
    pub pairings: Pairings,
    /// EPD or PGN of start positions, plain or `.zst`; random plies if absent.
    #[serde(default)]
    pub openings: Option<PathBuf>,
    /// Random plies from the start position when there is no book.
    #[serde(default = "default_random_plies")]
    pub random_plies: RandomPlies,
}

/// Who plays whom in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairings {
    /// Everyone plays everyone.
    #[default]
    RoundRobin,
    /// Everyone plays the reference.
    Gauntlet,
}

fn one() -> f64 {
    1.0
}
fn default_l1() -> Vec<usize> {
    vec![512]
}
fn default_l2() -> Vec<usize> {
    vec![32]
}
fn default_activation() -> Vec<HiddenActivation> {
    vec![HiddenActivation::default()]
}
fn default_buckets() -> Vec<usize> {
    vec![1]
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
    RandomPlies::exactly(8)
}

impl Grid {
    /// All layers of the grid, each once: the linear model is the same whatever
    /// stands in the other lists.
    ///
    /// # Errors
    /// If there are no such layers.
    pub fn layers(&self) -> Result<Vec<Layers>, LayersError> {
        let mut all = Vec::new();
        for &l1 in &self.l1 {
            for &l2 in &self.l2 {
                for &activation in &self.activation {
                    for &buckets in &self.buckets {
                        let layers = Layers::new(l1, l2, activation, buckets)?;
                        if !all.contains(&layers) {
                            all.push(layers);
                        }
                    }
                }
            }
        }
        Ok(all)
    }
}

impl Experiment {
    /// Feature expressions of the grid, as written.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.grid.features.iter().map(|text| text.get_ref().as_str())
    }

    /// The methods of the grid.
    pub fn methods(&self) -> &[Method] {
        match &self.grid.method {
            Some(methods) => methods,
            None => std::slice::from_ref(&self.training.method),
        }
    }

    /// How positions are taken from files.
    pub fn data_spec(&self, files: &[Ingredient]) -> DataSpec {
        DataSpec {
            train: files.to_vec(),
            validation: self.data.validation,
            filter: self.data.filter,
            limit: self.data.positions,
            choices: self.methods().iter().any(|method| method.needs_choices()),
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
