//! Notes of the user on experiments and runs: `note.txt` in their folders.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::{NetRecord, Runs};
use crate::error::ExperimentError;
use base::write_atomically;

const FILE: &str = "note.txt";

/// The subject of a note: an experiment, or one of its runs.
#[derive(Clone, Debug)]
pub struct Noted {
    experiment: String,
    run: Option<String>,
}

impl Noted {
    pub fn run(net: &NetRecord) -> Self {
        Self { experiment: net.experiment.clone(), run: Some(net.run.clone()) }
    }

    /// By the name of an experiment, or the beginning of a run's name.
    ///
    /// # Errors
    /// No such run or several; results that cannot be read.
    pub fn find(runs: &Runs, name: &str) -> Result<Self, ExperimentError> {
        match runs.is_kept(name) {
            true => Ok(Self { experiment: name.to_owned(), run: None }),
            false => Ok(Self::run(&runs.net(name)?)),
        }
    }

    /// Name of the experiment or of the run.
    pub fn name(&self) -> &str {
        self.run.as_ref().unwrap_or(&self.experiment)
    }
}

impl Runs {
    /// The note; `None` without one.
    pub fn user_note(&self, noted: &Noted) -> Option<String> {
        let text = std::fs::read_to_string(self.note_file(noted)).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Writes a note in place of the present one.
    ///
    /// # Errors
    /// A disk that cannot be written to.
    pub fn write_user_note(&self, noted: &Noted, text: &str) -> Result<(), ExperimentError> {
        Ok(write_atomically(&self.note_file(noted), &[text.trim().as_bytes(), b"\n"])?)
    }

    /// Removes a note, if there is one.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn remove_user_note(&self, noted: &Noted) -> Result<(), ExperimentError> {
        let path = self.note_file(noted);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(ExperimentError::Io { path, source })
            }
            _ => Ok(()),
        }
    }

    fn note_file(&self, noted: &Noted) -> PathBuf {
        let folder = self.folder_of(&noted.experiment);
        noted.run.iter().fold(folder, |folder, run| folder.join(run)).join(FILE)
    }
}
