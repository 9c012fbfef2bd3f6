//! A journal of JSON lines, each with its checksum.

use std::fs::OpenOptions;
use std::io::Read;
use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::{AppendFile, JournalError};
use crate::identity::{differences, summary};
use crate::sealed;

/// A journal of JSON lines, locked against other processes.
#[derive(Debug)]
pub struct JsonJournal {
    file: AppendFile,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header<K, I> {
    /// Kind of the records.
    journal: K,
    settings: I,
}

impl JsonJournal {
    /// Opens or creates the journal of some work and returns its records.
    ///
    /// # Errors
    /// A file that cannot be used or is in use; a journal of another kind or of other settings; a
    /// line that was changed.
    pub fn open<R: DeserializeOwned>(
        path: &Path,
        kind: &'static str,
        settings: &impl Serialize,
    ) -> Result<(Self, Vec<R>), JournalError> {
        let mut journal = Self { file: AppendFile::open(path, OpenOptions::new().create(true))? };
        let mut bytes = Vec::new();
        journal.file.file.read_to_end(&mut bytes).map_err(|e| journal.file.failed(e))?;
        let whole = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        if whole == 0 {
            // Empty, or torn in its header; another text stays as it is.
            let header = sealed_line(&Header { journal: kind, settings });
            if !header.as_bytes().starts_with(&bytes) {
                return Err(journal.other_file(kind));
            }
            journal.file.cut(0)?;
            journal.file.append(header.as_bytes())?;
            return Ok((journal, Vec::new()));
        }
        let mut lines = bytes[..whole - 1].split(|&b| b == b'\n');
        journal.check(lines.next().unwrap_or_default(), kind, settings)?;
        journal.file.cut(whole as u64)?;
        let record =
            |(index, line)| sealed::parse(line).map_err(|reason| journal.bad_record(index, reason));
        let records = lines.enumerate().map(record).collect::<Result<_, _>>()?;
        Ok((journal, records))
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A disk that is full or gone.
    pub fn append(&mut self, record: &impl Serialize) -> Result<(), JournalError> {
        self.file.append(sealed_line(record).as_bytes())
    }

    /// The error of a record, counted from 0, that does not fit.
    pub fn bad_record(&self, index: usize, reason: String) -> JournalError {
        // The header is line 1.
        JournalError::Line { path: self.file.path.clone(), line: index + 2, reason }
    }

    /// The error of a journal of other work.
    pub fn other_settings(&self, kind: &'static str, difference: String) -> JournalError {
        JournalError::OtherSettings { path: self.file.path.clone(), kind, difference }
    }

    fn other_file(&self, kind: &str) -> JournalError {
        JournalError::OtherFile { path: self.file.path.clone(), kind: kind.to_owned() }
    }

    fn check(
        &self,
        line: &[u8],
        kind: &'static str,
        settings: &impl Serialize,
    ) -> Result<(), JournalError> {
        let header: Result<Header<IgnoredAny, IgnoredAny>, _> = serde_json::from_slice(line);
        if header.is_err() {
            return Err(self.other_file(kind));
        }
        let bad = |reason| JournalError::Line { path: self.file.path.clone(), line: 1, reason };
        let header: Header<String, serde_json::Value> = sealed::parse(line).map_err(bad)?;
        if header.journal != kind {
            return Err(self.other_file(kind));
        }
        match summary(&differences(&header.settings, settings)) {
            Some(difference) => Err(self.other_settings(kind, difference)),
            None => Ok(()),
        }
    }
}

fn sealed_line(value: &impl Serialize) -> String {
    // Only maps with keys that are no text and failing `Serialize` implementations make this
    // fail; records have neither.
    let line = serde_json::to_string(value).expect("plain data is valid JSON");
    format!("{}\n", sealed::seal(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Part {
        number: u32,
    }

    const PARTS: [Part; 3] = [Part { number: 1 }, Part { number: 2 }, Part { number: 3 }];

    fn open(path: &Path, seed: u32) -> Result<(JsonJournal, Vec<Part>), JournalError> {
        JsonJournal::open(path, "parts", &("seed", seed))
    }

    #[test]
    fn wherever_it_is_torn_the_whole_records_remain_and_more_can_follow() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, none) = open(&path, 1).unwrap();
        assert!(none.is_empty());
        PARTS.iter().for_each(|part| journal.append(part).unwrap());
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (mut journal, parts) = open(&path, 1).unwrap();
            let lines = bytes[..length].iter().filter(|&&b| b == b'\n').count();
            assert_eq!(parts, PARTS[..lines.saturating_sub(1)]);
            PARTS[parts.len()..].iter().for_each(|part| journal.append(part).unwrap());
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{length} bytes");
        }
    }

    #[test]
    fn every_byte_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = open(&path, 1).unwrap();
        PARTS.iter().for_each(|part| journal.append(part).unwrap());
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        // Without its end the last line is torn.
        for at in 0..bytes.len() - 1 {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let error = open(&path, 1).unwrap_err().to_string();
            assert!(error.contains("journal.jsonl"), "{error}");
        }
    }

    #[test]
    fn other_settings_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let held = open(&path, 1).unwrap();
        assert!(matches!(open(&path, 1), Err(JournalError::InUse { .. })));
        drop(held);
        assert!(matches!(open(&path, 2), Err(JournalError::OtherSettings { .. })));
        let other = JsonJournal::open::<Part>(&path, "games", &1);
        assert!(matches!(other, Err(JournalError::OtherFile { .. })));
        std::fs::write(&path, "dear diary\nday two\n").unwrap();
        assert!(matches!(open(&path, 1), Err(JournalError::OtherFile { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"dear diary\nday two\n");
    }
}
