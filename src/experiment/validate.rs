//! Checks of an experiment that need none of its work done.
//!
//! Errors name the key by its path, such as `data.positions`; `read` knows where that stands
//! in the file.

mod expressions;
mod settings;

use std::ops::Range;

use super::config::{DataConfig, Experiment, Grid};
use super::define::{self, define};
use super::{discover, generations};
use data::filter::UnscoredTargets;
use features::error::nearest;
use features::{ExpressionError, Names};
use training::TrainingConfig;

/// A key of an experiment file with a value that makes no sense.
#[derive(Clone, Debug)]
pub struct ValidationError {
    /// `data.positions`, `grid.features.2`.
    pub path: String,
    /// Part of the text at the path, in bytes; `None` for the whole value.
    pub part: Option<Range<usize>>,
    pub message: String,
    /// Words beside the caret.
    pub label: String,
    pub help: Option<String>,
}

impl ValidationError {
    /// An empty `help` is none.
    pub(super) fn new(
        path: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let help: String = help.into();
        Self {
            path: path.into(),
            part: None,
            message: message.into(),
            label: "this value".to_owned(),
            help: Some(help).filter(|help| !help.is_empty()),
        }
    }

    /// An error in the expression at `path`, or in a definition that it uses.
    fn of_expression(path: &str, error: &ExpressionError) -> Self {
        let place = error.place();
        let path = match place.title.strip_prefix("definition of ") {
            Some(name) => format!("define.{name}"),
            None => path.to_owned(),
        };
        Self {
            path,
            part: Some(place.span.clone()),
            message: error.to_string(),
            label: place.label.clone(),
            help: error.help().map(str::to_owned),
        }
    }

    pub(super) fn labelled(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
    }

    /// The same key below `path`.
    pub(super) fn below(self, path: &str) -> Self {
        Self { path: format!("{path}.{}", self.path), ..self }
    }
}

type Result<T = ()> = std::result::Result<T, ValidationError>;

/// The first mistake of an experiment.
pub(super) fn validate(experiment: &Experiment) -> Result {
    let Experiment { name, scale, training, data, .. } = experiment;
    check_name(name)?;
    let names = check_definitions(experiment)?;
    experiment.grid.check_expressions(&names)?;
    experiment.check_stages(&names)?;
    check_amounts(experiment)?;
    experiment.check_axes()?;
    experiment.check_methods()?;
    if !(scale.is_finite() && *scale > 0.0) {
        let message = format!("scale = {scale} is not a positive number");
        let help = "1.0 runs the experiment as written, 0.01 a hundredth of it";
        return Err(ValidationError::new("scale", message, help));
    }
    check_training(training)?;
    // Keys that the grid varies are checked with each of its values.
    match experiment.check_data(data, training) {
        Err(error) if !experiment.grid.axes.varies(&error.path) => return Err(error),
        _ => {}
    }
    if experiment.selfplay.is_some() {
        generations::check(experiment).map_err(|error| error.labelled("with `[selfplay]`"))?;
    }
    if let Some(table) = &experiment.discover {
        discover::table::check(experiment, table)
            .map_err(|error| error.labelled("with `[discover]`"))?;
    }
    experiment.check_reference()?;
    experiment.check_equal_time()
}

/// The first amount of grid, data and evaluation that makes no sense.
pub(super) fn check_amounts(experiment: &Experiment) -> Result {
    experiment.grid.check_lists()?;
    if experiment.data.positions == Some(0) {
        let message = "positions = 0: no training positions";
        return Err(ValidationError::new(
            "data.positions",
            message,
            "remove it to use all positions",
        ));
    }
    experiment.evaluation.check()
}

pub(super) fn check_training(training: &TrainingConfig) -> Result {
    training.validate().map_err(|error| {
        let path = format!("training.{}", error.key);
        ValidationError::new(path, error.to_string(), "see docs/experiment.md")
    })
}

