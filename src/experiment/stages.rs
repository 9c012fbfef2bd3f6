//! Stages: a net that is taught one thing after another.
//!
//! A stage is a run of its own that begins with the net of the stage before. So stages may
//! differ in all that runs may differ in, data and feature set included; they are resumed
//! as runs are; and stages that several nets of a grid have in common are trained once. The
//! optimiser begins anew in each, since what it remembers is of other weights, if the best
//! epoch was kept, and of another loss.

use serde::{Deserialize, Serialize};
use toml::{Spanned, Table};

use super::axes::{self, AxisError};
use super::config::{DataConfig, Experiment};
use training::TrainingConfig;

/// One entry of `[[stages]]`: what differs from the tables of the experiment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stage {
    /// What it is called; `stage 1` if nothing is said.
    pub name: String,
    /// Feature set, where it is not that of the grid: part of it, or wider layers, come
    /// later. Not of the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Spanned<String>>,
    /// Line of layers, where it is not that of the grid. Not of the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Spanned<String>>,
    /// Keys of `[training]`.
    #[serde(skip_serializing_if = "Table::is_empty")]
    pub training: Table,
    /// Keys of `[data]`.
    #[serde(skip_serializing_if = "Table::is_empty")]
    pub data: Table,
}

impl Stage {
    pub fn called(&self, number: usize) -> String {
        match self.name.as_str() {
            "" => format!("stage {number}"),
            name => name.to_owned(),
        }
    }

    /// The tables of the experiment with the keys of the stage.
    ///
    /// # Errors
    /// A key that a table does not have, or a value that it cannot have.
    pub fn tables(
        &self,
        training: &TrainingConfig,
        data: &DataConfig,
    ) -> Result<(TrainingConfig, DataConfig), AxisError> {
        Ok((
            axes::overlaid("training", training, &self.training)?,
            axes::overlaid("data", data, &self.data)?,
        ))
    }
}

/// Why stages cannot be, at which key.
pub(super) fn misfit(experiment: &Experiment) -> Option<(&'static str, String, &'static str)> {
    let last = experiment.stages.last()?;
    if experiment.selfplay.is_some() {
        let help = "a generation is one net; train it in one stage";
        return Some(("stages", "stages and `[selfplay]` together".to_owned(), help));
    }
    let help = "the last stage trains the net of the grid: leave it out there";
    if last.features.is_some() {
        return Some(("features", "the last stage has a feature set of its own".to_owned(), help));
    }
    last.layers
        .as_ref()
        .map(|_| ("layers", "the last stage has layers of its own".to_owned(), help))
}
