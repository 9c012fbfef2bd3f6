//! Versions of a folder.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Changes with results, metrics and notes in a folder and its subfolders, not with leases and
/// unfinished games, which change all the time.
pub(crate) fn version(folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    let (files, folders): (Vec<_>, Vec<_>) =
        entries(folder).into_iter().partition(|it| it.is_file());
    stamp(&mut hasher, &files);
    let volatile = |it: &&PathBuf| it.ends_with("leases") || it.ends_with("games");
    for below in folders.iter().filter(|it| !volatile(it)) {
        stamp(&mut hasher, &entries(below));
    }
    hasher.finalize().to_hex().to_string()
}

/// Changes with every finished job.
pub(crate) fn version_of_results(folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    stamp(&mut hasher, &entries(&folder.join("results")));
    hasher.finalize().to_hex().to_string()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Hashes names, lengths and times.
fn stamp(hasher: &mut blake3::Hasher, paths: &[PathBuf]) {
    let counts = |path: &&PathBuf| path.extension().is_some_and(|it| it == "json" || it == "jsonl");
    for path in paths.iter().filter(counts) {
        let Ok(about) = std::fs::metadata(path) else { continue };
        let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        hasher.update(path.as_os_str().as_encoded_bytes());
        hasher.update(&about.len().to_le_bytes());
        hasher.update(&changed.map_or(0, |at| at.as_nanos()).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_metrics_make_a_new_version() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut versions = vec![version(folder.path())];
        for (name, text) in [
            ("experiment.json", "{}"),
            ("results/1.json", "{}"),
            ("results/1.json", "{ }"),
            ("net-1/metrics.jsonl", "{}\n"),
        ] {
            write(name, text);
            versions.push(version(folder.path()));
        }
        let mut different = versions.clone();
        different.dedup();
        assert_eq!(versions, different);
        write("leases/1", "");
        write("leases/1.status", "{}");
        write("games/1.jsonl", "{}\n");
        write("net-1/checkpoint.bin", "");
        assert_eq!(version(folder.path()), *versions.last().unwrap());
        let results = version_of_results(folder.path());
        write("net-1/metrics.jsonl", "{}\n{}\n");
        assert_eq!(version_of_results(folder.path()), results);
        write("results/2.json", "{}");
        assert_ne!(version_of_results(folder.path()), results);
    }
}
