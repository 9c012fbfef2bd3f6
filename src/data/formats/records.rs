//! Files of records that all have the same length.

use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::Splitter;
use crate::formats::source::{Source, read_full};

/// Cuts a stream of bytes into records.
pub(crate) struct RecordSplitter {
    bytes: usize,
    offset: u64,
}

impl RecordSplitter {
    /// Splitter of records of `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { bytes, offset: 0 }
    }
}

impl Splitter for RecordSplitter {
    /// The last record may be cut short.
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() {
            let start = batch.bytes.len();
            batch.bytes.resize(start + self.bytes, 0);
            let read = read_full(source, &mut batch.bytes[start..]).map_err(|e| source.error(e))?;
            batch.bytes.truncate(start + read);
            if read == 0 {
                break;
            }
            batch.close_entry(start, self.offset);
            self.offset += read as u64;
        }
        Ok(())
    }
}

/// A whole record.
pub(crate) fn whole<const BYTES: usize>(
    bytes: &[u8],
    offset: u64,
) -> Result<&[u8; BYTES], BadEntry> {
    bytes.try_into().map_err(|_| {
        let detail = format!("the file ends after {} of {BYTES} bytes", bytes.len());
        bad(offset, Defect::CutShort, detail)
    })
}

/// A bad record that begins at that byte.
pub(crate) fn bad(offset: u64, defect: Defect, detail: String) -> BadEntry {
    BadEntry { defect, place: format!("byte {offset}"), detail }
}
