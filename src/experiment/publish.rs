//! The page of an experiment, made from its results alone, and what happens to the one before
//! it: nothing is replaced by less.

use std::path::{Path, PathBuf};

use super::config::Experiment;
use super::difference::{Difference, differences, in_words};
use super::error::ExperimentError;
use super::planning::Planning;
use super::runs::{Note, Runs};
use super::summary;
use base::format::first_few;
use base::{FileLock, Silent};
use report::Report;
use report::now::Now;
use report::terminal;

/// What an experiment shows.
#[derive(Debug)]
pub struct Page {
    /// The result table, for a terminal.
    pub table: String,
    pub report: PathBuf,
    pub content: Content,
    /// Where the page before is now, if it showed more, and what it showed.
    pub kept: Option<Kept>,
}

/// A page that showed more than the one that took its place.
#[derive(Debug)]
pub struct Kept {
    pub folder: PathBuf,
    /// What it showed, in words.
    pub lost: String,
}

/// What becomes of a page that shows more than the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It stays, and the new one is not written.
    Stays,
    MovesAside,
    IsReplaced,
}

/// Makes the page of an experiment in `reports`.
///
/// # Errors
///
/// Nothing measured of the file as it is now, an earlier page that shows more and is to stay,
/// a result that cannot be read or a disk that cannot be written.
pub fn page(
    runs: &Runs,
    experiment: &Experiment,
    reports: &Path,
    earlier: Earlier,
) -> Result<Page, ExperimentError> {
    let note = runs.note(&experiment.name)?.ok_or_else(|| nothing_measured(experiment, &[]))?;
    page_in(runs, experiment, &note, &reports.join(&experiment.name), earlier)
}

/// The same of an experiment that was begun so, in a folder of its own.
///
/// # Errors
/// As those of [`page`].
pub fn page_in(
    runs: &Runs,
    experiment: &Experiment,
    note: &Note,
    folder: &Path,
    earlier: Earlier,
) -> Result<Page, ExperimentError> {
    // Two who make the same page at once do so one after the other.
    let _own = FileLock::wait(&runs.folder_of(&experiment.name).join(".page"))?;
    let content = Content::of(runs, experiment, note)?;
    let lost = content.lost(folder)?;
    let mut kept = None;
    if !lost.is_empty() {
        match earlier {
            Earlier::IsReplaced => {}
            Earlier::Stays => {
                let changed = sentence(&differences(&note.config, experiment));
                let folder = folder.to_owned();
                return Err(ExperimentError::ShowsLess { folder, lost: first_few(&lost), changed });
            }
            Earlier::MovesAside => {
                let aside = move_aside(folder)?;
                kept = Some(Kept { folder: aside, lost: first_few(&lost) });
            }
        }
    }
    let (table, written) = content.write(folder)?;
    Ok(Page { table, report: written, content, kept })
}

/// What the page of a grid shows that was begun so, as far as it is measured.
///
/// # Errors
/// Nothing measured, or a result that cannot be read.
pub fn report(
    runs: &Runs,
    experiment: &Experiment,
    note: &Note,
) -> Result<Report, ExperimentError> {
    match Content::of(runs, experiment, note)? {
        Content::Grid(report) => Ok(*report),
        Content::Generations(_) => Err(nothing_measured(experiment, &[])),
    }
}

/// The page of an experiment as it is while it goes on, as HTML: what is measured so far,
/// trainings that are not done, and above it what is under way.
///
/// # Errors
/// A result that cannot be read, or a plot that cannot be drawn.
pub fn live(
    runs: &Runs,
    experiment: &Experiment,
    planning: &Planning,
    note: &Note,
    now: &Now,
) -> Result<String, ExperimentError> {
    let results = runs.results_of(&experiment.name).with_progress_of(&planning.plan);
    if let Some(config) = &experiment.selfplay
        && let Some(page) = summary::generations::of(experiment, config, planning, &results, note)?
    {
        return Ok(page.live(now)?);
    }
    Ok(report::live(&summary::of(experiment, planning, &results, note)?, now)?)
}

/// What a page shows.
#[derive(Debug)]
pub enum Content {
    /// Sets of a grid.
    Grid(Box<Report>),
    /// Generations of nets and their games.
    Generations(Box<report::Page>),
}

impl Content {
    /// Files are taken to hold what they held at the last run, so that a page can be made
    /// when they are gone.
    fn of(runs: &Runs, experiment: &Experiment, note: &Note) -> Result<Self, ExperimentError> {
        let differences = differences(&note.config, experiment);
        let planning = Planning::of(experiment, note.contents.clone(), &mut Silent)?;
        let results = runs.results_of(&experiment.name);
        if let Some(config) = &experiment.selfplay {
            let page = summary::generations::of(experiment, config, &planning, &results, note)?;
            let unrated = || match differences.as_slice() {
                [] => ExperimentError::Unrated { experiment: experiment.name.clone() },
                changed => nothing_measured(experiment, changed),
            };
            return page.map(|page| Self::Generations(Box::new(page))).ok_or_else(unrated);
        }
        let report = summary::of(experiment, &planning, &results, note)?;
        match report.sets.iter().any(report::SetRow::is_measured) {
            true => Ok(Self::Grid(Box::new(report))),
            false => Err(nothing_measured(experiment, &differences)),
        }
    }

    fn lost(&self, folder: &Path) -> Result<Vec<String>, ExperimentError> {
        Ok(match self {
            Self::Grid(report) => report::experiment::lost(report, folder)?,
            Self::Generations(page) => page.lost(folder)?,
        })
    }

    fn write(&self, folder: &Path) -> Result<(String, PathBuf), ExperimentError> {
        Ok(match self {
            Self::Grid(report) => {
                let written = report::write(report, folder)?;
                (report::experiment::table::results(report, terminal::width()), written.page)
            }
            Self::Generations(page) => {
                let written = page.write(folder)?;
                (report::render::terminal::page(page, terminal::width()), written.page)
            }
        })
    }
}

fn nothing_measured(experiment: &Experiment, changed: &[Difference]) -> ExperimentError {
    let (experiment, changed) = (experiment.name.clone(), sentence(changed));
    ExperimentError::NothingMeasured { experiment, changed }
}

/// What differs from the last run, as a sentence; empty if nothing does.
fn sentence(differences: &[Difference]) -> String {
    match differences {
        [] => String::new(),
        some => format!("since the last run {}; ", in_words(some)),
    }
}

/// Gives a folder the first name that is free: `NAME.earlier-1` and so on.
fn move_aside(folder: &Path) -> Result<PathBuf, ExperimentError> {
    let named = |number: u32| folder.with_added_extension(format!("earlier-{number}"));
    let mut number = 1;
    while named(number).exists() {
        number += 1;
    }
    let aside = named(number);
    std::fs::rename(folder, &aside)
        .map_err(|source| ExperimentError::Io { path: folder.to_owned(), source })?;
    Ok(aside)
}
