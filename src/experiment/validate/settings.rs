//! Axes of the grid: every combination of their values.

use super::{Result, ValidationError, check_amounts, check_training, repeated};
use crate::axes::{self, Setting};
use crate::config::Experiment;
use training::{Method, TrainingConfig};

impl Experiment {
    /// Every combination of the keys of other tables that the grid varies.
    pub(super) fn check_axes(&self) -> Result {
        let axis = |error: ValidationError| error.labelled("this axis");
        for settings in self.grid.axes.combinations().map_err(axis)? {
            let (training, data) = axes::with(self, &settings).map_err(axis)?;
            if settings.is_empty() {
                continue;
            }
            let with = Self { training, data, ..self.clone() };
            check_training(&with.training)
                .and_then(|()| check_amounts(&with))
                .and_then(|()| with.check_data(&with.data, &with.training))
                .map_err(|error| self.in_grid(error, &settings))?;
        }
        Ok(())
    }

    fn in_grid(&self, error: ValidationError, settings: &[Setting]) -> ValidationError {
        let values: Vec<String> = settings.iter().map(Setting::to_text).collect();
        let help = Some(format!("with {}; see docs/experiment.md", values.join(", ")));
        let error = ValidationError { help, ..error.labelled("in the grid") };
        match self.grid.axes.varies(&error.path) {
            true => error.below("grid"),
            false => error,
        }
    }

    /// The methods of the grid; that of the training table is checked with it.
    pub(super) fn check_methods(&self) -> Result {
        let Some(methods) = &self.grid.method else { return Ok(()) };
        let wrong =
            |message: &str, help: &str| Err(ValidationError::new("grid.method", message, help));
        if methods.is_empty() {
            return wrong("method is an empty list", "remove it for `training.method`");
        }
        if self.training.method != Method::default() {
            return wrong(
                "two values of the method, in `grid` and in `training`",
                "keep `grid.method` to compare methods, `training.method` for a single one",
            );
        }
        if repeated(methods).is_some() {
            return wrong(
                "a method is listed twice",
                "list each once: seeds give several nets of one method",
            );
        }
        methods.iter().try_for_each(|&method| {
            let training = TrainingConfig { method, ..self.training.clone() };
            check_training(&training)
        })
    }
}
