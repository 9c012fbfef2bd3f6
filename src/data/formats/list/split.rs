//! Cuts a list into its lines.

use std::io::{BufRead, Read};

use super::has_content;
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::Splitter;
use crate::formats::source::Source;

/// Longest line, in bytes; the rest is ignored, so that a file without line ends does not fill
/// the memory.
const LINE_BYTES: u64 = 64 << 10;

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts a stream of bytes into lines with content.
#[derive(Default)]
pub(crate) struct LineSplitter {
    /// Lines read so far.
    number: u64,
}

impl Splitter for LineSplitter {
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        while !batch.is_full() && self.next_line(source, batch)? {}
        Ok(())
    }
}

impl LineSplitter {
    /// Reads a line, and adds it if it has content; `false` at the end of the file.
    fn next_line(&mut self, source: &mut Source, batch: &mut Batch) -> Result<bool, DataError> {
        let start = batch.bytes.len();
        if read_line(source, &mut batch.bytes).map_err(|e| source.error(e))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.number == 1 && batch.bytes[start..].starts_with(BYTE_ORDER_MARK) {
            batch.bytes.drain(start..start + BYTE_ORDER_MARK.len());
        }
        if has_content(&batch.bytes[start..]) {
            batch.close_entry(start, self.number);
        } else {
            batch.bytes.truncate(start);
        }
        Ok(true)
    }
}

/// Appends the beginning of the next line and leaves the source behind its
/// end; the number of bytes appended.
pub(crate) fn read_line(source: &mut Source, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
    let read = source.take(LINE_BYTES).read_until(b'\n', bytes)?;
    if read > 0 && bytes.last() != Some(&b'\n') {
        source.skip_until(b'\n')?;
    }
    Ok(read)
}
