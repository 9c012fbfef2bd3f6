//! The file.

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
    /// What it is called, and its folder.
    pub name: String,
    /// What it is to answer.
    #[serde(default)]
    pub question: String,
    #[serde(default)]
    pub genome: GenomeConfig,
    /// By what points are judged.
    pub fitness: FitnessConfig,
    /// How it is searched; each on its own.
    #[serde(rename = "method")]
    pub methods: Vec<NamedMethod>,
    /// How much each search may spend.
    pub budget: Budget,
    /// A search for each, with every method.
    #[serde(default = "one_seed")]
    pub seeds: Vec<u64>,
    /// At which shares of the budget answers are kept.
    #[serde(default = "shares")]
    pub kept_at: Vec<f64>,
    /// What the answers are worth.
    #[serde(default, rename = "trial")]
    pub trials: Vec<TrialConfig>,
    /// What parts of the search are worth, beside what is searched.
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
    /// What it begins with: `pesto`, `material`, a sheet (FILE.csv), a net that is tables.
    pub tables: String,
    /// Where searches begin.
    pub start: StartConfig,
    /// Which cells: `all` 768, `phoenix`, the 640 of the document, or those of some tables.
    pub cells: CellSelection,
    /// How far from the value of the piece a cell may go, in centipawns.
    pub range: i32,
    /// What a small change is, in centipawns.
    pub step: f64,
}

/// Margins to be searched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarginsConfig {
    /// What judges positions, `bundled`, `pesto`, a sheet or a net.
    pub evaluation: String,
    /// Which; all if none is named.
    pub margins: Vec<String>,
}

/// Weights to be searched.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsConfig {
    /// The net (FILE.oplus), whose layers are `1`.
    pub net: PathBuf,
    /// Of which summands, as its features are written; all if none is named.
    #[serde(default)]
    pub summands: Vec<String>,
    /// Where searches begin.
    #[serde(default)]
    pub start: StartConfig,
    /// How far from what it is a weight may go, in centipawns.
    #[serde(default = "range")]
    pub range: i32,
    /// What a small change is, in centipawns.
    #[serde(default = "step")]
    pub step: f64,
}

/// Where searches begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartConfig {
    /// At what is given; populations around it.
    #[default]
    Given,
    /// Anywhere within the range, by the seed.
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
    /// Whether searches begin anywhere.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Tables(TablesConfig { start, .. })
            | Self::Weights(WeightsConfig { start, .. }) => *start == StartConfig::Random,
            Self::Margins(_) => false,
        }
    }

    /// How far genes may go, where the file says so.
    pub(super) fn range(&self) -> Option<i32> {
        match self {
            Self::Tables(TablesConfig { range, .. })
            | Self::Weights(WeightsConfig { range, .. }) => Some(*range),
            Self::Margins(_) => None,
        }
    }
}

/// By what points are judged.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FitnessConfig {
    Games(GameTerms),
    /// The expected score in positions whose results are known.
    Positions(PositionsConfig),
}

/// Positions to be judged by.
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

/// A method with the name that the page gives it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct NamedMethod {
    /// Its name; that of its kind if nothing is said.
    pub name: Option<String>,
    /// By what its points are judged, if not as the others'.
    #[serde(default)]
    pub fitness: Option<FitnessConfig>,
    /// What it may spend, if not as much as the others.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Its kind and settings.
    #[serde(flatten)]
    pub settings: MethodSettings,
}

impl NamedMethod {
    /// What the page calls it.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.settings.name())
    }
}

/// What each search may spend: games, or evaluations of all positions.
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
    /// Against what: `start`, what the search began with; or any tables.
    #[serde(default = "start")]
    pub against: String,
    /// Games of each answer.
    pub games: u64,
    /// Nodes a move.
    #[serde(default = "nodes")]
    pub nodes: NonZeroU64,
    #[serde(default)]
    pub colours: ByColour,
    /// Whether all answers that were kept play, and not the last alone.
    #[serde(default)]
    pub curve: bool,
}

/// Parts of the search, each played without.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AblationConfig {
    /// Which; all if none is named.
    #[serde(default)]
    pub parts: Vec<Technique>,
    /// What both sides evaluate with: `pesto`, `bundled`, tables, a net.
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
    /// Reads a file.
    ///
    /// # Errors
    /// A file that is not there, or says what makes no sense.
    pub fn read(path: &Path) -> Result<Self, EvolveError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| EvolveError::Io { path: path.to_owned(), source })?;
        let told = |error: toml::de::Error| match FileKind::of(&text) {
            Some(kind @ (FileKind::Experiment | FileKind::Discovery)) => {
                EvolveError::OtherCommand { told: kind.misplaced(&path.display().to_string()) }
            }
            _ => EvolveError::Config {
                path: path.to_owned(),
                reason: error.to_string().trim_end().to_owned(),
            },
        };
        let config: Self = toml::from_str(&text).map_err(told)?;
        checks::check(&config)?;
        Ok(config)
    }

    /// What a method does, whatever it is called.
    pub(super) fn task<'c>(
        &'c self,
        method: &'c NamedMethod,
    ) -> (&'c MethodSettings, &'c FitnessConfig, Budget) {
        (&method.settings, self.fitness_of(method), self.budget_of(method))
    }

    /// By what the points of a method are judged.
    pub fn fitness_of<'c>(&'c self, method: &'c NamedMethod) -> &'c FitnessConfig {
        method.fitness.as_ref().unwrap_or(&self.fitness)
    }

    /// What a method may spend.
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
