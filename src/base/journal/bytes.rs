//! A journal of bytes, such as packed games.
//!
//! A line of text, the header; then for each record, little endian:
//!
//! * 4 bytes: the length of the content;
//! * 8 bytes: the first ones of the content's BLAKE3;
//! * the content.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::{AppendFile, JournalError};
use crate::write_atomically;

const CHECKSUM_BYTES: usize = 8;
const RECORD_HEAD_BYTES: usize = 4 + CHECKSUM_BYTES;

/// The longest header: a file without one is no journal.
const MOST_HEADER_BYTES: u64 = 1 << 16;

/// A journal of bytes, locked against other processes.
#[derive(Debug)]
pub struct ByteJournal {
    file: AppendFile,
    record: Vec<u8>,
}

impl ByteJournal {
    /// Begins a journal in place of any of this name; the header is a line without its end.
    ///
    /// # Errors
    /// A folder that cannot be written to; a journal of this name that is in use.
    pub fn create(path: &Path, header: &str) -> Result<Self, JournalError> {
        // A process that writes to the old file would go on without effect.
        if path.exists() {
            AppendFile::open(path, &mut OpenOptions::new())?;
        }
        write_atomically(path, &[header.as_bytes(), b"\n"])?;
        Self::open(path)
    }

    /// Opens a journal to read and to extend it.
    ///
    /// # Errors
    /// A file that is not there, cannot be written, is in use or is no journal.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let file = AppendFile::open(path, &mut OpenOptions::new())?;
        let journal = Self { file, record: Vec::new() };
        let mut records = journal.records()?;
        while records.next_content().map_err(|source| journal.file.failed(source))? {}
        journal.file.cut(records.whole_bytes)?;
        Ok(journal)
    }

    /// # Errors
    /// A file that cannot be read.
    pub fn header(&self) -> Result<String, JournalError> {
        Ok(self.records()?.header)
    }

    /// The contents of all records, from the first.
    ///
    /// # Errors
    /// A file that cannot be read, then or later.
    pub fn contents(
        &self,
    ) -> Result<impl Iterator<Item = Result<Vec<u8>, JournalError>> + '_, JournalError> {
        let mut records = self.records()?;
        let next = move || match records.next_content() {
            Ok(true) => Some(Ok(std::mem::take(&mut records.content))),
            Ok(false) => None,
            Err(source) => Some(Err(self.file.failed(source))),
        };
        Ok(std::iter::from_fn(next))
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
        self.file.append(&self.record)
    }

    /// Deletes the journal of finished work.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.file.path).map_err(|source| self.file.failed(source))
    }

    /// The error of a record whose content cannot be read.
    pub fn bad_content(
        &self,
        reason: impl std::error::Error + Send + Sync + 'static,
    ) -> JournalError {
        self.file.failed(io::Error::new(io::ErrorKind::InvalidData, reason))
    }

    /// The error of content that no record can hold.
    pub fn bad_record(&self, reason: &'static str) -> JournalError {
        JournalError::Record { path: self.file.path.clone(), reason }
    }

    fn records(&self) -> Result<Records, JournalError> {
        let open = || {
            let mut file = self.file.file.try_clone()?;
            file.seek(SeekFrom::Start(0))?;
            Records::new(BufReader::new(file))
        };
        open().map_err(|source| self.file.failed(source))
    }
}

fn checksum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let hash = blake3::hash(content);
    std::array::from_fn(|i| hash.as_bytes()[i])
}

/// Reads a journal from its beginning.
struct Records {
    source: BufReader<File>,
    header: String,
    content: Vec<u8>,
    /// Bytes of the header and of the whole records read so far.
    whole_bytes: u64,
}

impl Records {
    fn new(mut source: BufReader<File>) -> io::Result<Self> {
        let mut header = String::new();
        let bytes = source.by_ref().take(MOST_HEADER_BYTES).read_line(&mut header)?;
        if header.pop() != Some('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no journal"));
        }
        Ok(Self { source, header, content: Vec::new(), whole_bytes: bytes as u64 })
    }

    /// Reads the next record; `false` if there is none, or no whole one.
    fn next_content(&mut self) -> io::Result<bool> {
        let head_bytes = RECORD_HEAD_BYTES as u64;
        self.content.clear();
        self.source.by_ref().take(head_bytes).read_to_end(&mut self.content)?;
        let Ok(head) = <[u8; RECORD_HEAD_BYTES]>::try_from(self.content.as_slice()) else {
            return Ok(false);
        };
        let (length, sum) = head.split_at(4);
        let length = u64::from(u32::from_le_bytes(std::array::from_fn(|i| length[i])));
        self.content.clear();
        self.source.by_ref().take(length).read_to_end(&mut self.content)?;
        let is_whole = self.content.len() as u64 == length && sum == checksum(&self.content);
        if is_whole {
            self.whole_bytes += head_bytes + length;
        }
        Ok(is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENTS: [&[u8]; 3] = [b"one", b"", b"a third record"];

    fn contents(journal: &ByteJournal) -> Vec<Vec<u8>> {
        journal.contents().unwrap().map(Result::unwrap).collect()
    }

    fn written(path: &Path) -> Vec<usize> {
        let length = || std::fs::metadata(path).unwrap().len() as usize;
        let mut journal = ByteJournal::create(path, "three records").unwrap();
        let mut ends = vec![length()];
        for content in CONTENTS {
            journal.append(content).unwrap();
            ends.push(length());
        }
        ends
    }

    #[test]
    fn wherever_it_is_torn_the_whole_records_remain_and_more_can_follow() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let ends = written(&path);
        let bytes = std::fs::read(&path).unwrap();
        for length in ends[0]..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let mut journal = ByteJournal::open(&path).unwrap();
            assert_eq!(journal.header().unwrap(), "three records");
            let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
            assert_eq!(contents(&journal), CONTENTS[..whole], "{length} bytes");
            CONTENTS[whole..].iter().for_each(|content| journal.append(content).unwrap());
            assert_eq!(contents(&journal), CONTENTS, "{length} bytes");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_record_that_was_never_written_through_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        written(&path);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 10;
        bytes[last..].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(contents(&ByteJournal::open(&path).unwrap()), CONTENTS[..2]);
    }

    #[test]
    fn two_processes_cannot_write_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = ByteJournal::create(&path, "").unwrap();
        assert!(matches!(ByteJournal::open(&path), Err(JournalError::InUse { .. })));
        // Nor can another one take its place.
        let anew = ByteJournal::create(&path, "afresh");
        assert!(matches!(anew, Err(JournalError::InUse { .. })));
        assert_eq!(first.header().unwrap(), "");
        drop(first);
        ByteJournal::open(&path).unwrap();
    }

    #[test]
    fn other_files_are_no_journals_and_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "a single line").unwrap();
        assert!(ByteJournal::open(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"a single line");
    }
}
