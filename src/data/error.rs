//! What can go wrong with data, told with the file, the place and the fix.

use std::io;
use std::path::PathBuf;

use super::filter::{DropCounts, Filter};
use archive::ArchiveError;
use base::memory::Shortage;

/// An error of the data room.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened.
    #[error("cannot open `{path}`: {source}; check the path (it is taken relative to the current directory)", path = path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// More than the memory holds.
    #[error(
        "{positions} positions are read, and for more of them {shortage}; use fewer files, or set \
         `data.positions` (`--positions`) to at most {positions}"
    )]
    TooMany {
        /// How many there was room for.
        positions: usize,
        /// What is missing.
        shortage: Shortage,
    },
    /// The file breaks off or cannot be read.
    #[error("cannot read `{path}` beyond byte {offset} of the file: {source}; if it is compressed it is probably cut short or damaged: fetch it again, or check it with `zstd -t`", path = path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Bytes of the file (compressed, if it is) read until then.
        offset: u64,
        /// Why.
        source: io::Error,
    },
    /// Neither the name nor the content says what the file is.
    #[error("`{path}` is in no known format: {found}; known are {known}, each also compressed (`.zst`). Rename the file to say what it is (standard input is then called `stdin.viri`, for example)", path = path.display())]
    UnknownFormat {
        /// Which file.
        path: PathBuf,
        /// What its first line shows.
        found: String,
        /// The known formats with their endings.
        known: String,
    },
    /// The content is not what the name says.
    #[error("`{path}` at byte {offset}: expected {expected}; the file is damaged there, or is no {format} file at all", path = path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// Where, in the uncompressed content.
        offset: u64,
        /// What should have stood there.
        expected: &'static str,
        /// What the file was taken for.
        format: &'static str,
    },
    /// A folder without files of a known format.
    #[error("no file in the folder `{path}` has a name that says a known format; name the files themselves", path = path.display())]
    EmptyFolder {
        /// Which folder.
        path: PathBuf,
    },
    /// Standard input or a pipe where data is read more than once.
    #[error(
        "`{path}` can be read once (it is a pipe or standard input), and here data is read more \
         than once; write it into a file",
        path = path.display()
    )]
    ReadOnce {
        /// Which.
        path: PathBuf,
    },
    /// A temporary file cannot be written or read.
    #[error("temporary files: {0}; make room, or set TMPDIR to a folder with more")]
    Spool(io::Error),
    /// Positions that are read cannot be kept in a file.
    #[error("the positions read cannot be kept: {0}; make room on the disk")]
    Gather(io::Error),
    /// An archive that cannot be read.
    #[error("`{path}`: {error}", path = path.display())]
    Archive {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: ArchiveError,
    },
    /// A list where games are needed.
    #[error("`{path}` ({format}) is a list of positions; games are needed here: PGN, viriformat, binpack or an archive", path = path.display())]
    NotGames {
        /// Which file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
    },
    /// The filter has rules that the format gives nothing to judge by.
    #[error("the filter {filter} cannot be applied to `{path}` ({format}):{reasons}", path = path.display())]
    Unserved {
        /// Which file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
        /// The filter.
        filter: Box<Filter>,
        /// Which rules, why, and what to write instead.
        reasons: String,
    },
    /// The net that the filter asks cannot be read.
    #[error("filter.static_gap: {0}")]
    FilterNet(#[from] nnue::NetError),
    /// Choices are asked of a list.
    #[error("`{path}` ({format}) is a list of positions, and nobody knows which moves were played in them; `training.method = \"pqr\"` ranks by those moves: give games (PGN or viriformat), or train with `method = \"target-scores\"`", path = path.display())]
    NoMoves {
        /// Which file.
        path: PathBuf,
        /// Its format.
        format: &'static str,
    },
    /// A file without positions.
    #[error("no positions in `{path}`: {skipped}", path = path.display())]
    NoPositions {
        /// Which file.
        path: PathBuf,
        /// What was skipped, and why.
        skipped: String,
    },
    /// A share outside 0..1.
    #[error(
        "validation = {0} is not a share of the games: give a number from 0 (none) to below 1, such as 0.05"
    )]
    BadShare(f64),
    /// No file was named.
    #[error("no training data is named: list at least one file under `data.train`")]
    NoSources,
    /// The files hold nothing.
    #[error("no {what} in {sources}: {skipped}")]
    NothingRead {
        /// What was looked for.
        what: &'static str,
        /// The files.
        sources: String,
        /// What was skipped, and why.
        skipped: String,
    },
    /// No position that passes.
    #[error("none of {positions} positions of {sources} is left: {dropped}. {advice}")]
    NothingLeft {
        /// The files.
        sources: String,
        /// Positions read.
        positions: u64,
        /// What dropped them.
        dropped: Box<DropCounts>,
        /// How to keep some.
        advice: &'static str,
    },
    /// A file cannot be written.
    #[error("cannot write `{path}`: {source}; {}", base::atomic::remedy(source), path = path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that says no format in which files are written.
    #[error("`{path}`: its name does not say a format that is written; known are {known}", path = path.display())]
    NotWritten {
        /// Which file.
        path: PathBuf,
        /// The formats with their endings.
        known: String,
    },
    /// The stop flag was set.
    #[error("stopped before all data was read")]
    Stopped,
}
