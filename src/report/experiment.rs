//! The page of an experiment: what its sets are worth, and how sure that is.
//!
//! The experiment room fills a [`Report`] with plain numbers; [`write()`] makes a
//! page of it and [`table::results`] a table for the terminal.

pub mod columns;
pub mod cross;
pub mod figures;
pub mod intervals;
pub mod lineup;
pub mod model;
pub mod page;
pub mod sheets;
pub mod summary;
pub mod table;

#[cfg(test)]
pub(super) mod demo;
#[cfg(test)]
mod tests;

use std::path::Path;

use super::files::{WrittenFiles, write_files};
use super::{ReportError, shrink};
use lineup::Lineup;
use model::{Report, SetRow};
use page::Pictures;

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
    let followings = figures::followings(&lineup).map_err(draw_error)?;
    let quantisation = figures::quantisation(&lineup).map_err(draw_error)?;
    let sheets = sheets(report)?;
    let names: Vec<String> = sheets.iter().map(|(name, _)| (*name).to_owned()).collect();
    let pictures = Pictures {
        figures: &figures,
        first_layers: &first_layers,
        followings: &followings,
        quantisation: &quantisation,
    };
    let page = page::render(report, &lineup, pictures, &names)
        .map_err(|source| ReportError::Page { experiment: experiment(), source })?;
    let mut figures = figures.iter().chain(&first_layers).chain(&followings).chain(&quantisation);
    write_files(dir, &mut figures, &sheets, &page)
}

/// What the page in `dir` shows and that of `report` would not, in words.
///
/// # Errors
/// A sheet that cannot be laid out.
pub fn lost(report: &Report, dir: &Path) -> Result<Vec<String>, ReportError> {
    let results = sheets(report)?.into_iter().filter(|(name, _)| *name == "results.csv");
    Ok(shrink::lost(dir, &results.collect::<Vec<_>>()))
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
    if report.learning.as_ref().is_some_and(|curves| !curves.rows.is_empty()) {
        layouts.push(("learning.csv", sheets::learning));
    }
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
