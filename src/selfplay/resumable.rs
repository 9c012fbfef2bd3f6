//! A file that is made in one session or several.
//!
//! Finished parts go into a journal beside the file (`NAME.journal`), whose header has the
//! settings; a finished file has a record of them (`NAME.KIND.json`). Other settings are refused,
//! so that no file mixes the outcomes of two.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use base::atomic::{WriteError, write_atomically};
use base::files;
use base::identity::{differences, summary};
use base::journal::{ByteJournal, JournalError};
use data::DataError;

/// Whether earlier work is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Resume,
    /// The earlier file and journal are replaced.
    Fresh,
}

/// Outcome of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SessionOutcome<M> {
    /// There was nothing to do.
    Complete(M),
    /// The file is complete now.
    Finished(M, Throughput),
    /// It was stopped; the next session resumes.
    Stopped(M),
}

impl<M> SessionOutcome<M> {
    /// The complete file with the throughput of the session; `None` if it was stopped.
    pub fn made(self) -> Option<(M, Option<Throughput>)> {
        match self {
            Self::Complete(made) => Some((made, None)),
            Self::Finished(made, throughput) => Some((made, Some(throughput))),
            Self::Stopped(_) => None,
        }
    }
}

/// Positions and time of one session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Positions with a new score.
    pub positions: u64,
    pub seconds: f64,
}

/// Errors of a resumable file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "`{path}` has other settings: {difference}. Give the earlier settings to \
         resume, choose another name, or start again with --fresh", path = path.display()
    )]
    OtherSettings { path: PathBuf, difference: String },
    #[error(
        "`{path}` exists without a record of its settings; choose another \
         name, or replace it with --fresh", path = path.display()
    )]
    Unknown { path: PathBuf },
    /// It is complete, in a format without whole games, so it cannot be extended.
    #[error(
        "`{path}` is complete with {positions} positions, and its format cannot be extended, since it has \
         no whole games; generate it again with --fresh", path = path.display()
    )]
    NotExtended { path: PathBuf, positions: u64 },
    #[error(
        "`{path}` has changed since it was written: {reason}; generate it again with --fresh",
        path = path.display()
    )]
    Altered { path: PathBuf, reason: String },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Record(#[from] WriteError),
}

/// A file to be made, and what decides its content.
pub(crate) struct ResumableFile<'a, S> {
    pub path: &'a Path,
    /// Names the record.
    pub kind: &'static str,
    pub settings: S,
}

/// The state of a file at the beginning of a session.
pub(crate) enum FileState<M> {
    /// The journal of the entries so far.
    Begun(ByteJournal),
    Finished(M),
}

/// The record beside a finished file.
#[derive(Serialize, Deserialize)]
pub(crate) struct FileRecord<S, M> {
    pub settings: S,
    pub made: M,
}

impl<S: DeserializeOwned, M: DeserializeOwned> FileRecord<S, M> {
    /// The record of a file; `None` if there is none of that kind that can be read.
    pub(crate) fn read(file: &Path, kind: &str) -> Option<Self> {
        serde_json::from_str(&files::read_text(&record_path(file, kind)).ok()?).ok()
    }
}

fn record_path(file: &Path, kind: &str) -> PathBuf {
    file.with_added_extension(format!("{kind}.json"))
}

impl<S: Serialize + DeserializeOwned> ResumableFile<'_, S> {
    /// Opens earlier work, or begins the journal.
    ///
    /// # Errors
    /// Work with other settings or of unknown ones; a folder that cannot be written to.
    pub(crate) fn open<M: DeserializeOwned>(
        &self,
        start: Start,
    ) -> Result<FileState<M>, FileError> {
        if start == Start::Fresh {
            return self.new_journal().map(FileState::Begun);
        }
        if self.journal_path().exists() {
            return self.old_journal().map(FileState::Begun);
        }
        match (self.path.exists(), FileRecord::<S, M>::read(self.path, self.kind)) {
            (false, _) => self.new_journal().map(FileState::Begun),
            (true, None) => Err(FileError::Unknown { path: self.path.to_owned() }),
            (true, Some(FileRecord { settings, made })) => {
                self.check(&settings)?;
                Ok(FileState::Finished(made))
            }
        }
    }

    /// Begins a journal in place of any other.
    ///
    /// # Errors
    /// A folder that cannot be written to; a journal in use.
    pub(crate) fn new_journal(&self) -> Result<ByteJournal, FileError> {
        // Numbers and texts are always valid JSON.
        let header = serde_json::to_string(&self.settings).unwrap_or_default();
        Ok(ByteJournal::create(&self.journal_path(), &header)?)
    }

    /// Writes the record of the finished file and removes the journal.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub(crate) fn finish(
        self,
        made: impl Serialize,
        journal: ByteJournal,
    ) -> Result<(), FileError> {
        let path = record_path(self.path, self.kind);
        let record = FileRecord { settings: self.settings, made };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default();
        write_atomically(&path, &[text.as_bytes(), b"\n"])?;
        Ok(journal.remove()?)
    }

    fn journal_path(&self) -> PathBuf {
        self.path.with_added_extension("journal")
    }

    fn old_journal(&self) -> Result<ByteJournal, FileError> {
        let journal = ByteJournal::open(&self.journal_path())?;
        match serde_json::from_str::<S>(&journal.header()?) {
            Ok(settings) => self.check(&settings).map(|()| journal),
            Err(_) => Err(FileError::Unknown { path: self.journal_path() }),
        }
    }

    fn check(&self, earlier: &S) -> Result<(), FileError> {
        match summary(&differences(earlier, &self.settings)) {
            None => Ok(()),
            Some(difference) => {
                Err(FileError::OtherSettings { path: self.path.to_owned(), difference })
            }
        }
    }
}
