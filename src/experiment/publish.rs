//! The page of an experiment, made from its results alone. A page with fewer results never
//! replaces one with more.

use std::path::{Path, PathBuf};

use super::config::Experiment;
use super::difference::differences;
use super::error::ExperimentError;
use super::planning::Planning;
use super::runs::{Note, Runs};
use super::summary;
use base::format::first_few;
use base::identity::{Difference, summary as summary_of};
use base::{FileLock, Silent};
use measure::{Report, SetRow, page as judged};
use report::Page;
use report::now::Now;
use report::render::terminal;

/// A page on disk.
#[derive(Debug)]
pub struct Published {
    pub page: Page,
    /// Its file.
    pub path: PathBuf,
    /// The earlier page, if it showed more.
    pub kept: Option<KeptReport>,
}

impl Published {
    /// Results, findings and warnings, for a terminal.
    pub fn in_short(&self) -> String {
        terminal::page(&self.page, terminal::width())
    }
}

/// A page that showed more than the one that took its place.
#[derive(Debug)]
pub struct KeptReport {
    pub folder: PathBuf,
    /// Content that the new page lacks, as text.
    pub lost: String,
}

/// Treatment of an earlier page that shows more than the new one.
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
) -> Result<Published, ExperimentError> {
    let note = runs.note(&experiment.name)?.ok_or_else(|| nothing_measured(experiment, &[]))?;
    page_in(runs, experiment, &note, &reports.join(&experiment.name), earlier)
}

/// Writes the page of the experiment that `note` records into a folder of its own.
///
/// # Errors
/// As those of [`page`].
pub fn page_in(
    runs: &Runs,
    experiment: &Experiment,
    note: &Note,
    folder: &Path,
    earlier: Earlier,
) -> Result<Published, ExperimentError> {
    // Two processes write the same page one after the other.
    let _own = FileLock::wait(&runs.folder_of(&experiment.name).join(".page"))?;
    let page = made(runs, experiment, note)?;
    let lost = page.lost(folder)?;
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
                kept = Some(KeptReport { folder: aside, lost: first_few(&lost) });
            }
        }
    }
    let path = page.write(folder)?.page;
    Ok(Published { page, path, kept })
}

/// Results so far of the grid that `note` records.
///
/// # Errors
/// Nothing measured, or a result that cannot be read.
pub fn report(
    runs: &Runs,
    experiment: &Experiment,
    note: &Note,
) -> Result<Report, ExperimentError> {
    let planning = Planning::of(experiment, note.contents.clone(), &mut Silent)?;
    let report = summary::of(experiment, &planning, &runs.results_of(&experiment.name), note)?;
    match report.sets.iter().any(SetRow::is_measured) {
        true => Ok(report),
        false => Err(nothing_measured(experiment, &differences(&note.config, experiment))),
    }
}

/// The live page of an experiment as HTML: results so far, unfinished trainings, and running jobs
/// above them.
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
    Ok(judged::of(&summary::of(experiment, planning, &results, note)?)?.live(now)?)
}

/// Files have their content of the last run, so that a page can be made without them.
fn made(runs: &Runs, experiment: &Experiment, note: &Note) -> Result<Page, ExperimentError> {
    let Some(config) = &experiment.selfplay else {
        return Ok(judged::of(&report(runs, experiment, note)?)?);
    };
    let planning = Planning::of(experiment, note.contents.clone(), &mut Silent)?;
    let results = runs.results_of(&experiment.name);
    let page = summary::generations::of(experiment, config, &planning, &results, note)?;
    page.ok_or_else(|| match differences(&note.config, experiment).as_slice() {
        [] => ExperimentError::Unrated { experiment: experiment.name.clone() },
        changed => nothing_measured(experiment, changed),
    })
}

fn nothing_measured(experiment: &Experiment, changed: &[Difference]) -> ExperimentError {
    let (experiment, changed) = (experiment.name.clone(), sentence(changed));
    ExperimentError::NothingMeasured { experiment, changed }
}

/// The differences from the last run as a sentence; empty without any.
fn sentence(differences: &[Difference]) -> String {
    let summary = summary_of(differences);
    summary.map_or_else(String::new, |summary| format!("since the last run {summary}; "))
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
