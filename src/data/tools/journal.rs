//! An append-only file of results that take long, such as games.
//!
//! A line of text, the head, describes them; then comes a record for each, little endian:
//!
//! * 4 bytes: the length of the content;
//! * 8 bytes: the first ones of the content's BLAKE3;
//! * the content.
//!
//! A record is written in one go. If power or disk fail in the middle of one, the
//! journal ends in bytes that are no record; they are cut off when it is opened again.

mod games;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::formats::source::read_full;
use base::atomic::{WriteError, write_atomically};

pub use games::GameJournal;

const CHECKSUM_BYTES: usize = 8;
const RECORD_HEAD_BYTES: usize = 4 + CHECKSUM_BYTES;
/// Limit of a head: a file without one is no journal.
const MOST_HEAD_BYTES: u64 = 1 << 16;

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("journal `{path}`: {source}; check that the folder exists and the disk has room", path = path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Begin(#[from] WriteError),
    #[error("journal `{path}` is in use by another process; wait for it or stop it", path = path.display())]
    InUse { path: PathBuf },
    #[error("journal `{path}` cannot hold a game: {reason}", path = path.display())]
    Unsayable { path: PathBuf, reason: &'static str },
}

/// A journal, locked against other processes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    record: Vec<u8>,
}

impl Journal {
    /// Begins a journal, in place of any of this name; the head is a line without
    /// its end.
    ///
    /// # Errors
    /// A folder that cannot be written to; a journal of this name that is in use.
    pub fn create(path: &Path, head: &str) -> Result<Self, JournalError> {
        // Another process that writes to the present one would go on in a deleted file.
        if path.exists() {
            open_locked(path)?;
        }
        write_atomically(path, &[head.as_bytes(), b"\n"])?;
        Self::open(path)
    }

    /// Opens a journal, to read what it has and to go on.
    ///
    /// # Errors
    /// A file that is not there, cannot be written or is in use.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let file = open_locked(path)?;
        let journal = Self { path: path.to_owned(), file, record: Vec::new() };
        journal.cut_torn_tail().map_err(|source| journal.failed(source))?;
        Ok(journal)
    }

    /// The head.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn head(&self) -> Result<String, JournalError> {
        self.records().map(|records| records.head).map_err(|source| self.failed(source))
    }

    /// The contents of all records, from the first.
    ///
    /// # Errors
    /// A file that cannot be read, then or later.
    pub fn contents(
        &self,
    ) -> Result<impl Iterator<Item = Result<Vec<u8>, JournalError>> + '_, JournalError> {
        let mut records = self.records().map_err(|source| self.failed(source))?;
        let next = move || match records.next_content() {
            Ok(true) => Some(Ok(std::mem::take(&mut records.content))),
            Ok(false) => None,
            Err(source) => Some(Err(source)),
        };
        Ok(std::iter::from_fn(next).map(|content| content.map_err(|source| self.failed(source))))
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn append(&mut self, content: &[u8]) -> Result<(), JournalError> {
        self.record.clear();
        self.record.extend((content.len() as u32).to_le_bytes());
        self.record.extend(checksum(content));
        self.record.extend(content);
        self.file.write_all(&self.record).map_err(|source| self.failed(source))
    }

    /// Deletes the journal.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path).map_err(|source| self.failed(source))
    }

    fn cut_torn_tail(&self) -> io::Result<()> {
        let mut records = self.records()?;
        while records.next_content()? {}
        self.file.set_len(records.whole_bytes)
    }

    fn records(&self) -> io::Result<Records> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Records::of(BufReader::new(file))
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::Io { path: self.path.clone(), source }
    }
}

fn open_locked(path: &Path) -> Result<File, JournalError> {
    let io_error = |source| JournalError::Io { path: path.to_owned(), source };
    let file = OpenOptions::new().read(true).append(true).open(path).map_err(io_error)?;
    match base::hold(&file).map_err(io_error)? {
        true => Ok(file),
        false => Err(JournalError::InUse { path: path.to_owned() }),
    }
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let hash = blake3::hash(content);
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// Reads a journal from its beginning.
struct Records {
    source: BufReader<File>,
    head: String,
    content: Vec<u8>,
    /// Bytes of the head and of the whole records read so far.
    whole_bytes: u64,
}

impl Records {
    fn of(mut source: BufReader<File>) -> io::Result<Self> {
        let mut head = String::new();
        let bytes = source.by_ref().take(MOST_HEAD_BYTES).read_line(&mut head)?;
        if head.pop() != Some('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no journal"));
        }
        Ok(Self { source, head, content: Vec::new(), whole_bytes: bytes as u64 })
    }

    /// Reads the next record; `false` if there is none, or no whole one.
    fn next_content(&mut self) -> io::Result<bool> {
        let mut head = [0; RECORD_HEAD_BYTES];
        if read_full(&mut self.source, &mut head)? < RECORD_HEAD_BYTES {
            return Ok(false);
        }
        let (length, sum) = head.split_at(4);
        let length = u64::from(u32::from_le_bytes(std::array::from_fn(|i| length[i])));
        self.content.clear();
        self.source.by_ref().take(length).read_to_end(&mut self.content)?;
        let is_whole = self.content.len() as u64 == length && sum == checksum(&self.content);
        if is_whole {
            self.whole_bytes += RECORD_HEAD_BYTES as u64 + length;
        }
        Ok(is_whole)
    }
}
