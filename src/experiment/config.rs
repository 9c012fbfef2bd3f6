//! The experiment file as types. `docs/experiment.md` documents every key;
//! a test holds the two against each other.
//!
//! A table knows its keys, their defaults, which of them `scale` multiplies, and which values
//! make no sense. So a key costs one file here, and the one that uses it.

mod evaluation;
mod one_or_many;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::axes::Axes;
use super::define;
use super::discover::table::Discover;
use super::generations::Generations;
use super::stages::TrainingStage;
use data::{Filter, Ingredient};
use nnue::{Layers, LayersError};
use training::{Method, TrainingConfig};

pub use evaluation::{EvaluationConfig, MatchConfig, PuzzleConfig};

/// A whole experiment file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Names the folders under `runs/` and `reports/`.
    pub name: String,
    /// Printed over the report.
    #[serde(default)]
    pub question: String,
    /// Multiplies positions per epoch and games, to make a large experiment small.
    #[serde(default = "one")]
    pub scale: f64,
    /// Named feature sets.
    #[serde(default, deserialize_with = "define::written")]
    pub define: BTreeMap<String, String>,
    pub grid: Grid,
    /// Source of the positions.
    #[serde(default)]
    pub data: DataConfig,
    /// Self-play generations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selfplay: Option<Generations>,
    #[serde(default)]
    pub training: TrainingConfig,
    /// Net to start from instead of random weights: a file, or the folder of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<PathBuf>,
    /// Stages of training, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<TrainingStage>,
    #[serde(default)]
    pub evaluation: EvaluationConfig,
    /// Search for a better set than those of the grid, by `oplus discover`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discover: Option<Discover>,
}

/// Lists; the runs are their product.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Grid {
    pub features: Vec<String>,
    /// Lines of layers: `"512 -> 32 -> 1"`.
    #[serde(default = "default_layers")]
    pub layers: Vec<String>,
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
    /// Description of the files and the command that makes them, for the error where one is
    /// missing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Licence of the files, for the provenance of nets and pages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub licence: String,
    /// Share of the games (and of listed positions) kept for validation.
    pub validation: f64,
    /// Filter of the positions.
    pub filter: Filter,
    /// Positions to train on, drawn by game; all if absent. A smaller number is a part of a larger
    /// one, and the validation split is always the same.
    pub positions: Option<u64>,
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            train: Vec::new(),
            source: String::new(),
            licence: String::new(),
            validation: 0.05,
            filter: Filter::default(),
            positions: None,
        }
    }
}

fn one() -> f64 {
    1.0
}
fn default_layers() -> Vec<String> {
    vec![Layers::default().to_string()]
}
fn default_seed() -> Vec<u64> {
    vec![1]
}

/// The factor of `scale`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale(f64);

impl Scale {
    /// `amount` times the factor, at least `least`.
    pub(crate) fn of(self, amount: u64, least: u64) -> u64 {
        ((amount as f64 * self.0).round() as u64).max(least)
    }

    /// As [`Self::of`]; `least` is at least 1.
    pub(crate) fn of_some(self, amount: NonZeroU64, least: u64) -> NonZeroU64 {
        NonZeroU64::new(self.of(amount.get(), least)).unwrap_or(NonZeroU64::MIN)
    }
}

impl Grid {
    /// All layers of the grid.
    ///
    /// # Errors
    /// A line that says none.
    pub fn layers(&self) -> Result<Vec<Layers>, LayersError> {
        self.layers.iter().map(|line| line.parse()).collect()
    }
}

impl Experiment {
    /// Feature expressions of the grid, as written.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        self.grid.features.iter().map(String::as_str)
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

    /// Multiplies positions and games by the scale, which is 1 afterwards.
    pub(crate) fn apply_scale(&mut self) {
        let scale = Scale(self.scale);
        let batch = self.training.batch as u64;
        let positions = &mut self.training.positions_per_epoch;
        *positions = scale.of(*positions, batch);
        self.grid.axes.scale_positions(|positions| scale.of(positions, batch));
        self.evaluation.scale(scale);
        if let Some(selfplay) = &mut self.selfplay {
            selfplay.scale(scale);
        }
        if let Some(discover) = &mut self.discover {
            discover.scale(scale, batch);
        }
        self.scale = 1.0;
    }
}
