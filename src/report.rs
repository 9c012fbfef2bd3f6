//! Tables, plots, the HTML page: what people look at.
//!
//! The experiment room fills a [`Report`] with plain numbers; this room turns it
//! into a page that stands alone ([`write()`]: HTML with the plots inside, and
//! every number as CSV beside it) and into a table for the terminal
//! ([`table::results`]). Nothing is measured or estimated here, and nothing is
//! compared without its interval: an [`Estimate`] cannot be
//! made without one.
//!
//! The page needs no network, no script and no font, so that it still opens in
//! ten years and can be sent to a friend.

pub mod balance;
pub mod board;
pub mod columns;
pub mod cross;
pub mod estimate;
pub mod figures;
pub mod format;
pub mod games;
pub mod lineup;
pub mod machine;
pub mod model;
pub mod page;
pub mod plot;
pub mod puzzles;
pub mod sheets;
pub mod summary;
pub mod swatch;
pub mod table;

#[cfg(test)]
mod demo;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use estimate::{Estimate, Verdict};
pub use model::{
    DataFile, EloResult, EpochLoss, FirstLayerPicture, Limit, Machine, PairedPuzzles, Pairing,
    Provenance, PuzzleBucket, PuzzleSuite, QuantisationError, Report, RunRow, SeedSpread, SetRow,
};

use lineup::Lineup;
use page::Pictures;

/// What [`write()`] left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFiles {
    /// The page.
    pub page: PathBuf,
    /// The CSV files.
    pub sheets: Vec<PathBuf>,
    /// The plots as SVG files.
    pub plots: Vec<PathBuf>,
}

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Two arms go by one name; their rows could not be told apart.
    #[error(
        "two sets of experiment {experiment:?} are both called {label:?}; give their `variant` what sets them apart"
    )]
    SameName {
        /// The experiment.
        experiment: String,
        /// The name.
        label: String,
    },
    /// The disk said no.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A plot failed.
    #[error("cannot draw the plots of {experiment:?}: {source}")]
    Draw {
        /// The experiment, or what else the report is of.
        experiment: String,
        /// Why.
        source: plot::DrawError,
    },
    /// A sheet failed.
    #[error("cannot lay out {name}: {source}")]
    Sheet {
        /// Which sheet.
        name: String,
        /// Why.
        source: csv::Error,
    },
    /// The page failed.
    #[error("cannot lay out the page of {experiment:?}: {source}")]
    Page {
        /// The experiment, or what else the report is of.
        experiment: String,
        /// Why.
        source: askama::Error,
    },
}

/// Writes `index.html`, the CSV sheets and the plots into `dir`, which is made
/// if it is not there. Each file appears whole or not at all, and the page
/// last, so a page is never without its sheets.
///
/// # Errors
/// Two sets of the same name, or a disk that cannot be written.
pub fn write(report: &Report, dir: &Path) -> Result<WrittenFiles, ReportError> {
    check_names(report)?;
    let experiment = || report.name.clone();
    let draw_error = |source| ReportError::Draw { experiment: experiment(), source };
    let lineup = Lineup::of(report);
    let figures = figures::comparisons(report, &lineup).map_err(draw_error)?;
    let first_layers = figures::first_layers(&lineup).map_err(draw_error)?;
    let quantisation = figures::quantisation(&lineup).map_err(draw_error)?;
    let sheets = sheets(report)?;
    let names: Vec<String> = sheets.iter().map(|(name, _)| (*name).to_owned()).collect();
    let pictures =
        Pictures { figures: &figures, first_layers: &first_layers, quantisation: &quantisation };
    let page = page::render(report, &lineup, pictures, &names)
        .map_err(|source| ReportError::Page { experiment: experiment(), source })?;
    let mut figures = figures.iter().chain(&first_layers).chain(&quantisation);
    write_files(dir, &mut figures, &sheets, &page)
}

/// Writes the files of a page, the page itself last.
fn write_files(
    dir: &Path,
    figures: &mut dyn Iterator<Item = &figures::Figure>,
    sheets: &[(&str, Vec<u8>)],
    page: &str,
) -> Result<WrittenFiles, ReportError> {
    fs::create_dir_all(dir)
        .map_err(|source| ReportError::Write { path: dir.to_path_buf(), source })?;
    let mut written = WrittenFiles { page: PathBuf::new(), sheets: Vec::new(), plots: Vec::new() };
    for figure in figures {
        let name = format!("{}.svg", figure.id);
        written.plots.push(write_whole(dir, &name, figure.svg.standalone().as_bytes())?);
    }
    for (name, bytes) in sheets {
        written.sheets.push(write_whole(dir, name, bytes)?);
    }
    written.page = write_whole(dir, "index.html", page.as_bytes())?;
    Ok(written)
}

fn check_names(report: &Report) -> Result<(), ReportError> {
    let labels: Vec<String> = report.sets.iter().map(SetRow::label).collect();
    match labels.iter().enumerate().find(|(i, label)| labels[..*i].contains(label)) {
        Some((_, label)) => {
            Err(ReportError::SameName { experiment: report.name.clone(), label: label.clone() })
        }
        None => Ok(()),
    }
}

/// The sheets that have rows; `results.csv`, `losses.csv` and `games.csv` are
/// always there.
fn sheets(report: &Report) -> Result<Vec<(&'static str, Vec<u8>)>, ReportError> {
    type Sheet = fn(&Report) -> Result<Vec<u8>, csv::Error>;
    let mut layouts: Vec<(&str, Sheet)> = vec![
        ("results.csv", sheets::results),
        ("losses.csv", sheets::losses),
        ("games.csv", sheets::games),
    ];
    if report.sets.iter().any(|set| !set.puzzle_buckets.is_empty()) {
        layouts.push(("puzzles.csv", sheets::puzzles));
    }
    let has_histogram = |set: &SetRow| set.histograms().next().is_some();
    if report.sets.iter().any(has_histogram) {
        layouts.push(("quantisation.csv", sheets::quantisation));
    }
    let lay_out = |(name, sheet): (&'static str, Sheet)| match sheet(report) {
        Ok(bytes) => Ok((name, bytes)),
        Err(source) => Err(ReportError::Sheet { name: name.to_owned(), source }),
    };
    layouts.into_iter().map(lay_out).collect()
}

/// Writes beside the file and renames, so that a reader never sees half of it.
fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ReportError> {
    let path = dir.join(name);
    let partial = dir.join(format!(".{name}.partial"));
    let result = File::create(&partial)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&partial, &path));
    match result {
        Ok(()) => Ok(path),
        Err(source) => {
            // Best effort: the error that matters is the first one.
            let _ = fs::remove_file(&partial);
            Err(ReportError::Write { path, source })
        }
    }
}
