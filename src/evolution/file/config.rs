//! Keys of a file of searches.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};

use crate::{CellSelection, GameTerms, MethodSettings};
use arena::ByColour;
use arena::contender::Evaluation;
use engine::Technique;
use experiment::FileKind;
use measure::Ablation;
use serde::Deserialize;

use super::{EvolveError, checks};

/// A file of searches.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name, and folder of results.
    pub name: String,
    /// Question, for the page.
    #[serde(default)]
    pub question: String,
    #[serde(default)]
    pub genome: GenomeConfig,
    pub fitness: FitnessConfig,
    /// Methods, each a search of its own.
    #[serde(rename = "method")]
    pub methods: Vec<NamedMethod>,
    /// Budget of each search.
    pub budget: Budget,
    /// Seeds; one search for each method and seed.
    #[serde(default = "one_seed")]
    pub seeds: Vec<u64>,
    /// Shares of the budget at which answers are kept.
    #[serde(default = "shares")]
    pub kept_at: Vec<f64>,
    /// Matches of the answers.
    #[serde(default, rename = "trial")]
    pub trials: Vec<TrialConfig>,
    /// Ablations of parts of the engine's search.
    #[serde(default, rename = "ablation")]
    pub ablations: Vec<AblationConfig>,
}

fn one_seed() -> Vec<u64> {
    vec![1]
}

fn shares() -> Vec<f64> {
    vec![0.05, 0.1, 0.2, 0.4, 0.7, 1.0]
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GenomeConfig {
    /// Cells of piece-square tables.
    Tables(TablesConfig),
    /// Margins of the search.
    Margins(MarginsConfig),
    /// Weights of a linear net.
    Weights(WeightsConfig),
}

/// Cells of tables to be searched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TablesConfig {
    /// Initial tables: `pesto`, `material`, a sheet (FILE.csv), a net that is tables.
    pub tables: String,
    /// Starting point.
    pub start: StartConfig,
    /// Cells: `all` 768, `phoenix` (the 640 of the document), or those of some tables.
    pub cells: CellSelection,
    /// Largest distance of a cell from the value of the piece, in centipawns.
    pub range: i32,
    /// Size of a small change, in centipawns.
    pub step: f64,
}

/// Margins to be searched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarginsConfig {
    /// Evaluation: `bundled`, `pesto`, a sheet or a net.
    pub evaluation: String,
    /// Names of margins; all by default.
    pub margins: Vec<String>,
}

/// Weights to be searched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsConfig {
    /// The net (FILE.oplus), whose layers are `1`.
    pub net: PathBuf,
    /// Summands of the feature expression; all by default.
    #[serde(default)]
    pub summands: Vec<String>,
    /// Starting point.
    #[serde(default)]
    pub start: StartConfig,
    /// Largest change of a weight, in centipawns.
    #[serde(default = "range")]
    pub range: i32,
    /// Size of a small change, in centipawns.
    #[serde(default = "step")]
    pub step: f64,
}

/// Starting point of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartConfig {
    /// The given values; populations around them.
    #[default]
    Given,
    /// Random values within the range.
    Random,
}

fn range() -> i32 {
    100
}

fn step() -> f64 {
    10.0
}

impl Default for TablesConfig {
    fn default() -> Self {
        Self {
            tables: "material".to_owned(),
            start: StartConfig::Given,
            cells: CellSelection::All,
            range: range(),
            step: step(),
        }
    }
}

impl Default for MarginsConfig {
    fn default() -> Self {
        Self { evaluation: Evaluation::BUNDLED.to_owned(), margins: Vec::new() }
    }
}

impl Default for GenomeConfig {
    fn default() -> Self {
        Self::Tables(TablesConfig::default())
    }
}

impl GenomeConfig {
    /// Whether searches start at random values.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Tables(TablesConfig { start, .. })
            | Self::Weights(WeightsConfig { start, .. }) => *start == StartConfig::Random,
            Self::Margins(_) => false,
        }
    }

    /// Range of genes, where the file has one.
    pub(super) fn range(&self) -> Option<i32> {
        match self {
            Self::Tables(TablesConfig { range, .. })
            | Self::Weights(WeightsConfig { range, .. }) => Some(*range),
            Self::Margins(_) => None,
        }
    }
}

