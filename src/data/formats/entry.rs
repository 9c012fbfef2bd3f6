//! Entries of a file of any format, a batch at a time: games, or the positions of a list.
//!
//! While one batch is decoded on all cores, the next is read and cut into entries on one of
//! them. An entry that makes no sense comes back in its place with its number, file and line or
//! byte, so that the caller decides what to do.

use std::path::Path;

use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

use super::batch::{Batch, Extent};
use super::format::FileFormat;
use super::list::ListedPosition;
use super::source::{Source, SourceInfo};
use crate::defect::{BadEntry, Defect};
use crate::error::DataError;
use crate::skip::SkipReport;
use chess::Game;

/// A game, or a position of a list.
#[derive(Clone, Debug)]
pub enum Entry {
    Game(Game),
    /// A position without its game.
    Position(ListedPosition),
}

/// Finds where one entry of a file ends and the next begins.
pub(crate) trait Splitter: Send {
    /// Adds entries until the batch is full or the file ends.
    fn fill(&mut self, source: &mut Source, batch: &mut Batch) -> Result<(), DataError>;
}

/// The entries in a piece of a file: one, or as many as are packed together.
pub(crate) type Decoded = SmallVec<[Result<Entry, BadEntry>; 1]>;

/// Decodes the bytes of an entry by its number.
type Decode = dyn Fn(&[u8], u64) -> Decoded + Send + Sync;

/// Splitter and decoder of a format.
pub(crate) struct FormatReader {
    splitter: Box<dyn Splitter>,
    /// Decodes the piece that begins at that place (line or byte) of its file.
    decode: Box<Decode>,
    /// Several entries are packed together.
    is_packed: bool,
}

impl FormatReader {
    /// For games that stand alone.
    pub(crate) fn games(
        splitter: impl Splitter + 'static,
        decode: fn(&[u8], u64) -> Result<Game, BadEntry>,
    ) -> Self {
        let decode = move |bytes: &[u8], place| -> Decoded {
            smallvec![decode(bytes, place).map(Entry::Game)]
        };
        Self { splitter: Box::new(splitter), decode: Box::new(decode), is_packed: false }
    }

    /// For positions that stand alone.
    pub(crate) fn positions(
        splitter: impl Splitter + 'static,
        decode: fn(&[u8], u64) -> Result<ListedPosition, BadEntry>,
    ) -> Self {
        let decode = move |bytes: &[u8], place| -> Decoded {
            smallvec![decode(bytes, place).map(Entry::Position)]
        };
        Self { splitter: Box::new(splitter), decode: Box::new(decode), is_packed: false }
    }

    /// For games that are packed together.
    pub(crate) fn packed_games(
        splitter: impl Splitter + 'static,
        decode: impl Fn(&[u8], u64) -> Vec<Result<Game, BadEntry>> + Send + Sync + 'static,
    ) -> Self {
        let decode = move |bytes: &[u8], place| -> Decoded {
            decode(bytes, place).into_iter().map(|game| game.map(Entry::Game)).collect()
        };
        Self { splitter: Box::new(splitter), decode: Box::new(decode), is_packed: true }
    }
}

/// Reads the entries of a file in order.
pub struct EntryReader {
    source: Source,
    format: FileFormat,
    parts: FormatReader,
    /// The batch to decode next; empty at the end of the file.
    ahead: Option<Result<Batch, DataError>>,
    /// Limit of the pieces to read.
    few: Option<usize>,
    /// Entries read so far.
    number: u64,
}

