//! Stages: a net trained in steps with different settings.
//!
//! A stage is a run of its own that begins with the net of the stage before. So stages differ
//! in any setting, data and feature set included; they resume as runs do; and stages that
//! several nets of a grid share are trained once. The optimiser starts afresh in each stage:
//! its moments belong to other weights, if the best epoch was kept, and to another loss.

use serde::{Deserialize, Serialize};
use toml::Table;

use super::axes;
use super::config::DataConfig;
use super::validate::ValidationError;
use training::TrainingConfig;

/// One entry of `[[stages]]`: differences from the tables of the experiment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingStage {
    /// Name; `stage 1` by default.
    pub name: String,
    /// Feature set, if other than the grid's. Not in the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<String>,
    /// Line of layers, if other than the grid's. Not in the last stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<String>,
    /// Keys of `[training]`.
    #[serde(skip_serializing_if = "Table::is_empty")]
    pub training: Table,
    /// Keys of `[data]`.
    #[serde(skip_serializing_if = "Table::is_empty")]
    pub data: Table,
}

impl TrainingStage {
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
    ) -> Result<(TrainingConfig, DataConfig), ValidationError> {
        Ok((
            axes::overlaid("training", training, &self.training)?,
            axes::overlaid("data", data, &self.data)?,
        ))
    }
}
