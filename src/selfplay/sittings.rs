//! Work on a file that takes one sitting or several.
//!
//! What is done goes into a journal beside the file (`NAME.journal`), whose head says with what
//! settings; a finished file has a record of them (`NAME.KIND.json`), so that it can be told from
//! others. Whoever comes back with other settings is refused, and nothing is lost.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::record::Record;
use super::settings::Settings;
use base::atomic::WriteError;
use data::{DataError, Journal, JournalError};

/// What to do with earlier work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Resume it.
    GoOn,
    /// Replace it.
    Afresh,
}

/// Why a file cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "`{path}` was begun with other settings: {difference}. Give the earlier settings to go \
         on, choose another name, or begin anew with --fresh", path = path.display()
    )]
    OtherSettings { path: PathBuf, difference: String },
    #[error(
        "`{path}` is there already, and nothing beside it says how it was made; choose another \
         name, or replace it with --fresh", path = path.display()
    )]
    Unknown { path: PathBuf },
    /// It is complete, in a format without whole games, so it cannot be extended.
    #[error(
        "`{path}` is complete with {positions} positions, and its format keeps no whole games to \
         go on from; make it anew with --fresh", path = path.display()
    )]
    NotExtended { path: PathBuf, positions: u64 },
    #[error(
        "`{path}` is not the file that was made: {reason}; make it anew with --fresh",
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
pub(crate) struct Undertaking<'a> {
    pub path: &'a Path,
    /// Names the record.
    pub kind: &'static str,
    pub settings: Settings,
}

/// Where the work stands when a sitting begins.
pub(crate) enum Standing<M> {
    /// Something is in the journal, or nothing yet.
    Begun(Journal),
    /// The file was finished, with that in it.
    Finished(M),
}

impl Undertaking<'_> {
    /// Finds out where the work stands; begins it if there is none.
    ///
    /// # Errors
    /// Work with other settings or of unknown ones; a folder that cannot be written to.
    pub(crate) fn stand<M: DeserializeOwned>(
        &self,
        start: Start,
    ) -> Result<Standing<M>, FileError> {
        if start == Start::Afresh {
            return self.new_journal().map(Standing::Begun);
        }
        if self.journal_path().exists() {
            return self.old_journal().map(Standing::Begun);
        }
        match (self.path.exists(), Record::read(self.path, self.kind)) {
            (false, _) => self.new_journal().map(Standing::Begun),
            (true, None) => Err(FileError::Unknown { path: self.path.to_owned() }),
            (true, Some(Record { settings, made })) => {
                self.check(&settings)?;
                Ok(Standing::Finished(made))
            }
        }
    }

    /// Begins a journal in place of any other.
    ///
    /// # Errors
    /// A folder that cannot be written to; a journal in use.
    pub(crate) fn new_journal(&self) -> Result<Journal, FileError> {
        Ok(Journal::create(&self.journal_path(), &self.settings.to_line())?)
    }

    /// Notes that the file is finished; the journal is not needed any more.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub(crate) fn finish<M: Serialize>(&self, made: M, journal: Journal) -> Result<(), FileError> {
        Record { settings: self.settings.clone(), made }.write(self.path, self.kind)?;
        Ok(journal.remove()?)
    }

    fn journal_path(&self) -> PathBuf {
        self.path.with_added_extension("journal")
    }

    fn old_journal(&self) -> Result<Journal, FileError> {
        let journal = Journal::open(&self.journal_path())?;
        match Settings::from_line(&journal.head()?) {
            Some(settings) => self.check(&settings).map(|()| journal),
            None => Err(FileError::Unknown { path: self.journal_path() }),
        }
    }

    /// Whether earlier work was done with these settings.
    fn check(&self, earlier: &Settings) -> Result<(), FileError> {
        match earlier.difference(&self.settings) {
            None => Ok(()),
            Some(difference) => {
                Err(FileError::OtherSettings { path: self.path.to_owned(), difference })
            }
        }
    }
}