impl EntryReader {
    /// Opens a file of a known format, plain or zstd.
    ///
    /// # Errors
    /// A file that is missing or of no known format.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let mut source = Source::open(path)?;
        let format = FileFormat::detect(path, &mut source)?;
        let parts = format.reader(&mut source)?;
        Ok(Self { source, format, parts, ahead: None, few: None, number: 0 })
    }

    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// Bytes of the file read so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// Limits reading to the first `entries` entries: batches are small, and none is read ahead.
    pub fn only_first(&mut self, entries: usize) {
        self.few = Some(if self.parts.is_packed { 1 } else { entries.max(1) });
    }

    /// The next entries, each put through `map` in parallel, in file order; a bad one comes
    /// with its message. `None` at the end of the file.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn next_batch<T: Send>(
        &mut self,
        map: impl Fn(Entry) -> T + Sync,
    ) -> Result<Option<Vec<Result<T, BadMessage>>>, DataError> {
        let Some(batch) = self.decoded(map)? else { return Ok(None) };
        let numbered = |entry: Result<T, BadEntry>| {
            self.number += 1;
            entry.map_err(|bad| BadMessage { message: self.message(&bad), bad })
        };
        Ok(Some(batch.into_iter().map(numbered).collect()))
    }

    /// As [`next_batch`](Self::next_batch), without the bad entries, which `skipped` counts.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn next_good<T: Send>(
        &mut self,
        map: impl Fn(Entry) -> T + Sync,
        skipped: &mut SkipReport<Defect>,
    ) -> Result<Option<Vec<T>>, DataError> {
        let Some(batch) = self.decoded(map)? else { return Ok(None) };
        let mut good = Vec::with_capacity(batch.len());
        for entry in batch {
            self.number += 1;
            match entry {
                Ok(entry) => good.push(entry),
                Err(bad) => skipped.add(bad.defect, || self.message(&bad)),
            }
        }
        Ok(Some(good))
    }

    /// The message about the last entry, with file and place.
    fn message(&self, bad: &BadEntry) -> String {
        let path = self.source.path().display();
        match self.format.has_games() {
            true => format!("{path}: game {}, {bad}", self.number),
            false => format!("{path}: {bad}"),
        }
    }

    fn decoded<T: Send>(
        &mut self,
        map: impl Fn(Entry) -> T + Sync,
    ) -> Result<Option<Vec<Result<T, BadEntry>>>, DataError> {
        let batch = match self.ahead.take() {
            Some(batch) => batch?,
            None => self.split(self.few.unwrap_or(usize::MAX))?,
        };
        if batch.entries.is_empty() {
            self.ahead = Some(Ok(batch));
            return Ok(None);
        }
        let FormatReader { splitter, decode, .. } = &mut self.parts;
        let (decode, map) = (&*decode, &map);
        let decode = |piece: &Extent| {
            let entries = decode(&batch.bytes[piece.range.clone()], piece.place);
            entries.into_iter().map(|entry| entry.map(map))
        };
        if self.few.is_some() {
            return Ok(Some(batch.entries.par_iter().flat_map_iter(decode).collect()));
        }
        let (ahead, decoded) = rayon::join(
            || split(splitter.as_mut(), &mut self.source, usize::MAX),
            || batch.entries.par_iter().flat_map_iter(decode).collect(),
        );
        self.ahead = Some(ahead);
        Ok(Some(decoded))
    }

    fn split(&mut self, most: usize) -> Result<Batch, DataError> {
        split(self.parts.splitter.as_mut(), &mut self.source, most)
    }

    /// Closes the file and describes it.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn finish(self) -> Result<SourceInfo, DataError> {
        self.source.finish()
    }
}

fn split(
    splitter: &mut dyn Splitter,
    source: &mut Source,
    most: usize,
) -> Result<Batch, DataError> {
    let mut batch = Batch::limited(most);
    splitter.fill(source, &mut batch)?;
    Ok(batch)
}

/// A bad entry and its message.
#[derive(Clone, Debug)]
pub struct BadMessage {
    pub bad: BadEntry,
    /// File, number, place and detail.
    pub message: String,
}

/// Reads the games of a file in order.
pub struct GameReader(EntryReader);

impl GameReader {
    /// Opens a file of games.
    ///
    /// # Errors
    /// As [`EntryReader::open`]; a list of positions.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let reader = EntryReader::open(path)?;
        let format = reader.format();
        match format.has_games() {
            true => Ok(Self(reader)),
            false => Err(DataError::NotGames { path: path.to_owned(), format: format.name() }),
        }
    }

    /// As [`EntryReader::next_batch`], a bad entry without its message.
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn next_batch<T: Send>(
        &mut self,
        map: impl Fn(Game) -> T + Sync,
    ) -> Result<Option<Vec<Result<T, BadEntry>>>, DataError> {
        let batch = self.0.decoded(of_game(map))?;
        Ok(batch.map(|batch| batch.into_iter().filter_map(Result::transpose).collect()))
    }

    /// As [`EntryReader::next_good`].
    ///
    /// # Errors
    /// A file that breaks off or cannot be read.
    pub fn next_good<T: Send>(
        &mut self,
        map: impl Fn(Game) -> T + Sync,
        skipped: &mut SkipReport<Defect>,
    ) -> Result<Option<Vec<T>>, DataError> {
        let batch = self.0.next_good(of_game(map), skipped)?;
        Ok(batch.map(|batch| batch.into_iter().flatten().collect()))
    }
}

fn of_game<T>(map: impl Fn(Game) -> T + Sync) -> impl Fn(Entry) -> Option<T> + Sync {
    move |entry| match entry {
        Entry::Game(game) => Some(map(game)),
        Entry::Position(_) => None,
    }
}
