//! Errors of data, with the file, the place and the fix.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::formats::archive::ArchiveError;
use crate::samples::filter::{DropCounts, Filter};
use base::memory::Shortage;

#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("cannot open `{path}`: {source}; check the path (it is taken relative to the current directory)", path = path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error(
        "{positions} positions are read, and for more of them {shortage}; use fewer files, or set \
         `data.positions` (`--positions`) to at most {positions}"
    )]
    TooMany { positions: usize, shortage: Shortage },
    #[error("cannot read `{path}` beyond byte {offset} of the file: {source}; if it is compressed it is probably cut short or damaged: fetch it again, or check it with `zstd -t` (`gzip -t`, `bzip2 -t`)", path = path.display())]
    Read {
        path: PathBuf,
        /// Bytes of the file (compressed, if it is) read until then.
        offset: u64,
        source: io::Error,
    },
    #[error("`{path}` is in no known format: {found}; known are {known}, each also compressed (`.zst`, `.gz`, `.bz2`). Rename the file with the ending of its format (standard input: `stdin.viri`, for example)", path = path.display())]
    UnknownFormat { path: PathBuf, found: String, known: String },
    #[error("`{path}` at byte {offset}: expected {expected}; the file is damaged there, or is no {format} file at all", path = path.display())]
    Broken { path: PathBuf, offset: u64, expected: &'static str, format: &'static str },
    #[error("no file in the folder `{path}` has a name that says a known format; name the files themselves", path = path.display())]
    EmptyFolder { path: PathBuf },
    /// Standard input or a pipe where data is read more than once.
    #[error(
        "`{path}` can be read once (it is a pipe or standard input), and here data is read more \
         than once; write it into a file",
        path = path.display()
    )]
    ReadOnce { path: PathBuf },
    #[error("temporary files: {0}; make room, or set TMPDIR to a folder with more")]
    Spool(io::Error),
    /// Positions that are read cannot be kept in a file.
    #[error("the positions read cannot be kept: {0}; make room on the disk")]
    Gather(io::Error),
    #[error("`{path}`: {error}", path = path.display())]
    Archive { path: PathBuf, error: ArchiveError },
    #[error("`{path}` ({format}) is a list of positions; games are needed here: PGN, viriformat, binpack, `.plain` or an archive", path = path.display())]
    NotGames { path: PathBuf, format: &'static str },
    /// The filter has rules that the format gives nothing to judge by.
    #[error("the filter {filter} cannot be applied to `{path}` ({format}):{reasons}", path = path.display())]
    Unserved { path: PathBuf, format: &'static str, filter: Box<Filter>, reasons: String },
    #[error("filter.static_gap: {0}")]
    FilterNet(#[from] nnue::NetError),
    #[error("`{path}` ({format}) is a list of positions, without the moves played in them; `training.method = \"pqr\"` ranks by those moves: give games (PGN or viriformat), or train with `method = \"target-scores\"`", path = path.display())]
    NoMoves { path: PathBuf, format: &'static str },
    /// The features read the half-move clock, and the format has none.
    #[error("`{path}` ({format}) has no half-move clocks, and the net reads them (`halfmoves`): give games (PGN, viriformat, binpack or an archive) or lines with both counters of a FEN, or leave `halfmoves` out", path = path.display())]
    NoHalfmoves { path: PathBuf, format: &'static str },
    #[error("no positions in `{path}`: {skipped}", path = path.display())]
    NoPositions { path: PathBuf, skipped: String },
    /// A share outside 0..1.
    #[error(
        "validation = {0} is not a share of the games: give a number from 0 (none) to below 1, such as 0.05"
    )]
    BadShare(f64),
    #[error("no training data: name at least one file (`data.train` in TOML)")]
    NoSources,
    #[error("no {what} in {sources}: {skipped}")]
    NothingRead { what: &'static str, sources: String, skipped: String },
    #[error("none of {positions} positions of {sources} is left: {dropped}. {advice}")]
    NothingLeft { sources: String, positions: u64, dropped: Box<DropCounts>, advice: &'static str },
    #[error("cannot write `{path}`: {source}; {}", base::atomic::remedy(source), path = path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{path}`: its name does not say a format that is written; known are {known}", path = path.display())]
    NotWritten { path: PathBuf, known: String },
    /// The stop flag was set.
    #[error("stopped before all data was read")]
    Stopped,
}

impl DataError {
    /// [`Stopped`](Self::Stopped) if the stop flag is set.
    pub(crate) fn if_stopped(stop: &AtomicBool) -> Result<(), Self> {
        if stop.load(Ordering::Relaxed) { Err(Self::Stopped) } else { Ok(()) }
    }
}
