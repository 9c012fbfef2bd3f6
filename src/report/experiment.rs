//! The page of an experiment: what its sets are worth, and how sure that is.
//!
//! The experiment room fills a [`Report`] with plain numbers; [`write()`] makes a
//! page of it and [`table::results`] a table for the terminal.

pub mod card;
pub mod columns;
pub mod cross;
pub mod factors;
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

use std::path::{Path, PathBuf};

use super::figure::Figure;
use super::files::{WrittenFiles, write_files, write_whole};
use super::now::Now;
use super::plot::DrawError;
use super::{ReportError, raster, shrink};
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
    let lineup = Lineup::of(report);
    let drawn = Drawn::of(report, &lineup)?;
    let sheets = sheets(report)?;
    let names: Vec<String> = sheets.iter().map(|(name, _)| (*name).to_owned()).collect();
    let page = drawn.page(report, &lineup, &names, None)?;
    write_files(dir, &mut drawn.all(), &sheets, &page)
}

/// The page as it is while its experiment goes on, with what is under way above what is
/// measured; it lies on no disk and has no sheets.
///
/// # Errors
/// Two sets of the same name, or a plot that cannot be drawn.
pub fn live(report: &Report, now: &Now) -> Result<String, ReportError> {
    check_names(report)?;
    let lineup = Lineup::of(report);
    Drawn::of(report, &lineup)?.page(report, &lineup, &[], Some(now))
}

/// Writes `card.svg` and `card.png` into `dir`: the report as one picture of 1200 × 630 pixels.
///
/// # Errors
/// A disk that cannot be written, or a machine without fonts: then the first is there.
pub fn write_card(report: &Report, dir: &Path) -> Result<[PathBuf; 2], ReportError> {
    let failed = |source| ReportError::Draw { experiment: report.name.clone(), source };
    let picture = card::draw(report).map_err(failed)?;
    let svg = write_whole(dir, "card.svg", picture.standalone().as_bytes())?;
    Ok([svg, write_whole(dir, "card.png", &raster::png(&picture)?)?])
}

/// All pictures of a page.
struct Drawn {
    figures: Vec<Figure>,
    first_layers: Vec<Figure>,
    followings: Vec<Figure>,
    quantisation: Option<Figure>,
}

impl Drawn {
    fn of(report: &Report, lineup: &Lineup) -> Result<Self, ReportError> {
        let draw = || -> Result<Self, DrawError> {
            Ok(Self {
                figures: figures::comparisons(report, lineup)?,
                first_layers: figures::first_layers(lineup)?,
                followings: figures::followings(lineup)?,
                quantisation: figures::quantisation(lineup)?,
            })
        };
        draw().map_err(|source| ReportError::Draw { experiment: report.name.clone(), source })
    }

    fn page(
        &self,
        report: &Report,
        lineup: &Lineup,
        sheets: &[String],
        now: Option<&Now>,
    ) -> Result<String, ReportError> {
        let Self { figures, first_layers, followings, quantisation } = self;
        let pictures = Pictures { figures, first_layers, followings, quantisation };
        page::render(report, lineup, pictures, sheets, now)
            .map_err(|source| ReportError::Page { experiment: report.name.clone(), source })
    }

    fn all(&self) -> impl Iterator<Item = &Figure> {
        let Self { figures, first_layers, followings, quantisation } = self;
        figures.iter().chain(first_layers).chain(followings).chain(quantisation)
    }
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

/// The sheets that have rows; `results.csv`, `nets.csv`, `losses.csv` and `games.csv` are
/// always there.
fn sheets(report: &Report) -> Result<Vec<(&'static str, Vec<u8>)>, ReportError> {
    type Sheet = fn(&Report) -> Result<Vec<u8>, csv::Error>;
    let mut layouts: Vec<(&str, Sheet)> = vec![
        ("results.csv", sheets::results),
        ("nets.csv", sheets::nets),
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
