//! Carries out an experiment: plans it, has the plan done, makes the page.

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

/// Where an experiment keeps its things.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Folder of runs.
    pub runs: PathBuf,
    /// Reports, one folder per experiment.
    pub reports: PathBuf,
    /// Games at once where clocks run; half the cores if nothing is said.
    pub timed_games: Option<usize>,
}

/// How a call ended.
#[derive(Debug)]
pub enum Outcome {
    /// Everything is done.
    Finished {
        /// What it shows.
        page: Box<Published>,
        /// Jobs that came to nothing.
        failed: Vec<String>,
    },
    /// The stop flag was raised; another call goes on.
    Stopped,
}

impl Workspace {
    /// In the folder where the program is run, with so many games at once where clocks run.
    pub fn here(timed_games: Option<usize>) -> Self {
        let (runs, reports) = (PathBuf::from(Runs::FOLDER), PathBuf::from("reports"));
        Self { runs, reports, timed_games }
    }

    /// Where the jobs of an experiment are done.
    pub fn workplace(&self, experiment: &Experiment) -> RunDir {
        RunDir::new(self.runs.join(&experiment.name), self.timed_games)
    }
}

/// Does and reports whatever is not done yet. `command` is what was typed, so that the page
/// can say how it was made.
///
/// # Errors
///
/// Somebody who removes the experiment meanwhile; whatever stops a job. What is done is kept.
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
    let place = workspace.workplace(experiment);
    forecast::tell(&planning.plan, &place, observer)?;
    let ending = plan::run_all(&planning.plan, &place, &mut Control { observer, stop })?;
    let Ending::Finished(failed) = ending else { return Ok(Outcome::Stopped) };
    let failed = failed.into_iter().map(|(title, _)| title).collect();
    let page = publish::page(&runs, experiment, &workspace.reports, Earlier::MovesAside)?;
    Ok(Outcome::Finished { page: Box::new(page), failed })
}

/// Notes what is run, in a folder that is not removed meanwhile.
///
/// # Errors
/// A folder that cannot be written to, or that somebody is about to remove.
pub fn begin(
    experiment: &Experiment,
    note: &Note,
    runs: &Runs,
) -> Result<FolderLock, ExperimentError> {
    let folder = runs.folder_of(&experiment.name);
    std::fs::create_dir_all(&folder)
        .map_err(|source| ExperimentError::Io { path: folder.clone(), source })?;
    let lock = FolderLock::share(&folder)?;
    runs.put_note(&experiment.name, note)?;
    Ok(lock)
}
