//! From the text of an experiment file to its types, with errors that point.

pub(crate) mod advice;
mod check;
mod source;

use std::num::NonZeroU64;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::axes::{Axes, AxisError};
use super::config::Experiment;
use super::error::ExperimentError;
use super::kind::FileKind;
use super::misfit::{self, Misfit};
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

/// Reads an experiment file, applies the overrides and checks everything that
/// can be checked without doing the work.
pub fn read(path: &Path, overrides: &Overrides) -> Result<Experiment, ExperimentError> {
    let text = files::read_text(path)
        .map_err(|source| ExperimentError::Io { path: path.to_owned(), source })?;
    parse(&path.display().to_string(), &text, overrides)
}

/// Reads the text of an experiment; `title` is for messages.
pub fn parse(
    title: &str,
    text: &str,
    overrides: &Overrides,
) -> Result<Experiment, ExperimentError> {
    let parsed: Experiment =
        deserialize(title, text).map_err(|error| clearer(title, text).unwrap_or(error))?;
    let (source, mut experiment) = if overrides.set.is_empty() {
        (Source { title: title.to_owned(), text: text.to_owned() }, parsed)
    } else {
        let merged = merge(title, text, &overrides.set)?;
        let title = format!("{title} with --set");
        let experiment = deserialize(&title, &merged)?;
        (Source { title, text: merged }, experiment)
    };
    if let Some(factor) = overrides.scale {
        experiment.scale *= factor;
    }
    source.check(&experiment)?;
    apply_scale(&mut experiment);
    // What was in order may be too much now.
    source.check_training(&experiment.training)?;
    match misfit::of_values(&experiment) {
        None => Ok(experiment),
        Some(Misfit { message, .. }) => {
            let help = Some("a smaller scale makes it less".to_owned());
            Err(source.error(source.find("scale"), message, "with this scale", help))
        }
    }
}

/// Reads the `[training]` table of a file, which need not hold anything else.
pub fn training(path: &Path) -> Result<TrainingConfig, ExperimentError> {
    #[derive(Deserialize)]
    struct File {
        training: TrainingConfig,
    }
    let text = files::read_text(path)
        .map_err(|source| ExperimentError::Io { path: path.to_owned(), source })?;
    let title = path.display().to_string();
    let File { training } = deserialize(&title, &text)?;
    Source { title, text }.check_training(&training)?;
    Ok(training)
}

/// What serde's error leaves unsaid of a text: that it is for another command, or that the grid
/// has keys which it cannot have, where serde only misses others.
fn clearer(title: &str, text: &str) -> Option<ExperimentError> {
    let source = Source { title: title.to_owned(), text: text.to_owned() };
    if let Some(FileKind::Evolution) = FileKind::of(text) {
        let place = source.find_table("fitness").or_else(|| source.find_table("genome"));
        let message = FileKind::Evolution.misplaced(title);
        return Some(source.error(place, message, "for `oplus evolve`", None));
    }
    let table: toml::Table = toml::from_str(text).ok()?;
    let AxisError { key, message, help } =
        Axes::of_grid(table.get("grid")?.as_table()?).lists().err()?;
    let place = source.find_in("grid", &key).or_else(|| source.find_key_like(&key));
    Some(source.error(place, message, "this key", Some(help)))
}

fn deserialize<T: DeserializeOwned>(title: &str, text: &str) -> Result<T, ExperimentError> {
    toml::from_str(text).map_err(|error| {
        let source = Source { title: title.to_owned(), text: text.to_owned() };
        let message = in_plain_words(error.message());
        let help = advice::nearest_key(&message);
        source.error(error.span(), message, "here", help)
    })
}

/// Serde's messages with numbers called as people call them: "invalid value: integer `-8`,
/// expected usize".
fn in_plain_words(message: &str) -> String {
    let (told, wanted) = message.rsplit_once("expected ").unwrap_or((message, ""));
    let whole = ["usize", "u64", "u32", "u16", "a nonzero u64", "a nonzero u32"];
    match (whole.contains(&wanted), wanted.contains("nonzero")) {
        (true, false) => format!("{told}expected a whole number from 0 up"),
        (true, true) => format!("{told}expected a whole number from 1 up"),
        (false, _) => message.to_owned(),
    }
}

/// Writes the overrides into the file's tables.
fn merge(title: &str, text: &str, set: &[String]) -> Result<String, ExperimentError> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| {
        let source = Source { title: title.to_owned(), text: text.to_owned() };
        source.error(error.span(), error.message().to_owned(), "here", None)
    })?;
    for assignment in set {
        let wrong = |reason: String| {
            let source = Source { title: "--set".to_owned(), text: assignment.clone() };
            let help = "write `--set training.epochs=4` or `--set 'grid.features=[\"ALL\"]'`";
            source.error(Some(0..assignment.len()), reason, "this one", Some(help.to_owned()))
        };
        let (key, value) = assignment
            .split_once('=')
            .ok_or_else(|| wrong("an override needs a `=`".to_owned()))?;
        let value = parse_value(value.trim());
        let mut place = &mut table;
        let parts: Vec<&str> = key.trim().split('.').collect();
        let (last, tables) = parts.split_last().ok_or_else(|| wrong("no key".to_owned()))?;
        for part in tables {
            place = place
                .entry(part.to_string())
                .or_insert_with(|| toml::Value::Table(toml::Table::new()))
                .as_table_mut()
                .ok_or_else(|| wrong(format!("`{part}` is not a table")))?;
        }
        place.insert(last.to_string(), value);
    }
    Ok(table.to_string())
}

/// A TOML value; a bare word is a string.
fn parse_value(text: &str) -> toml::Value {
    toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| toml::Value::String(text.to_owned()))
}

/// The names an experiment's expressions may use.
pub fn names(experiment: &Experiment) -> Names {
    let mut names = Names::catalogue();
    for (name, expression) in &experiment.define {
        names.define(name, expression);
    }
    names
}

/// Multiplies positions and games by the scale, which is 1 afterwards.
fn apply_scale(experiment: &mut Experiment) {
    let scaled =
        |value: u64, least: u64| ((value as f64 * experiment.scale).round() as u64).max(least);
    let batch = experiment.training.batch as u64;
    experiment.training.positions_per_epoch =
        scaled(experiment.training.positions_per_epoch, batch);
    experiment.grid.axes.scale_positions(experiment.scale, batch);
    let price_games = scaled(experiment.evaluation.price_games, 2);
    if experiment.evaluation.price_games > 0 {
        experiment.evaluation.price_games = price_games;
    }
    if let Some(selfplay) = &mut experiment.selfplay {
        let positions = scaled(selfplay.positions.get(), 1);
        selfplay.positions = NonZeroU64::new(positions).unwrap_or(NonZeroU64::MIN);
    }
    if let Some(discover) = &mut experiment.discover {
        let at_least = |value: NonZeroU64, least| NonZeroU64::new(scaled(value.get(), least));
        discover.games = at_least(discover.games, 2).unwrap_or(discover.games);
        discover.screened = at_least(discover.screened, batch).unwrap_or(discover.screened);
    }
    for game in &mut experiment.evaluation.matches {
        let games = scaled(game.games, 2);
        game.games = games.checked_next_multiple_of(2).unwrap_or(games);
    }
    experiment.scale = 1.0;
}
