//! Positions written one a line: FEN or EPD, plain or compressed.

use std::io::BufRead;
use std::path::Path;

use super::{DataError, Source};
use crate::chess::Position;

/// File name endings that say it, `.zst` aside.
const ENDINGS: [&str; 2] = [".epd", ".fen"];

/// Reads the positions of a file in order. EPD operations, what follows a `#`
/// and empty lines are passed over.
pub struct PositionLines {
    source: Source,
    line: String,
    number: u64,
}

impl PositionLines {
    /// Whether a file's name says that it is such a list.
    pub fn is_named(path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = name.strip_suffix(".zst").unwrap_or(&name);
        ENDINGS.iter().any(|ending| plain.ends_with(ending))
    }

    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        Ok(Self { source: Source::open(path)?, line: String::new(), number: 0 })
    }

    /// Bytes of the file taken in so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// The next position; `None` at the end of the file.
    fn read(&mut self) -> Result<Option<Position>, DataError> {
        loop {
            self.line.clear();
            self.number += 1;
            let read = self.source.read_line(&mut self.line);
            if read.map_err(|e| self.source.error(e))? == 0 {
                return Ok(None);
            }
            let fen = fen_of_line(&self.line);
            if !fen.is_empty() {
                return self.understand(&fen).map(Some);
            }
        }
    }

    fn understand(&self, fen: &str) -> Result<Position, DataError> {
        Position::from_fen(fen).map_err(|error| DataError::BadLine {
            path: self.source.path().to_owned(),
            line: self.number,
            error,
        })
    }
}

impl Iterator for PositionLines {
    type Item = Result<Position, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The FEN a line begins with: four fields, and the two counters if they are
/// there (an EPD has operations in their place).
fn fen_of_line(line: &str) -> String {
    let text = line.split('#').next().unwrap_or_default();
    let fields: Vec<&str> = text.split_whitespace().collect();
    let has_counters =
        fields.len() >= 6 && fields[4..6].iter().all(|field| field.parse::<u32>().is_ok());
    fields[..fields.len().min(if has_counters { 6 } else { 4 })].join(" ")
}
