//! The page of a suite of puzzles: several players side by side.
//!
//! Like the page of an experiment ([`super::write`]) it stands alone, with every
//! number as CSV beside it. The first player is what the others are compared
//! with, puzzle by puzzle; what players failed stands on boards, for a share
//! says nothing of what is missed.

pub mod diagram;
pub mod failed;
pub mod figures;
pub mod findings;
pub mod groups;
pub mod model;
mod page;
pub mod sheets;

#[cfg(test)]
mod tests;

use std::path::Path;

pub use failed::FailedPuzzle;
pub use model::{PlayerRow, PuzzleReport, SuiteFile};

use super::ReportError;
use super::files::{WrittenFiles, write_files};

/// Writes `index.html`, the CSV sheets and the plots into `dir`, which is made
/// if it is not there; the page last.
///
/// # Errors
/// A disk that cannot be written.
pub fn write(report: &PuzzleReport, dir: &Path) -> Result<WrittenFiles, ReportError> {
    let experiment = || report.title.clone();
    let draw_error = |source| ReportError::Draw { experiment: experiment(), source };
    let figures = figures::all(report).map_err(draw_error)?;
    let boards = figures::boards(report).map_err(draw_error)?;
    let sheets = sheets(report)?;
    let names: Vec<&str> = sheets.iter().map(|(name, _)| *name).collect();
    let page = page::render(report, &figures, &boards, &names)
        .map_err(|source| ReportError::Page { experiment: experiment(), source })?;
    write_files(dir, &mut figures.iter(), &sheets, &page)
}

fn sheets(report: &PuzzleReport) -> Result<Vec<(&'static str, Vec<u8>)>, ReportError> {
    type Sheet = fn(&PuzzleReport) -> Result<Vec<u8>, csv::Error>;
    let layouts: [(&str, Sheet); 5] = [
        ("players.csv", sheets::players),
        ("ratings.csv", sheets::ratings),
        ("themes.csv", sheets::themes),
        ("pairs.csv", sheets::pairs),
        ("outcomes.csv", sheets::outcomes),
    ];
    let lay_out = |(name, sheet): (&'static str, Sheet)| match sheet(report) {
        Ok(bytes) => Ok((name, bytes)),
        Err(source) => Err(ReportError::Sheet { name: name.to_owned(), source }),
    };
    layouts.into_iter().map(lay_out).collect()
}
