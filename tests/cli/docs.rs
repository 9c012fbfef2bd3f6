//! The documentation agrees with the code.

use std::collections::BTreeMap;
use std::path::Path;

use oplus::data::{FileFormat, Filter};
use oplus::experiment::axes;
use oplus::experiment::config::{
    DataConfig, EvaluationConfig, Experiment, Grid, MatchConfig, PuzzleConfig,
};
use oplus::experiment::discover::table::Discover;
use oplus::experiment::generations::Generations;
use oplus::experiment::stages::TrainingStage;
use oplus::training::TrainingConfig;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::support::Workdir;

/// Keys and defaults of the tables in docs/experiment.md.
fn documented() -> BTreeMap<String, String> {
    let text = include_str!("../../docs/experiment.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let (key, rest) = row.split_once("` |")?;
        let default = rest.split('|').next()?.trim().trim_matches('`');
        Some((key.to_owned(), default.to_owned()))
    })
    .collect()
}

/// The keys of the grid, which takes those of other tables too: all that it writes.
fn grid_keys() -> Vec<String> {
    let all = "features = [\"ALL\"]\nmethod = [\"target-scores\"]";
    let grid: Grid = toml::from_str(all).unwrap();
    let written: toml::Table = toml::from_str(&toml::to_string(&grid).unwrap()).unwrap();
    let keys: Vec<String> = written.keys().cloned().collect();
    let mut known = axes::KEYS;
    known.sort();
    assert_eq!(keys, known);
    keys
}

/// The keys a type knows, as serde itself lists them.
fn keys<T: DeserializeOwned + std::fmt::Debug>() -> Vec<String> {
    let message = toml::from_str::<T>("no_such_key = 1").unwrap_err().message().to_owned();
    assert!(message.starts_with("unknown field `no_such_key`"), "{message}");
    message.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

fn check<T: DeserializeOwned + Serialize + std::fmt::Debug>(prefix: &str, minimal: &str) {
    check_keys::<T>(prefix, minimal, keys::<T>());
}

fn check_keys<T: DeserializeOwned + Serialize>(prefix: &str, minimal: &str, known: Vec<String>) {
    let documented = documented();
    let defaults: toml::Table =
        toml::from_str(&toml::to_string(&toml::from_str::<T>(minimal).unwrap()).unwrap()).unwrap();
    let given: toml::Table = toml::from_str(minimal).unwrap();
    for key in &known {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        if ["define", "grid", "data", "selfplay", "training", "evaluation", "stages", "discover"]
            .contains(&name.as_str())
        {
            continue;
        }
        let default = documented.get(&name).unwrap_or_else(|| panic!("`{name}` is not documented"));
        match defaults.get(key) {
            _ if given.contains_key(key) => assert_eq!(default, "", "`{name}` must be given"),
            Some(toml::Value::Array(list)) if list.is_empty() => {
                assert_eq!(default, "none", "{name}")
            }
            Some(toml::Value::String(text))
                if text.is_empty() && name == "evaluation.reference" => {}
            Some(value) => assert_eq!(*default, value.to_string(), "{name}"),
            // Not written down where it has its default: writing that changes nothing.
            None if default != "none" && default != "all" => {
                let line = format!("{minimal}\n{key} = {default}");
                let written = toml::from_str::<T>(&line).unwrap_or_else(|e| panic!("{name}: {e}"));
                let unchanged: toml::Table =
                    toml::from_str(&toml::to_string(&written).unwrap()).unwrap();
                assert_eq!(unchanged, defaults, "`{name}` is not `{default}`");
            }
            None => {}
        }
    }
    let of_prefix = documented.keys().filter_map(|name| match name.rsplit_once('.') {
        Some((p, key)) => (p == prefix).then_some(key),
        None => prefix.is_empty().then_some(name.as_str()),
    });
    for key in of_prefix {
        assert!(known.iter().any(|k| k == key), "`{prefix}.{key}` is documented but unknown");
    }
}

#[test]
fn every_key_and_default_is_documented() {
    check::<Experiment>(
        "",
        "name = \"x\"\n[grid]\nfeatures = [\"ALL\"]\n[data]\ntrain = [\"x\"]\n",
    );
    check_keys::<Grid>("grid", "features = [\"ALL\"]", grid_keys());
    check::<DataConfig>("data", "train = [\"x\"]");
    check::<Generations>("selfplay", "");
    check::<TrainingConfig>("training", "");
    check::<TrainingStage>("stages", "");
    check::<Discover>("discover", "");
    check::<EvaluationConfig>("evaluation", "");
    check::<PuzzleConfig>("puzzles", "file = \"x\"");
    check::<MatchConfig>("match", "nodes = 1");
}

#[test]
fn every_rule_of_the_filter_is_documented() {
    let documented = documented();
    let known = keys::<Filter>();
    for key in &known {
        let name = format!("filter.{key}");
        let default = documented.get(&name).unwrap_or_else(|| panic!("`{name}` is not documented"));
        if default == "none" || default == "all" {
            // A rule that nothing has to be said of.
            let written = Filter::default().to_string();
            assert!(!written.contains(key.as_str()), "{name}: {written}");
            continue;
        }
        let filter: Filter = format!("{{ {key} = {default} }}").parse().unwrap();
        assert_eq!(filter, Filter::default(), "{name}");
    }
    let rows = documented.keys().filter_map(|name| name.strip_prefix("filter."));
    assert_eq!(rows.count(), known.len());
}

#[test]
fn bundled_experiments_are_valid() {
    use oplus::experiment::read::{Overrides, read};
    let mut count = 0;
    for dir in
        ["experiments", "experiments/atlas", "experiments/atlas/calibration", "docs/first-set"]
    {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(dir)).unwrap() {
            let path = entry.unwrap().path();
            // Files to include have no grid of their own.
            let is_toml = path.extension().is_some_and(|e| e == "toml");
            if is_toml && std::fs::read_to_string(&path).unwrap().contains("\n[grid]") {
                read(&path, &Overrides::default())
                    .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                count += 1;
            }
        }
    }
    assert!(count >= 4);
}

#[test]
fn bundled_searches_are_valid() {
    use oplus::base::Silent;
    use oplus::evolution::file::{Evolution, SearchPlanning};
    use oplus::experiment::planning::FileContents;
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/evolution");
    let mut count = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.display();
        let read = Evolution::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        SearchPlanning::of(&read.config, &mut FileContents::default(), &mut Silent)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        count += 1;
    }
    assert!(count >= 4);
}

#[test]
fn tables_of_formats_have_all_formats() {
    let documents = [include_str!("../../docs/experiment.md"), include_str!("../../docs/data.md")];
    for (format, text) in
        FileFormat::ALL.iter().flat_map(|format| documents.map(|text| (format, text)))
    {
        let rows = || text.lines().filter(|line| line.starts_with("| ") && line.contains("yes"));
        for ending in format.extensions().iter().take(2) {
            let ending = format!("`.{ending}`");
            assert!(rows().any(|row| row.contains(&ending)), "{}: {ending}", format.name());
        }
    }
}

#[test]
fn every_command_is_in_the_book() {
    let reply = Workdir::new().run(&["completions", "--markdown"]).out;
    let book = include_str!("../../docs/reference/commands.md");
    assert!(reply == book, "oplus completions --markdown > docs/reference/commands.md");
}
