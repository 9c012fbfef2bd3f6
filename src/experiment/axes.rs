//! Keys of other tables as axes of the grid: `"training.learning_rate" = [1e-3, 5e-4]`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::config::{DataConfig, Experiment};
use super::read::advice;
use super::validate::{ValidationError, repeated};
use features::error::nearest;
use training::TrainingConfig;

/// What else the grid varies, by key, as it was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Axes(Table);

/// A key of another table with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// `training.learning_rate`.
    pub key: String,
    pub value: Value,
}

/// The grid's own keys.
pub const KEYS: [&str; 4] = ["features", "layers", "method", "seed"];

/// The tables whose keys can be axes.
const TABLES: [&str; 2] = ["training", "data"];

impl Axes {
    /// Keys of a grid's table that belong to other tables.
    pub(super) fn of_grid(grid: &Table) -> Self {
        let others = grid.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()));
        Self(others.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    /// Keys with their values, in the order of their names.
    ///
    /// # Errors
    /// A key that is none of a table that can be varied, has no list, or has a value twice.
    pub fn lists(&self) -> Result<Vec<(String, Vec<Value>)>, ValidationError> {
        let mut lists = Vec::new();
        for (key, value) in dotted(&self.0) {
            let wrong = |message: String, help: &str| {
                Err(ValidationError::new(format!("grid.{key}"), message, help))
            };
            if !TABLES.iter().any(|table| key.starts_with(&format!("{table}."))) {
                let help = match nearest(&key, KEYS) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!(
                        "known here: {}, and keys of [training] and [data] such as \
                         \"training.epochs\"",
                        KEYS.join(", ")
                    ),
                };
                let message = format!("unknown field `{key}`");
                return wrong(message, &format!("{help} docs/experiment.md documents every key"));
            }
            match value {
                Value::Array(values) if values.is_empty() => {
                    return wrong(format!("{key} is an empty list"), "remove it for the default");
                }
                Value::Array(values) => {
                    if let Some(at) = repeated(&values) {
                        let help = "list each once: seeds give several nets of one value";
                        return wrong(format!("{key} has {} twice", values[at]), help);
                    }
                    lists.push((key, values));
                }
                _ => {
                    let help =
                        "in the grid every key holds a list: `\"training.epochs\" = [8, 16]`";
                    return wrong(format!("{key} is not a list"), help);
                }
            }
        }
        Ok(lists)
    }

    /// Whether a key, such as `data.train`, or a table that it is in, is among them.
    pub(super) fn varies(&self, key: &str) -> bool {
        let is_at = |axis: &str| {
            key.strip_prefix(axis).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        dotted(&self.0).iter().any(|(axis, _)| is_at(axis))
    }

    /// Changes positions per epoch where they are an axis.
    pub(super) fn scale_positions(&mut self, scaled: impl Fn(u64) -> u64) {
        const KEY: &str = "positions_per_epoch";
        let quoted = format!("training.{KEY}");
        let list = match self.0.contains_key(&quoted) {
            true => self.0.get_mut(&quoted),
            false => self.0.get_mut("training").and_then(|table| table.get_mut(KEY)),
        };
        for value in list.and_then(Value::as_array_mut).into_iter().flatten() {
            if let Value::Integer(positions) = value {
                let scaled = scaled(u64::try_from(*positions).unwrap_or(0));
                *positions = i64::try_from(scaled).unwrap_or(i64::MAX);
            }
        }
    }

    /// All combinations, the last key varying fastest; one without any if there is no axis.
    ///
    /// # Errors
    /// As [`Self::lists`].
    pub fn combinations(&self) -> Result<Vec<Vec<Setting>>, ValidationError> {
        let mut all = vec![Vec::new()];
        for (key, values) in self.lists()? {
            let with = |settings: &Vec<Setting>, value: &Value| {
                let own = Setting { key: key.clone(), value: value.clone() };
                settings.iter().cloned().chain([own]).collect()
            };
            all = all
                .iter()
                .flat_map(|settings| values.iter().map(move |value| (settings, value)))
                .map(|(settings, value)| with(settings, value))
                .collect();
        }
        Ok(all)
    }
}

impl Setting {
    /// Its key and its value, text without quotation marks.
    pub fn written(&self) -> (String, String) {
        let value = match &self.value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        (self.key.clone(), value)
    }

    /// `learning_rate = 0.001`; files by their names alone.
    pub fn to_text(&self) -> String {
        let name = self.key.split_once('.').map_or(self.key.as_str(), |(_, name)| name);
        match (name, &self.value) {
            ("train", Value::Array(files)) => {
                let files: Vec<String> = files.iter().map(file_name).collect();
                format!("trained on {}", files.join(" + "))
            }
            _ => format!("{name} = {}", self.value),
        }
    }
}

