//! Games out of a file of any format, a batch at a time.
//!
//! While one batch is decoded on all cores, the next is read and cut into
//! games on one of them. A game that makes no sense is handed back as a
//! [`BadGame`] in its place, so that whoever reads decides what to do and can
//! tell its number.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::{DataError, Format, Game, Source, SourceInfo, pgn, viriformat};

/// Text or bytes read before a batch is decoded. Large enough to keep all
/// cores busy, small enough to show progress and to stop soon.
const BATCH_BYTES: usize = 2 << 20;

/// Why a game was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameDefect {
    /// Not chess or Chess960.
    Variant,
    /// A start position that is not legal.
    StartPosition,
    /// A move that is not legal where it was played.
    IllegalMove,
    /// Text or bytes that are no game.
    Malformed,
    /// The file ends inside the game.
    CutShort,
}

impl fmt::Display for GameDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameDefect::Variant => "other variant",
            GameDefect::StartPosition => "illegal start position",
            GameDefect::IllegalMove => "illegal move",
            GameDefect::Malformed => "malformed",
            GameDefect::CutShort => "cut short",
        })
    }
}

/// A game that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {detail}")]
pub struct BadGame {
    /// The kind of trouble.
    pub defect: GameDefect,
    /// Line or byte in the uncompressed file.
    pub place: String,
    /// What is wrong.
    pub detail: String,
}

/// Where a game lies in its batch, and where in the file (line or byte).
pub(super) struct Extent {
    pub range: Range<usize>,
    pub place: u64,
}

/// Games still in their own notation.
#[derive(Default)]
pub(super) struct Batch {
    pub bytes: Vec<u8>,
    pub games: Vec<Extent>,
}

impl Batch {
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES
    }

    /// Closes the game that begins at `start`.
    pub fn close_game(&mut self, start: usize, place: u64) {
        self.games.push(Extent { range: start..self.bytes.len(), place });
    }
}

/// Knows where one game ends and the next begins.
enum Splitter {
    Pgn(pgn::Splitter),
    Viriformat(viriformat::Splitter),
}

impl Splitter {
    fn next_batch(&mut self, source: &mut Source) -> Result<Batch, DataError> {
        let mut batch = Batch::default();
        match self {
            Splitter::Pgn(splitter) => splitter.fill(source, &mut batch)?,
            Splitter::Viriformat(splitter) => splitter.fill(source, &mut batch)?,
        }
        Ok(batch)
    }
}

/// Reads the games of one file in order.
pub struct GameReader {
    source: Source,
    format: Format,
    splitter: Splitter,
    /// The batch to decode next; empty at the end of the file.
    ahead: Option<Result<Batch, DataError>>,
}

impl GameReader {
    /// Opens a file of a known format, plain or zstd.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let mut source = Source::open(path)?;
        let format = Format::detect(path, &mut source)?;
        let splitter = match format {
            Format::Pgn => Splitter::Pgn(pgn::Splitter::default()),
            Format::Viriformat => Splitter::Viriformat(viriformat::Splitter::default()),
        };
        Ok(Self { source, format, splitter, ahead: None })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Bytes of the file taken in so far, for progress.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    /// Decodes a batch of games in parallel and puts each through `map`.
    /// Results come in file order; `None` at the end of the file.
    ///
    /// Errors are of the file as a whole; a bad game is an entry of the batch.
    pub fn next_batch<T, F>(&mut self, map: F) -> Result<Option<Vec<Result<T, BadGame>>>, DataError>
    where
        T: Send,
        F: Fn(Game) -> T + Sync,
    {
        let batch = match self.ahead.take() {
            Some(batch) => batch?,
            None => self.splitter.next_batch(&mut self.source)?,
        };
        if batch.games.is_empty() {
            self.ahead = Some(Ok(batch));
            return Ok(None);
        }
        let format = self.format;
        let (ahead, decoded) = rayon::join(
            || self.splitter.next_batch(&mut self.source),
            || {
                let games = batch.games.par_iter();
                games.map(|game| decode(format, &batch.bytes, game).map(&map)).collect()
            },
        );
        self.ahead = Some(ahead);
        Ok(Some(decoded))
    }

    /// Closes the file and says what it was.
    pub fn finish(self) -> Result<SourceInfo, DataError> {
        self.source.finish()
    }
}

fn decode(format: Format, bytes: &[u8], game: &Extent) -> Result<Game, BadGame> {
    let bytes = &bytes[game.range.clone()];
    match format {
        Format::Pgn => pgn::decode(bytes, game.place),
        Format::Viriformat => viriformat::decode(bytes, game.place),
    }
}
