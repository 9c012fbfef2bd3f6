//! `include`: tables that several experiments share, in a file of their own.

use std::path::Path;

use toml::{Table, Value};

use super::Source;
use crate::ExperimentError;
use base::files;

const KEY: &str = "include";

/// The text of a file with the keys of its includes, where it has no such key itself; `None` of a
/// file without includes, and of one that is no TOML, whose errors point into it.
///
/// # Errors
/// An include that is missing, no TOML, or includes others.
pub(super) fn merged(path: &Path, text: &str) -> Result<Option<String>, ExperimentError> {
    let Ok(mut own) = toml::from_str::<Table>(text) else { return Ok(None) };
    let Some(named) = own.remove(KEY) else { return Ok(None) };
    let source = Source::new(&path.display().to_string(), text);
    let names = names(&named).ok_or_else(|| {
        let message = "include is the path of a file, or a list of paths";
        source.error(source.span(KEY), message, "here", Some("include = \"data.toml\"".into()))
    })?;
    for name in names {
        let place = path.parent().unwrap_or(Path::new("")).join(name);
        let text = files::read_text(&place).map_err(|error| {
            let message = format!("include: {}: {error}", place.display());
            let help = "paths are relative to the folder of the including file";
            source.error(source.span(KEY), message, "this file", Some(help.into()))
        })?;
        add(&mut own, table(&place, &text)?);
    }
    Ok(Some(own.to_string()))
}

fn names(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => names.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn table(path: &Path, text: &str) -> Result<Table, ExperimentError> {
    let source = Source::new(&path.display().to_string(), text);
    let table: Table = toml::from_str(text).map_err(|error| source.malformed(&error))?;
    match table.contains_key(KEY) {
        false => Ok(table),
        true => Err(source.error(source.span(KEY), "includes are not nested", "here", None)),
    }
}

/// Adds the keys that are missing.
fn add(own: &mut Table, shared: Table) {
    for (key, value) in shared {
        match (own.get_mut(&key), value) {
            (None, value) => {
                own.insert(key, value);
            }
            (Some(Value::Table(own)), Value::Table(shared)) => add(own, shared),
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_file_come_before_those_of_its_includes() {
        let folder = tempfile::tempdir().unwrap();
        let shared = "[data]\ntrain = [\"a\"]\nvalidation = 0.1\n[training]\nepochs = 3\n";
        std::fs::write(folder.path().join("data.toml"), shared).unwrap();
        let text = "include = \"data.toml\"\nname = \"x\"\n[data]\nvalidation = 0.2\n";
        let merged = merged(&folder.path().join("x.toml"), text).unwrap().unwrap();
        let merged: Table = toml::from_str(&merged).unwrap();
        let wanted: Table = toml::from_str(
            "name = \"x\"\n[data]\nvalidation = 0.2\ntrain = [\"a\"]\n[training]\nepochs = 3\n",
        )
        .unwrap();
        assert_eq!(merged, wanted);
    }

    #[test]
    fn wrong_includes_are_errors_at_their_place() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("nested.toml"), "include = \"a.toml\"\n").unwrap();
        std::fs::write(folder.path().join("broken.toml"), "[data\n").unwrap();
        for (text, why) in [
            ("include = 3", "the path of a file"),
            ("include = \"none.toml\"", "none.toml"),
            ("include = [\"nested.toml\"]", "includes are not nested"),
            ("include = [\"broken.toml\"]", "unclosed table"),
        ] {
            let error = merged(&folder.path().join("x.toml"), text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(merged(Path::new("x.toml"), "name = \"x\"").unwrap().is_none());
    }
}
