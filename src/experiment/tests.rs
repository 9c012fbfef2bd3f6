//! Keys of jobs: all experiments of the repository keep the names of their results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use base::{Key, Silent};
use expect_test::expect_file;
use plan::Plan;

use super::planning::Planning;
use super::read::{self, Overrides};
use super::{Experiment, FileKind};

/// The experiments beside `src`, by file name.
fn experiments() -> Vec<(String, Experiment)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let entries = std::fs::read_dir(folder).expect("the folder of experiments");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let is_grid = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("the text of an experiment");
        matches!(FileKind::of(&text), Some(FileKind::Experiment | FileKind::Discovery))
    };
    let parsed = paths.iter().filter(|path| is_grid(path)).map(|path| {
        let experiment = read::read(path, &Overrides::default());
        (name(path), experiment.expect("a valid experiment"))
    });
    parsed.collect()
}

/// Jobs and a digest of their keys for each kind.
fn keys_by_kind(plan: &Plan) -> BTreeMap<&'static str, (usize, Key)> {
    let mut kinds: BTreeMap<&'static str, Vec<Key>> = BTreeMap::new();
    for planned in plan.jobs() {
        kinds.entry(planned.job.kind()).or_default().push(planned.key);
    }
    let digest = |mut keys: Vec<Key>| {
        keys.sort();
        (keys.len(), Key::of("keys", &keys).expect("a key of keys"))
    };
    kinds.into_iter().map(|(kind, keys)| (kind, digest(keys))).collect()
}

/// A key that changes loses all results that exist by it. Where this is meant (a new version of a
/// kind of job, a new signature of the search), `UPDATE_EXPECT=1 cargo test -p oplus-experiment
/// keys` writes the file anew.
#[test]
fn jobs_keep_their_keys() {
    let mut text = String::new();
    for (file, experiment) in experiments() {
        // Tests run beside no data: all files have placeholders.
        let planning = Planning::dry_run(&experiment, &mut Silent).expect(&file);
        for (kind, (jobs, digest)) in keys_by_kind(&planning.plan) {
            writeln!(text, "{file} {kind} {jobs} {digest}").expect("text in memory");
        }
    }
    expect_file!["tests/keys.txt"].assert_eq(&text);
}
