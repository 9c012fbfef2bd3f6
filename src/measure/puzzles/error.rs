//! Errors of puzzle files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::list::ListDefect;
use base::atomic::WriteError;
use data::{DataError, SkipReport};

/// An error of the puzzle room.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    #[error(transparent)]
    File(#[from] DataError),
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The header lacks a column that every puzzle needs.
    #[error("`{path}` has no column `{column}` in its header ({header}); the Lichess columns are PuzzleId,FEN,Moves,Rating,…", path = path.display())]
    MissingColumn { path: PathBuf, column: &'static str, header: String },
    #[error("no puzzles in `{path}`: {skipped}; expected lines of PuzzleId,FEN,Moves[,Rating,…] as Lichess publishes them", path = path.display())]
    NoPuzzles { path: PathBuf, skipped: String },
    #[error("no puzzle of `{path}` meets the conditions: {counts}; relax the condition that drops most", path = path.display())]
    NothingSelected { path: PathBuf, counts: String },
    #[error("no puzzle of `{path}` has the theme `{theme}`{}; the file has {themes}", nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?")), path = path.display())]
    UnknownTheme { path: PathBuf, theme: String, nearest: Option<String>, themes: String },
    #[error("a puzzle of `{path}` has no id (`{fen}`); only puzzles with ids can be frozen", path = path.display())]
    NoId { path: PathBuf, fen: String },
    #[error("`{path}`: {defect}", path = path.display())]
    List { path: PathBuf, defect: ListDefect },
    /// Puzzles of a list that the file does not have.
    #[error("`{path}` lacks {count} of the {of} puzzles of the list ({first}); give the source of the list, `{source_name}`", path = path.display())]
    MissingIds { path: PathBuf, count: usize, of: usize, first: String, source_name: String },
    #[error("the list was made from `{source_name}` with BLAKE3 {named}, but `{path}` has {found}; give that file, or `--other-file` to take the puzzles from this one", path = path.display())]
    OtherFile { path: PathBuf, source_name: String, named: String, found: String },
    #[error("no usable positions in `{path}`: {skipped}; expected lines of EPD with `bm`, `am`, `dm`, or points in `c8` and `c9`", path = path.display())]
    NoQuestions { path: PathBuf, skipped: String },
    /// The stop flag was set.
    #[error("stopped before the last puzzle")]
    Stopped,
}

impl PuzzleError {
    /// A file without a good puzzle.
    pub(super) fn no_puzzles<R: Ord + Copy + Display>(
        path: &Path,
        skipped: &SkipReport<R>,
    ) -> Self {
        Self::NoPuzzles { path: path.to_owned(), skipped: named(skipped) }
    }

    /// A suite without a good question.
    pub(super) fn no_questions<R: Ord + Copy + Display>(
        path: &Path,
        skipped: &SkipReport<R>,
    ) -> Self {
        Self::NoQuestions { path: path.to_owned(), skipped: named(skipped) }
    }
}

/// Counts of skipped lines, and the first three of them.
fn named<R: Ord + Copy + Display>(skipped: &SkipReport<R>) -> String {
    let first = skipped.first().iter().map(|message| format!("\n  {message}"));
    format!("{skipped}{}", first.collect::<String>())
}
