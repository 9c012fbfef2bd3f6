//! What can go wrong with a puzzle file.

use std::path::PathBuf;

use crate::data::DataError;

/// An error of the puzzle room.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    /// The file cannot be opened or read.
    #[error(transparent)]
    File(#[from] DataError),
    /// The header lacks a column that every puzzle needs.
    #[error("`{path}` has no column `{column}` in its header ({header}); the Lichess columns are PuzzleId,FEN,Moves,Rating,…", path = path.display())]
    MissingColumn {
        /// Which file.
        path: PathBuf,
        /// The missing column.
        column: &'static str,
        /// The header as it stands.
        header: String,
    },
    /// Not one good puzzle.
    #[error("no puzzles in `{path}`: {skipped}; expected lines of PuzzleId,FEN,Moves[,Rating,…] as Lichess publishes them", path = path.display())]
    NoPuzzles {
        /// Which file.
        path: PathBuf,
        /// What was skipped, and why.
        skipped: String,
    },
    /// The stop flag was set.
    #[error("stopped before all puzzles were tried")]
    Stopped,
}
