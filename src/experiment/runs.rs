//! The folder of runs.
//!
//! ```text
//! runs/NAME/experiment.json      the last run: definition, contents of its files
//! runs/NAME/results/KEY.json     results of jobs
//! runs/NAME/RUN-KEY/             a net, its checkpoints and its metrics
//! runs/NAME/note.txt, runs/NAME/RUN-KEY/note.txt     notes of the user
//! runs/NAME/games/KEY.jsonl      games of a match
//! runs/cache/                    prepared positions; may be removed at any time
//! ```

mod removal;
mod user_note;

use std::path::{Path, PathBuf};

use super::error::ExperimentError;
use super::study::Note;
use base::{Key, sealed, write_atomically};
use nnue::NET_FILE;
use plan::{JobResult, Results};
use training::Train;

pub use removal::Removal;
pub use user_note::Noted;

/// A folder of runs.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
}

/// A training job with its result.
#[derive(Clone, Debug)]
pub struct NetRecord {
    pub experiment: String,
    /// Name of its folder.
    pub run: String,
    /// Key of the training job.
    pub key: Key,
    pub label: String,
    pub train: Train,
    /// The reason of a failed training.
    pub failed: Option<String>,
}

impl Runs {
    /// Default folder.
    pub const FOLDER: &str = "runs";

    /// A folder, which need not exist.
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub fn folder_of(&self, experiment: &str) -> PathBuf {
        self.folder.join(experiment)
    }

    pub fn results_of(&self, experiment: &str) -> Results {
        Results::of(&self.folder_of(experiment))
    }

    fn note_path(&self, experiment: &str) -> PathBuf {
        self.folder_of(experiment).join("experiment.json")
    }

    /// Records a run.
    ///
    /// # Errors
    /// A disk that cannot be written to.
    pub fn write_note(&self, experiment: &str, note: &Note) -> Result<(), ExperimentError> {
        let path = self.note_path(experiment);
        let text = serde_json::to_string_pretty(note)
            .map_err(|error| ExperimentError::unreadable(&path, error))?;
        Ok(write_atomically(&path, &[sealed::seal(&text).as_bytes(), b"\n"])?)
    }

    /// The last run; `None` for an experiment that was never run.
    ///
    /// # Errors
    /// A note that cannot be read.
    pub fn note(&self, experiment: &str) -> Result<Option<Note>, ExperimentError> {
        let path = self.note_path(experiment);
        match std::fs::read(&path) {
            Ok(text) => sealed::parse(&text)
                .map(Some)
                .map_err(|reason| ExperimentError::unreadable(&path, reason)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ExperimentError::Io { path, source }),
        }
    }

    /// Names of all experiments, searches and ablations with results.
    pub fn experiments(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| self.is_kept(name)).collect();
        names.sort();
        names
    }

    /// Names of all studies, which have a note.
    pub fn studies(&self) -> Vec<String> {
        let mut names = self.experiments();
        names.retain(|name| matches!(self.note(name), Ok(Some(_))));
        names
    }

    fn is_kept(&self, name: &str) -> bool {
        self.note_path(name).exists() || Results::are_in(&self.folder_of(name))
    }

    /// The only net whose run name has this prefix.
    ///
    /// # Errors
    /// No such run or several; a result that cannot be read.
    pub fn net(&self, name: &str) -> Result<NetRecord, ExperimentError> {
        let mut found = self.nets(None)?;
        found.retain(|net| net.run.starts_with(name));
        match found.len() {
            1 => Ok(found.remove(0)),
            count => Err(ExperimentError::NotOneRun { name: name.to_owned(), count }),
        }
    }

    /// File of a net.
    pub fn file_of(&self, net: &NetRecord) -> PathBuf {
        self.folder_of(&net.experiment).join(&net.run).join(NET_FILE)
    }

    /// Nets of one experiment, or of all.
    ///
    /// # Errors
    /// A result that cannot be read.
    pub fn nets(&self, experiment: Option<&str>) -> Result<Vec<NetRecord>, ExperimentError> {
        let mut nets = Vec::new();
        for name in self.experiments() {
            if experiment.is_none_or(|wanted| wanted == name) {
                let done = self.results_of(&name).all()?.into_iter();
                nets.extend(done.filter_map(|done| NetRecord::of(&name, done)));
            }
        }
        nets.sort_by(|a, b| (&a.experiment, &a.run).cmp(&(&b.experiment, &b.run)));
        Ok(nets)
    }
}

impl NetRecord {
    fn of(experiment: &str, result: JobResult) -> Option<Self> {
        let train = result.definition()?;
        let failed = result.failure().map(str::to_owned);
        let JobResult { key, title: label, folder: run, .. } = result;
        Some(Self { experiment: experiment.to_owned(), run, key, label, train, failed })
    }
}
