//! Runs an experiment: plan, jobs, page.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::config::Experiment;
use super::error::ExperimentError;
use super::forecast;
use super::planning::{FileContents, Planning};
use super::preflight;
use super::publish::{self, Earlier, Published};
use super::runs::{Note, Runs};
use base::{FolderLock, Observer};
use plan::{Control, Ending, RunDir};

/// Folders of experiments.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Folder of runs.
    pub runs: PathBuf,
    /// Reports, one folder per experiment.
    pub reports: PathBuf,
    /// Games at once where clocks run; half the cores by default.
    pub timed_games: Option<usize>,
}

/// The end of a run.
#[derive(Debug)]
pub enum Outcome {
    /// All jobs have ended.
    Finished {
        page: Box<Published>,
        /// Titles of failed jobs.
        failed: Vec<String>,
    },
    /// The stop flag was set; the next run goes on.
    Stopped,
}

impl Workspace {
    /// Folders inside the current one.
    pub fn here(timed_games: Option<usize>) -> Self {
        let (runs, reports) = (PathBuf::from(Runs::FOLDER), PathBuf::from("reports"));
        Self { runs, reports, timed_games }
    }

    /// The run folder of an experiment.
    pub fn run_dir(&self, experiment: &Experiment) -> RunDir {
        RunDir::new(self.runs.join(&experiment.name), self.timed_games)
    }
}

/// Runs all open jobs and writes the page. `command` is the command line, for its provenance.
///
/// # Errors
/// A removal of the experiment by another process; errors of jobs. Finished jobs are kept.
pub fn run(
    experiment: &Experiment,
    command: &str,
    workspace: &Workspace,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome, ExperimentError> {
    let runs = Runs::of(&workspace.runs);
    preflight::check(experiment, workspace)?;
    preflight::devices(experiment)?;
    let planning = Planning::of(experiment, FileContents::default(), observer)?;
    let note = Note::of(experiment, command, &planning.contents)?;
    let _lock = begin(experiment, &note, &runs)?;
    let dir = workspace.run_dir(experiment);
    forecast::announce(&planning.plan, &dir, observer)?;
    let ending = plan::run_all(&planning.plan, &dir, &mut Control { observer, stop })?;
    let Ending::Finished(failed) = ending else { return Ok(Outcome::Stopped) };
    let failed = failed.into_iter().map(|(title, _)| title).collect();
    let page = publish::page(&runs, experiment, &workspace.reports, Earlier::MovesAside)?;
    Ok(Outcome::Finished { page: Box::new(page), failed })
}

/// Records the experiment and locks its folder against removal.
///
/// # Errors
/// A folder that cannot be written to, or that another process removes.
pub fn begin(
    experiment: &Experiment,
    note: &Note,
    runs: &Runs,
) -> Result<FolderLock, ExperimentError> {
    let folder = runs.folder_of(&experiment.name);
    std::fs::create_dir_all(&folder)
        .map_err(|source| ExperimentError::Io { path: folder.clone(), source })?;
    let lock = FolderLock::share(&folder)?;
    runs.write_note(&experiment.name, note)?;
    Ok(lock)
}