fn check_name(name: &str) -> Result {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !name.is_empty() && name.chars().all(is_plain) && !name.starts_with('.') {
        return Ok(());
    }
    let message = "the name becomes a folder: use letters, digits, `-`, `_` and `.`";
    Err(ValidationError::new("name", message, "").labelled("not a folder name"))
}

/// The names that expressions may use.
fn check_definitions(experiment: &Experiment) -> Result<Names> {
    let mut names = Names::catalogue();
    for (name, text) in &experiment.define {
        define(&mut names, name, text).map_err(|error| {
            let path = format!("define.{name}");
            let error = ValidationError::new(path, error.to_string(), define::DefineError::HELP);
            error.labelled("another meaning")
        })?;
    }
    for name in experiment.define.keys() {
        define::check(&names, name)
            .map_err(|error| ValidationError::of_expression(&format!("define.{name}"), &error))?;
    }
    Ok(names)
}

impl Grid {
    fn check_lists(&self) -> Result {
        for (key, is_empty, help) in [
            ("layers", self.layers.is_empty(), "remove it for `512 -> 32 -> 1`"),
            ("seed", self.seed.is_empty(), "for example `seed = [1, 2, 3]`"),
        ] {
            if is_empty {
                let message = format!("{key} is an empty list");
                return Err(ValidationError::new(format!("grid.{key}"), message, help));
            }
        }
        match repeated(&self.seed) {
            None => Ok(()),
            Some(at) => Err(ValidationError::new(
                format!("grid.seed.{at}"),
                format!("seed {} is listed twice", self.seed[at]),
                "each seed is one net; give distinct numbers",
            )),
        }
    }
}

impl Experiment {
    fn check_data(&self, data: &DataConfig, training: &TrainingConfig) -> Result {
        if !(0.0..=0.5).contains(&data.validation) || data.validation == 0.0 {
            let message = format!("validation = {} is not a share of the games", data.validation);
            let help = "0.05 keeps one game in twenty for validation";
            return Err(ValidationError::new("data.validation", message, help));
        }
        if data.train.is_empty() && self.selfplay.is_none() {
            let help = "for example `train = [\"datasets/bootstrap.oarc\"]`";
            return Err(ValidationError::new("data.train", "no data files", help));
        }
        data.filter.check_targets(training.wdl.lowest()).map_err(|error| {
            ValidationError::new("data.filter", error.to_string(), UnscoredTargets::HELP)
        })
    }

    fn check_reference(&self) -> Result {
        let reference = self.reference();
        if self.expressions().any(|text| text == reference) {
            return Ok(());
        }
        let help = match nearest(reference, self.expressions()) {
            Some(text) => format!("did you mean `{text}`?"),
            None => {
                let known: Vec<&str> = self.expressions().collect();
                format!("expected one of: {}", known.join(", "))
            }
        };
        let message = format!("the reference `{reference}` is not among the features of the grid");
        let error = ValidationError::new("evaluation.reference", message, help);
        Err(error.labelled("not in the grid"))
    }

    /// Sets at equal time play the reference, so that one set has no opponent. A search brings others.
    fn check_equal_time(&self) -> Result {
        let Grid { layers, axes, .. } = &self.grid;
        let sets = self.expressions().count() * layers.len() * self.methods().len();
        let is_alone = sets * axes.combinations()?.len() == 1;
        let others_come = self.discover.is_some() || self.selfplay.is_some();
        let asks = self.evaluation.matches.iter().any(|one| one.limit.is_equal_time());
        if others_come || !(is_alone && asks) {
            return Ok(());
        }
        let message =
            "equal_time = true compares sets with the reference, and the grid has one set";
        let help = "add a set to `grid.features` or a line to `grid.layers`";
        Err(ValidationError::new("evaluation.match", message, help).labelled("no opponent"))
    }
}

/// Index of the first item that stands in the list before.
pub(crate) fn repeated<T: PartialEq>(list: &[T]) -> Option<usize> {
    (0..list.len()).find(|&at| list[..at].contains(&list[at]))
}
