//! Cuts `.plain` between games: where the ply of a record is not the next one.

use super::END;
use crate::error::DataError;
use crate::formats::batch::Batch;
use crate::formats::entry::Splitter;
use crate::formats::list::{BYTE_ORDER_MARK, has_content, read_line};
use crate::formats::source::Source;

/// Bytes from which on records are cut anywhere: no game is longer.
const PIECE_BYTES: usize = 4 << 20;

/// Lines of a record; a writer's has six.
const MOST_LINES: u64 = 64;

/// Cuts a stream of bytes into runs of records.
#[derive(Default)]
pub(crate) struct PlainSplitter {
    /// Lines read so far.
    lines: u64,
    /// The record that begins the next run.
    ahead: Record,
}

/// A record in its own notation; empty at the end of the file.
#[derive(Default)]
struct Record {
    bytes: Vec<u8>,
    /// The line on which it begins.
    line: u64,
    ply: Option<u32>,
}

impl Splitter for PlainSplitter {
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError> {
        if self.lines == 0 {
            self.ahead = self.next(source)?;
        }
        while !batch.is_full() && !self.ahead.bytes.is_empty() {
            let (start, line) = (batch.bytes.len(), self.ahead.line);
            loop {
                let ply = self.ahead.ply;
                batch.bytes.append(&mut self.ahead.bytes);
                self.ahead = self.next(source)?;
                let is_next = ply.is_some_and(|ply| ply.checked_add(1) == self.ahead.ply);
                if !is_next || batch.bytes.len() - start >= PIECE_BYTES {
                    break;
                }
            }
            batch.close_entry(start, line);
        }
        Ok(())
    }
}

impl PlainSplitter {
    /// The next record, up to its end or that of the file.
    fn next(&mut self, source: &mut Source) -> Result<Record, DataError> {
        let (mut record, mut lines) = (Record::default(), 0);
        while lines < MOST_LINES {
            let start = record.bytes.len();
            if read_line(source, &mut record.bytes).map_err(|e| source.error(e))? == 0 {
                break;
            }
            self.lines += 1;
            if self.lines == 1 && record.bytes.starts_with(BYTE_ORDER_MARK) {
                record.bytes.drain(..BYTE_ORDER_MARK.len());
            }
            let line = record.bytes[start..].trim_ascii();
            if start == 0 && !has_content(line) {
                record.bytes.clear();
                continue;
            }
            if start == 0 {
                record.line = self.lines;
            }
            lines += 1;
            let is_end = line == END.as_bytes();
            if let Some(ply) = line.strip_prefix(b"ply ") {
                record.ply = std::str::from_utf8(ply).ok().and_then(|ply| ply.trim().parse().ok());
            }
            // Of a line that is too long, or the last of a file.
            if !record.bytes.ends_with(b"\n") {
                record.bytes.push(b'\n');
            }
            if is_end {
                break;
            }
        }
        Ok(record)
    }
}
