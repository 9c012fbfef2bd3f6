//! The subject of a live page: a study, or a single training.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::Runs;
use crate::watch::WatchError;
use training::EpochMetrics;

#[derive(Clone, Debug)]
pub enum Subject {
    /// A study, by its name.
    Experiment(String),
    /// A net that `oplus train` trains, by its folder.
    Training(PathBuf),
}

impl Subject {
    /// Finds a study, its folder, or the folder of a training.
    ///
    /// # Errors
    /// An unknown name.
    pub fn named(runs: &Runs, name: &str) -> Result<Self, WatchError> {
        let folder = Path::new(name);
        let base = folder.file_name().and_then(|name| name.to_str()).unwrap_or(name);
        let known = runs.studies();
        if known.iter().any(|known| known == base) && is_in(runs, folder, base) {
            return Ok(Self::Experiment(base.to_owned()));
        }
        if EpochMetrics::are_in(folder) {
            return Ok(Self::Training(folder.to_owned()));
        }
        match known.is_empty() {
            true => Err(WatchError::Nothing),
            false => Err(WatchError::Unknown { name: name.to_owned(), known }),
        }
    }

    /// The study with the latest change.
    ///
    /// # Errors
    /// A folder without any.
    pub fn newest(runs: &Runs) -> Result<Self, WatchError> {
        let last_change = |name: &String| {
            let folder = runs.folder_of(name);
            let places = ["experiment.json", "results", "leases"].map(|place| folder.join(place));
            places.iter().filter_map(|place| changed(place)).max()
        };
        let newest = runs.studies().into_iter().max_by_key(last_change);
        newest.map(Self::Experiment).ok_or(WatchError::Nothing)
    }

    pub fn name(&self) -> String {
        match self {
            Self::Experiment(name) => name.clone(),
            Self::Training(folder) => folder.display().to_string(),
        }
    }
}

/// Whether a path stands for the experiment of that name.
fn is_in(runs: &Runs, written: &Path, name: &str) -> bool {
    written == Path::new(name) || written == runs.folder_of(name)
}

/// Time of the last change.
fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|about| about.modified()).ok()
}