/// Fitness of points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FitnessConfig {
    Games(GameTerms),
    /// The expected score in positions whose results are known.
    Positions(PositionsConfig),
}

/// Fitness on positions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionsConfig {
    /// Any file of games or positions.
    pub file: PathBuf,
    #[serde(default = "some_positions")]
    pub positions: u64,
    /// Share of the games that is held out.
    #[serde(default = "half")]
    pub validation: f64,
    /// Centipawns at which the expected score is e : 1.
    #[serde(default = "scale")]
    pub scale: f64,
}

fn some_positions() -> u64 {
    20_000
}

fn half() -> f64 {
    0.5
}

fn scale() -> f64 {
    200.0
}

/// A method with its name on the page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct NamedMethod {
    /// Name; its kind by default.
    pub name: Option<String>,
    /// Fitness of its own.
    #[serde(default)]
    pub fitness: Option<FitnessConfig>,
    /// Budget of its own.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Kind and settings.
    #[serde(flatten)]
    pub settings: MethodSettings,
}

impl NamedMethod {
    /// Name on the page.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.settings.name())
    }
}

/// Budget of a search: games, or evaluations of all positions.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    Games(NonZeroU64),
    Evaluations(NonZeroU64),
}

/// Matches of the answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialConfig {
    /// Opponent: `start` (the starting point), or any tables.
    #[serde(default = "start")]
    pub against: String,
    /// Games of each answer.
    pub games: u64,
    /// Nodes a move.
    #[serde(default = "nodes")]
    pub nodes: NonZeroU64,
    #[serde(default)]
    pub colours: ByColour,
    /// Whether all kept answers play, not only the last.
    #[serde(default)]
    pub curve: bool,
}

/// Ablations: matches without a part of the search.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AblationConfig {
    /// Parts; all by default.
    #[serde(default)]
    pub parts: Vec<Technique>,
    /// Evaluation of both sides: `pesto`, `bundled`, tables, a net.
    #[serde(default = "pesto")]
    pub evaluation: String,
    /// Games for each part.
    pub games: NonZeroU64,
    /// Nodes a move.
    #[serde(default = "ablation_nodes")]
    pub nodes: NonZeroU64,
    /// Plies to which nodes are counted.
    #[serde(default = "ablation_depth")]
    pub depth: NonZeroU32,
}

fn pesto() -> String {
    "pesto".to_owned()
}

fn ablation_nodes() -> NonZeroU64 {
    Ablation::NODES
}

fn ablation_depth() -> NonZeroU32 {
    Ablation::DEPTH
}

fn start() -> String {
    "start".to_owned()
}

fn nodes() -> NonZeroU64 {
    GameTerms::default().nodes
}

impl Config {
    /// From the text of a file.
    ///
    /// # Errors
    /// An invalid key or value.
    pub fn parse(path: &Path, text: &str) -> Result<Self, EvolveError> {
        let mistake = |error: toml::de::Error| match FileKind::of(text) {
            Some(kind @ (FileKind::Experiment | FileKind::Discovery)) => {
                EvolveError::OtherCommand { message: kind.misplaced(&path.display().to_string()) }
            }
            _ => EvolveError::Config {
                path: path.to_owned(),
                reason: error.to_string().trim_end().to_owned(),
            },
        };
        let config: Self = toml::from_str(text).map_err(mistake)?;
        checks::check(&config)?;
        Ok(config)
    }

    /// Settings of a method, without its name.
    pub(super) fn task<'c>(
        &'c self,
        method: &'c NamedMethod,
    ) -> (&'c MethodSettings, &'c FitnessConfig, Budget) {
        (&method.settings, self.fitness_of(method), self.budget_of(method))
    }

    /// Fitness of a method.
    pub fn fitness_of<'c>(&'c self, method: &'c NamedMethod) -> &'c FitnessConfig {
        method.fitness.as_ref().unwrap_or(&self.fitness)
    }

    /// Budget of a method.
    pub fn budget_of(&self, method: &NamedMethod) -> Budget {
        method.budget.unwrap_or(self.budget)
    }
}

impl Budget {
    pub fn amount(self) -> u64 {
        match self {
            Self::Games(amount) | Self::Evaluations(amount) => amount.get(),
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            Self::Games(_) => "games",
            Self::Evaluations(_) => "evaluations",
        }
    }
}
