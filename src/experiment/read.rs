//! Parsing of experiment files, with errors that point into the text.

pub(crate) mod advice;
mod include;
mod source;

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::axes::Axes;
use super::config::Experiment;
use super::error::ExperimentError;
use super::kind::FileKind;
use super::validate::{self, ValidationError};
use base::files;
use features::Names;
use source::Source;
use training::TrainingConfig;

/// Changes made on the command line: `training.epochs=4`.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `key.path=value` in TOML notation.
    pub set: Vec<String>,
    /// Multiplies the file's `scale`.
    pub scale: Option<f64>,
}

/// Reads an experiment file, applies the overrides and validates the result without running
/// jobs.
pub fn read(path: &Path, overrides: &Overrides) -> Result<Experiment, ExperimentError> {
    let text = files::read_text(path)
        .map_err(|source| ExperimentError::Io { path: path.to_owned(), source })?;
    let title = path.display().to_string();
    match include::merged(path, &text)? {
        None => parse(&title, &text, overrides),
        Some(merged) => parse(&format!("{title} with its includes"), &merged, overrides),
    }
}

/// Reads the text of an experiment; `title` is for messages.
pub fn parse(
    title: &str,
    text: &str,
    overrides: &Overrides,
) -> Result<Experiment, ExperimentError> {
    let source = Source::new(title, text);
    let parsed: Experiment =
        source.deserialize().map_err(|error| source.clearer().unwrap_or(error))?;
    let (source, mut experiment) = match overrides.set.is_empty() {
        true => (source, parsed),
        false => {
            let merged = Source::new(&format!("{title} with --set"), &source.merged(overrides)?);
            let experiment: Experiment = merged.deserialize()?;
            (merged, experiment)
        }
    };
    if let Some(factor) = overrides.scale {
        experiment.scale *= factor;
    }
    let invalid = |error: ValidationError| source.invalid(error);
    validate::validate(&experiment).map_err(invalid)?;
    experiment.apply_scale();
    // Amounts may be out of range now.
    validate::check_training(&experiment.training).map_err(invalid)?;
    validate::check_amounts(&experiment).map_err(|error| {
        let scale = ValidationError::new("scale", error.message, "a smaller scale reduces it");
        invalid(scale.labelled("with this scale"))
    })?;
    Ok(experiment)
}

/// Reads the `[training]` table of a file, which need not hold anything else.
pub fn training(path: &Path) -> Result<TrainingConfig, ExperimentError> {
    #[derive(Deserialize)]
    struct File {
        training: TrainingConfig,
    }
    let text = files::read_text(path)
        .map_err(|source| ExperimentError::Io { path: path.to_owned(), source })?;
    let source = Source::new(&path.display().to_string(), &text);
    let File { training } = source.deserialize()?;
    validate::check_training(&training).map_err(|error| source.invalid(error))?;
    Ok(training)
}

impl Source {
    fn deserialize<T: DeserializeOwned>(&self) -> Result<T, ExperimentError> {
        toml::from_str(&self.text).map_err(|error| self.malformed(&error))
    }

    fn malformed(&self, error: &toml::de::Error) -> ExperimentError {
        let message = in_plain_words(error.message());
        let help = advice::nearest_key(&message);
        self.error(error.span(), message, "here", help)
    }

    /// An error that serde does not see: the file is another command's, or the grid has unknown
    /// keys where serde misses known ones.
    fn clearer(&self) -> Option<ExperimentError> {
        let Self { title, text } = self;
        if let Some(FileKind::Evolution) = FileKind::of(text) {
            let error = ValidationError::new("fitness", FileKind::Evolution.misplaced(title), "");
            return Some(self.invalid(error.labelled("for `oplus evolve`")));
        }
        let table: toml::Table = toml::from_str(text).ok()?;
        let axes = Axes::of_grid(table.get("grid")?.as_table()?);
        Some(self.invalid(axes.lists().err()?.labelled("this key")))
    }

    /// The text with the overrides written into its tables.
    fn merged(&self, overrides: &Overrides) -> Result<String, ExperimentError> {
        let mut table: toml::Table =
            toml::from_str(&self.text).map_err(|error| self.malformed(&error))?;
        for assignment in &overrides.set {
            assign(&mut table, assignment).map_err(|reason| {
                let help = "write `--set training.epochs=4` or `--set 'grid.features=[\"ALL\"]'`";
                let source = Self::new("--set", assignment);
                source.error(Some(0..assignment.len()), reason, "this one", Some(help.to_owned()))
            })?;
        }
        Ok(table.to_string())
    }
}

/// Writes `key.path=value` into a table.
fn assign(table: &mut toml::Table, assignment: &str) -> Result<(), String> {
    let (key, value) = assignment.split_once('=').ok_or("an override needs a `=`")?;
    let path: Vec<&str> = key.trim().split('.').collect();
    let (last, tables) = path.split_last().ok_or("no key")?;
    let mut place = table;
    for part in tables {
        place = place
            .entry(part.to_string())
            .or_insert_with(|| toml::Table::new().into())
            .as_table_mut()
            .ok_or_else(|| format!("`{part}` is not a table"))?;
    }
    place.insert(last.to_string(), parse_value(value.trim()));
    Ok(())
}

/// Serde's messages with plain names of number types, instead of "invalid value: integer `-8`,
/// expected usize".
fn in_plain_words(message: &str) -> String {
    let (given, wanted) = message.rsplit_once("expected ").unwrap_or((message, ""));
    let whole = ["usize", "u64", "u32", "u16", "a nonzero u64", "a nonzero u32"];
    match (whole.contains(&wanted), wanted.contains("nonzero")) {
        (true, false) => format!("{given}expected a whole number from 0 up"),
        (true, true) => format!("{given}expected a whole number from 1 up"),
        (false, _) => message.to_owned(),
    }
}

/// A TOML value; a bare word is a string.
fn parse_value(text: &str) -> toml::Value {
    toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// Names in scope of an experiment's expressions.
pub fn names(experiment: &Experiment) -> Names {
    let mut names = Names::catalogue();
    for (name, expression) in &experiment.define {
        names.define(name, expression);
    }
    names
}
