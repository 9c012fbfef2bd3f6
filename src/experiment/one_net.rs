//! An experiment of one net.

use super::config::{DataConfig, EvaluationConfig, Experiment, Grid};
use super::read::{self, Overrides};
use nnue::Layers;
use plan::JobError;
use training::TrainingConfig;

impl Experiment {
    /// Trains one net and measures its losses: no games, no puzzles, no clocks.
    pub fn of_one_net(
        name: &str,
        features: &str,
        layers: &Layers,
        seed: u64,
        data: DataConfig,
        training: TrainingConfig,
    ) -> Self {
        Self {
            name: name.to_owned(),
            question: String::new(),
            scale: 1.0,
            define: Default::default(),
            grid: Grid {
                features: vec![features.to_owned()],
                layers: vec![layers.to_string()],
                method: None,
                seed: vec![seed],
                axes: Default::default(),
            },
            data,
            selfplay: None,
            training,
            start: None,
            stages: Vec::new(),
            evaluation: EvaluationConfig::losses(),
            discover: None,
        }
    }

    /// The experiment, once its values have passed the checks of a file; `title` is for messages.
    ///
    /// # Errors
    /// A value that no file may have.
    pub fn checked(&self, title: &str) -> Result<Self, JobError> {
        let text = toml::to_string_pretty(self)?;
        Ok(read::parse(title, &text, &Overrides::default())?)
    }
}
