//! A game, or a position of a list: whatever a file holds.

use std::path::Path;

use super::{
    BadEntry, DataError, DataFile, Format, Game, GameReader, ListReader, ListedPosition, SourceInfo,
};

/// What a file holds many of.
#[derive(Clone, Debug)]
pub enum Entry {
    Game(Game),
    /// A position without its game.
    Position(ListedPosition),
}

/// Reads the entries of a file in order, whatever it holds.
pub struct EntryReader {
    file: DataFile,
    /// Entries read so far.
    number: u64,
}

impl EntryReader {
    /// Opens a file of a known format, plain or zstd.
    ///
    /// # Errors
    /// A file that is missing or of no known format.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        Ok(Self { file: DataFile::open(path)?, number: 0 })
    }

    pub fn format(&self) -> Format {
        self.file.format()
    }

    /// Bytes of the file taken in so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        match &self.file {
            DataFile::Games(reader) => reader.bytes_read(),
            DataFile::List(reader) => reader.bytes_read(),
        }
    }

    /// Takes no more of the file than the first so many entries need.
    pub fn only_first(&mut self, entries: usize) {
        match &mut self.file {
            DataFile::Games(reader) => reader.only_first(entries),
            DataFile::List(reader) => reader.only_first(entries),
        }
    }

    /// The next entries, each put through `map` in parallel; a bad one comes with its
    /// message, which names file and place. `None` at the end of the file.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn next_batch<T: Send>(
        &mut self,
        map: impl Fn(Entry) -> T + Sync,
    ) -> Result<Option<Vec<Result<T, BadMessage>>>, DataError> {
        match &mut self.file {
            DataFile::Games(reader) => {
                let batch = reader.next_batch(|game| map(Entry::Game(game)))?;
                Ok(batch
                    .map(|batch| told(batch, &mut self.number, |n, bad| reader.message(n, bad))))
            }
            DataFile::List(reader) => {
                let batch = reader.next_batch(|listed| map(Entry::Position(listed)))?;
                Ok(batch
                    .map(|batch| told(batch, &mut self.number, |n, bad| reader.message(n, bad))))
            }
        }
    }

    /// Closes the file and says what it was.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn finish(self) -> Result<SourceInfo, DataError> {
        match self.file {
            DataFile::Games(reader) => GameReader::finish(reader),
            DataFile::List(reader) => ListReader::finish(reader),
        }
    }
}

/// A bad entry, with what a person is told of it.
#[derive(Clone, Debug)]
pub struct BadMessage {
    pub bad: BadEntry,
    /// File, place and detail.
    pub message: String,
}

fn told<T>(
    batch: Vec<Result<T, BadEntry>>,
    number: &mut u64,
    message: impl Fn(u64, &BadEntry) -> String,
) -> Vec<Result<T, BadMessage>> {
    let tell = |entry: Result<T, BadEntry>| {
        *number += 1;
        entry.map_err(|bad| BadMessage { message: message(*number, &bad), bad })
    };
    batch.into_iter().map(tell).collect()
}
