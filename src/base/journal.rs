//! Append-only files of long jobs: their records survive a crash.
//!
//! A journal has a header, which identifies the work, and a record for each finished part. A
//! record is one write; opening the journal again cuts off a torn record, and its part is done
//! again. [`JsonJournal`] keeps lines that people read, [`ByteJournal`] bytes.

mod bytes;
mod json;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{WriteError, hold};

pub use bytes::ByteJournal;
pub use json::JsonJournal;

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: {source}; check that the folder exists and the disk has room", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Begin(#[from] WriteError),
    #[error("{} is in use by another process; wait for it or stop it", path.display())]
    InUse { path: PathBuf },
    #[error("{} is no journal of a {kind}; choose another file name", path.display())]
    OtherFile { path: PathBuf, kind: String },
    #[error(
        "{} is the journal of another {kind}: {difference}; \
         choose another file or the settings that it was begun with",
        path.display()
    )]
    OtherSettings { path: PathBuf, kind: &'static str, difference: String },
    #[error(
        "{}, line {line}: {reason}; {}", path.display(),
        if *line == 1 {
            "choose another file, and the work is done again"
        } else {
            "delete it and the lines after it, and their work is done again"
        }
    )]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{} cannot hold a record: {reason}", path.display())]
    Record { path: PathBuf, reason: &'static str },
}

/// A file that only grows, locked against other processes.
#[derive(Debug)]
struct AppendFile {
    path: PathBuf,
    file: File,
}

impl AppendFile {
    fn open(path: &Path, options: &mut OpenOptions) -> Result<Self, JournalError> {
        let failed = |source| JournalError::Io { path: path.to_owned(), source };
        let file = options.read(true).append(true).open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("not a regular file")));
        }
        match hold(&file).map_err(failed)? {
            true => Ok(Self { path: path.to_owned(), file }),
            false => Err(JournalError::InUse { path: path.to_owned() }),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        self.file.write_all(bytes).map_err(|source| self.failed(source))
    }

    fn cut(&self, length: u64) -> Result<(), JournalError> {
        self.file.set_len(length).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), source }
    }
}
