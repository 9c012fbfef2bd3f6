//! From the text of an experiment file to its types, with errors that point.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use miette::NamedSource;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::axes::{self, AxisError, Setting};
use super::config::Experiment;
use super::define::{self, DefineError, define};
use super::error::{ConfigError, ExperimentError};
use super::generations;
use super::misfit::{self, Misfit};
use super::stages;
use base::files;
use data::filter::UnscoredTargets;
use features::error::nearest;
use features::{Names, TrainedSet};
use nnue::{Layers, LayersError, check_playable};
use training::{Method, TrainingConfig};

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
    let parsed: Experiment = deserialize(title, text)?;
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

fn deserialize<T: DeserializeOwned>(title: &str, text: &str) -> Result<T, ExperimentError> {
    toml::from_str(text).map_err(|error| {
        let source = Source { title: title.to_owned(), text: text.to_owned() };
        let message = in_plain_words(error.message());
        let help = nearest_key(&message);
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

/// Keys as they were called, and as they are called.
const RENAMED: [(&str, &str); 3] =
    [("win_rule", "resign_rule"), ("max_plies", "max_moves"), ("speed_nodes", "speed_rounds")];

/// For serde's "unknown field `x`, expected one of `a`, `b`": the nearest of them.
fn nearest_key(message: &str) -> Option<String> {
    let rest =
        message.strip_prefix("unknown field `").or(message.strip_prefix("unknown variant `"))?;
    let mut quoted = rest.split('`').step_by(2);
    let unknown = quoted.next()?;
    let known: Vec<&str> = rest.split('`').skip(2).step_by(2).collect();
    let renamed = RENAMED.iter().find(|(old, new)| *old == unknown && known.contains(new));
    if let Some((_, new)) = renamed {
        return Some(format!("it is called `{new}` now; docs/experiment.md documents every key"));
    }
    match nearest(unknown, known.iter().copied()) {
        Some(key) => Some(format!("did you mean `{key}`? docs/experiment.md documents every key")),
        None => Some(format!("known here: {}; see docs/experiment.md", known.join(", "))),
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

/// The text errors point into.
struct Source {
    title: String,
    text: String,
}

impl Source {
    fn error(
        &self,
        span: Option<std::ops::Range<usize>>,
        message: impl Into<String>,
        label: &str,
        help: Option<String>,
    ) -> ExperimentError {
        ExperimentError::Config(Box::new(ConfigError {
            message: message.into(),
            source_text: NamedSource::new(&self.title, self.text.clone()).with_language("TOML"),
            span: span.map(Into::into),
            label: label.to_owned(),
            help,
        }))
    }

    /// Where a key stands, as well as a text search can tell.
    fn find(&self, key: &str) -> Option<std::ops::Range<usize>> {
        let at = self.text.lines().scan(0, |offset, line| {
            let start = *offset;
            *offset += line.len() + 1;
            Some((start, line))
        });
        let is_key = |line: &str| {
            line.trim_start()
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        at.into_iter().find(|(_, line)| is_key(line)).map(|(start, line)| {
            let indent = line.len() - line.trim_start().len();
            start + indent..start + line.trim_end().len()
        })
    }

    /// Where a table begins.
    fn find_table(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let header = format!("[{name}]");
        let start = self.text.find(&header)?;
        Some(start..start + header.len())
    }

    fn check(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        self.check_name(experiment)?;
        self.check_features(experiment)?;
        self.check_numbers(experiment)?;
        self.check_generations(experiment)?;
        self.check_reference(experiment)
    }

    fn check_name(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let name = &experiment.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.is_empty() && name.chars().all(plain) && !name.starts_with('.') {
            return Ok(());
        }
        Err(self.error(
            self.find("name"),
            "the name becomes a folder: use letters, digits, `-`, `_` and `.`",
            "not a folder name",
            None,
        ))
    }

    fn check_definitions(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let mut names = Names::catalogue();
        for (name, text) in &experiment.define {
            define(&mut names, name, text).map_err(|error| {
                let help = Some(DefineError::HELP.to_owned());
                self.error(self.find(name), error.to_string(), "another meaning", help)
            })?;
        }
        experiment.define.keys().try_for_each(|name| {
            let place = self.find(name).unwrap_or(0..0);
            define::check(&names, name).map_err(|error| self.expression_error(place, &error))
        })
    }

    fn check_features(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        self.check_definitions(experiment)?;
        let names = names(experiment);
        let mut known: Vec<Arc<TrainedSet>> = Vec::new();
        if experiment.grid.features.is_empty() {
            let help = Some("for example `features = [\"ALL\", \"ALL + PV\"]`".to_owned());
            return Err(self.error(self.find("features"), "no features to train", "empty", help));
        }
        for (i, text) in experiment.grid.features.iter().enumerate() {
            let earlier = &experiment.grid.features[..i];
            if earlier.iter().any(|other| other.get_ref() == text.get_ref()) {
                let message = "this feature set is listed twice";
                return Err(self.error(Some(text.span()), message, "again", None));
            }
            let trained = TrainedSet::compile(text.get_ref(), &names)
                .map_err(|error| self.expression_error(text.span(), &error))?;
            if let Some(twin) = known.iter().find(|set| set.canonical() == trained.canonical()) {
                let twin = twin.expression();
                let message = format!(
                    "`{}` is `{twin}` again under another name: it would be trained twice and \
                     compared with itself",
                    text.get_ref()
                );
                let help = "keep one of them; `grid.seed` gives several nets of one set".to_owned();
                return Err(self.error(Some(text.span()), message, "the same set", Some(help)));
            }
            known.push(trained);
        }
        Ok(())
    }

    fn check_stages(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        if let Some((key, message, help)) = stages::misfit(experiment) {
            return Err(self.error(
                self.find_within(key),
                message,
                "this stage",
                Some(help.to_owned()),
            ));
        }
        let names = names(experiment);
        for stage in &experiment.stages {
            if let Some(text) = &stage.features {
                TrainedSet::compile(text.get_ref(), &names)
                    .map_err(|error| self.expression_error(text.span(), &error))?;
            }
            if let Some(line) = &stage.layers {
                let read = line.get_ref().parse::<Layers>();
                read.map_err(|error| self.expression_error(line.span(), error.mistake()))?;
            }
            let tables = stage.tables(&experiment.training, &experiment.data);
            let (training, _) = tables.map_err(|AxisError { key, message, help }| {
                self.error(self.find_within(&key), message, "in this stage", Some(help))
            })?;
            self.check_training(&training)?;
        }
        Ok(())
    }

    fn check_layers(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let mut known: Vec<Layers> = Vec::new();
        for line in &experiment.grid.layers {
            let layers: Layers = line.get_ref().parse().map_err(|error: LayersError| {
                self.expression_error(line.span(), error.mistake())
            })?;
            if known.contains(&layers) {
                let message = "these layers are listed twice";
                return Err(self.error(Some(line.span()), message, "again", None));
            }
            known.push(layers);
        }
        self.check_playable(experiment)
    }

    /// Whether each feature set can be played with each line of layers.
    fn check_playable(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let names = names(experiment);
        let layers = experiment.grid.layers().unwrap_or_default();
        for text in &experiment.grid.features {
            let Ok(trained) = TrainedSet::compile(text.get_ref(), &names) else { continue };
            let unplayable = |layers: &Layers| check_playable(trained.set(), layers).err();
            if let Some(reason) = layers.iter().find_map(unplayable) {
                let message = format!("no engine can play this valued set: {reason}");
                let help =
                    "`oplus train … --no-net` trains one and shows its validation loss".to_owned();
                let label = "features carry numbers";
                return Err(self.error(Some(text.span()), message, label, Some(help)));
            }
        }
        Ok(())
    }

    /// An error in an expression, shown in the line of the file it stands in; `text` is where
    /// the expression stands.
    fn expression_error(
        &self,
        text: std::ops::Range<usize>,
        error: &features::ExpressionError,
    ) -> ExperimentError {
        use miette::Diagnostic;
        let labels: Vec<_> = error.labels().into_iter().flatten().collect();
        let label = labels.first().and_then(|l| l.label()).unwrap_or("here").to_owned();
        let help = error.help().map(|h| h.to_string());
        let title = error
            .source_code()
            .and_then(|code| code.read_span(&(0..0).into(), 0, 0).ok()?.name().map(str::to_owned))
            .unwrap_or_default();
        let inner = error.span();
        // Inside a definition: its text stands elsewhere in the file.
        let (start, message) = match title.strip_prefix("definition of ") {
            Some(name) => match self.find(name) {
                Some(line) => {
                    let quote = self.text[line.clone()].find('"').unwrap_or(0);
                    (line.start + quote + 1, error.to_string())
                }
                None => (text.start + 1, format!("{title}: {error}")),
            },
            None => (text.start + 1, error.to_string()),
        };
        let span = start + inner.start..start + inner.end;
        let span = if self.text.is_char_boundary(span.start) && span.end <= self.text.len() {
            span
        } else {
            text
        };
        self.error(Some(span), message, &label, help)
    }

    fn check_numbers(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Experiment { training, .. } = experiment;
        let wrong = |key: &str, message: String, help: &str| {
            Err(self.error(self.find(key), message, "this value", Some(help.to_owned())))
        };
        self.check_layers(experiment)?;
        self.check_stages(experiment)?;
        if let Some(Misfit { key, message, help }) = misfit::of_values(experiment) {
            return wrong(key, message, help);
        }
        self.check_axes(experiment)?;
        self.check_methods(experiment)?;
        if !(experiment.scale.is_finite() && experiment.scale > 0.0) {
            let message = format!("scale = {} is not a positive number", experiment.scale);
            return wrong(
                "scale",
                message,
                "1.0 runs the experiment as written, 0.01 a hundredth of it",
            );
        }
        self.check_training(training)?;
        // What the grid varies is looked at with each of its values.
        let is_fixed =
            |misfit: &Misfit| !experiment.grid.axes.varies(&format!("data.{}", misfit.key));
        match misfit_of_data(experiment).filter(is_fixed) {
            Some(Misfit { key, message, help }) => wrong(key, message, help),
            None => Ok(()),
        }
    }

    /// Whether the rest of the file goes with a `[selfplay]` table, if there is one.
    fn check_generations(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Some(Misfit { key, message, help }) =
            experiment.selfplay.as_ref().and_then(|_| generations::misfit(experiment))
        else {
            return Ok(());
        };
        let place = self.find(key).or_else(|| self.find_table("selfplay"));
        Err(self.error(place, message, "with `[selfplay]`", Some(help.to_owned())))
    }

    /// Every combination of the keys of other tables that the grid varies.
    fn check_axes(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let wrong = |AxisError { key, message, help }: AxisError| {
            let place = self.find_key_like(&key);
            self.error(place, message, "this axis", Some(help))
        };
        for settings in experiment.grid.axes.combinations().map_err(wrong)? {
            let (training, data) = axes::with(experiment, &settings).map_err(wrong)?;
            if settings.is_empty() {
                continue;
            }
            let told: Vec<String> = settings.iter().map(Setting::told).collect();
            let help = || Some(format!("with {}; see docs/experiment.md", told.join(", ")));
            training.validate().map_err(|error| {
                self.error(self.find_key_like(error.key), error.to_string(), "in the grid", help())
            })?;
            let with = Experiment { training, data, ..experiment.clone() };
            let misfit = misfit::of_values(&with).or_else(|| misfit_of_data(&with));
            if let Some(Misfit { key, message, .. }) = misfit {
                return Err(self.error(self.find_key_like(key), message, "in the grid", help()));
            }
        }
        Ok(())
    }

    /// Where a key of a stage stands, perhaps in braces: the last place that looks like it.
    fn find_within(&self, key: &str) -> Option<std::ops::Range<usize>> {
        let stages = self.text.find("[[stages]]").unwrap_or(0);
        let at = self.text.rfind(&format!("{key} =")).filter(|&at| at > stages);
        at.map(|at| at..at + key.len()).or_else(|| self.find_key_like(key))
    }

    /// Where a key stands, if need be as the end of a dotted or quoted one.
    fn find_key_like(&self, key: &str) -> Option<std::ops::Range<usize>> {
        let dotted = |ending: &str| {
            let at = self.text.find(&format!(".{key}{ending}"))?;
            let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
            Some(start..end)
        };
        ["\"", " =", "="].into_iter().find_map(dotted).or_else(|| self.find(key))
    }

    /// The methods of the grid; that of the training table is checked with it.
    fn check_methods(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Some(methods) = &experiment.grid.method else { return Ok(()) };
        let wrong = |message: &str, help: &str| {
            Err(self.error(self.find("method"), message, "this value", Some(help.to_owned())))
        };
        if methods.is_empty() {
            return wrong("method is an empty list", "leave it out for `training.method`");
        }
        if experiment.training.method != Method::default() {
            return wrong(
                "the method is given twice, in `grid` and in `training`",
                "keep `grid.method` to compare methods, `training.method` for a single one",
            );
        }
        if methods.iter().enumerate().any(|(i, method)| methods[..i].contains(method)) {
            return wrong("a method is listed twice", "each once: seeds give several nets of one");
        }
        methods.iter().try_for_each(|&method| {
            self.check_training(&TrainingConfig { method, ..experiment.training.clone() })
        })
    }

    fn check_training(&self, training: &TrainingConfig) -> Result<(), ExperimentError> {
        training.validate().map_err(|error| {
            // `schedule.final` stands in the line of `schedule`.
            let line = error.key.split('.').next().unwrap_or(error.key);
            let help = Some("see docs/experiment.md".to_owned());
            self.error(self.find(line), error.to_string(), "this value", help)
        })
    }

    fn check_reference(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let reference = experiment.reference();
        if experiment.expressions().any(|text| text == reference) {
            return Ok(());
        }
        let help = match nearest(reference, experiment.expressions()) {
            Some(text) => format!("did you mean `{text}`?"),
            None => format!(
                "it must be one of: {}",
                experiment.expressions().collect::<Vec<_>>().join(", ")
            ),
        };
        Err(self.error(
            self.find("reference"),
            format!("the reference `{reference}` is not among the features of the grid"),
            "not in the grid",
            Some(help),
        ))
    }
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
    for game in &mut experiment.evaluation.matches {
        let games = scaled(game.games, 2);
        game.games = games.checked_next_multiple_of(2).unwrap_or(games);
    }
    experiment.scale = 1.0;
}
/// The first thing in the `[data]` table that cannot be.
fn misfit_of_data(experiment: &Experiment) -> Option<Misfit> {
    let Experiment { data, training, .. } = experiment;
    if !(0.0..=0.5).contains(&data.validation) || data.validation == 0.0 {
        return Some(Misfit {
            key: "validation",
            message: format!("validation = {} is not a share of the games", data.validation),
            help: "0.05 keeps one game in twenty for validation",
        });
    }
    if data.train.is_empty() && experiment.selfplay.is_none() {
        return Some(Misfit {
            key: "train",
            message: "no data files".to_owned(),
            help: "for example `train = [\"datasets/bootstrap.oarc\"]`",
        });
    }
    let error = data.filter.check_targets(training.result_weight.lowest()).err()?;
    Some(Misfit { key: "filter", message: error.to_string(), help: UnscoredTargets::HELP })
}