/// Name of a data file, with its weight.
fn file_name(file: &Value) -> String {
    let name = |path: &Value| {
        let path = std::path::Path::new(path.as_str()?);
        Some(path.file_name()?.to_string_lossy().into_owned())
    };
    let weighed = |table: &Table| {
        let weight = table.get("weight").map_or(String::new(), |weight| format!(" × {weight}"));
        Some(format!("{}{weight}", name(table.get("path")?)?))
    };
    let text = match file {
        Value::Table(table) => weighed(table),
        other => name(other),
    };
    text.unwrap_or_else(|| file.to_string())
}

/// The tables of an experiment with some keys set otherwise.
///
/// # Errors
/// A key that the table does not have, or a value that it cannot have.
pub fn with(
    experiment: &Experiment,
    settings: &[Setting],
) -> Result<(TrainingConfig, DataConfig), ValidationError> {
    let in_grid = |error: ValidationError| error.below("grid");
    Ok((
        table("training", &experiment.training, settings).map_err(in_grid)?,
        table("data", &experiment.data, settings).map_err(in_grid)?,
    ))
}

/// A table with some keys set otherwise.
///
/// # Errors
/// A key that the table does not have, or a value that it cannot have.
pub(super) fn overlaid<T: Serialize + DeserializeOwned>(
    name: &str,
    usual: &T,
    keys: &Table,
) -> Result<T, ValidationError> {
    let settings: Vec<Setting> = keys
        .iter()
        .map(|(key, value)| Setting { key: format!("{name}.{key}"), value: value.clone() })
        .collect();
    table(name, usual, &settings)
}

fn table<T: Serialize + DeserializeOwned>(
    name: &str,
    usual: &T,
    settings: &[Setting],
) -> Result<T, ValidationError> {
    let wrong = |key: &str, message: String| {
        let help = "docs/experiment.md documents every key";
        ValidationError::new(key, format!("{key}: {message}"), help)
    };
    let own = |setting: &&Setting| setting.key.split('.').next() == Some(name);
    let mut table = Table::try_from(usual).map_err(|error| wrong(name, error.to_string()))?;
    let mut last = name;
    for Setting { key, value } in settings.iter().filter(own) {
        let mut place = &mut table;
        let path: Vec<&str> = key.split('.').skip(1).collect();
        let Some((leaf, above)) = path.split_last() else { continue };
        for part in above {
            let inner = place.entry((*part).to_owned()).or_insert_with(|| Table::new().into());
            place = inner.as_table_mut().ok_or_else(|| wrong(key, "not a table".to_owned()))?;
        }
        place.insert((*leaf).to_owned(), value.clone());
        last = key;
    }
    table.try_into().map_err(|error: toml::de::Error| {
        let advice = advice::nearest_key(error.message());
        let wrong = wrong(last, error.message().to_owned());
        ValidationError { help: advice.or(wrong.help.clone()), ..wrong }
    })
}

/// Keys of nested tables in one line, as they may be written too.
fn dotted(table: &Table) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                let inner = dotted(inner).into_iter();
                all.extend(inner.map(|(below, value)| (format!("{key}.{below}"), value)));
            }
            other => all.push((key.clone(), other.clone())),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(text: &str) -> Axes {
        toml::from_str(text).unwrap()
    }

    fn combined(text: &str) -> Vec<String> {
        let joined = |settings: &Vec<Setting>| {
            settings.iter().map(Setting::to_text).collect::<Vec<_>>().join(", ")
        };
        axes(text).combinations().unwrap().iter().map(joined).collect()
    }

    #[test]
    fn axes_are_multiplied_however_their_keys_are_written() {
        assert_eq!(combined(""), [""]);
        let quoted = combined("\"training.epochs\" = [1, 2]\n\"data.positions\" = [10, 20]");
        let expected = [
            "positions = 10, epochs = 1",
            "positions = 10, epochs = 2",
            "positions = 20, epochs = 1",
            "positions = 20, epochs = 2",
        ];
        assert_eq!(quoted, expected);
        assert_eq!(combined("training.epochs = [1, 2]\ndata.positions = [10, 20]"), expected);
    }

    #[test]
    fn what_is_no_axis_is_named() {
        let wrong = |text: &str| axes(text).lists().unwrap_err();
        assert!(wrong("sed = [1]").help.unwrap().contains("`seed`"));
        assert!(wrong("evaluation.hash_mb = [1]").message.contains("evaluation.hash_mb"));
        assert!(wrong("training.epochs = 3").message.contains("not a list"));
        assert!(wrong("training.epochs = []").message.contains("empty"));
        let unknown = axes("training.lerning_rate = [1]").combinations().unwrap().remove(0);
        let error = table("training", &TrainingConfig::default(), &unknown).unwrap_err();
        assert!(
            error.help.as_ref().unwrap().contains("did you mean `learning_rate`?"),
            "{error:?}"
        );
    }
}
