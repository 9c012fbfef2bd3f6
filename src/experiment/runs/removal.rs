//! Removal from the folder of runs: an experiment, a net, or the result of one job.

use std::io;
use std::path::Path;

use super::{NetRecord, Runs};
use crate::contents::Contents;
use crate::error::ExperimentError;
use base::FolderLock;
use base::format::counted;
use plan::{JobResult, Results};

/// The target of a removal.
enum Target {
    Experiment,
    Net(Box<NetRecord>),
    Job(Box<JobResult>),
}

/// A prepared removal. Its experiment is locked, since a run in progress would lose its files.
pub struct Removal<'r> {
    runs: &'r Runs,
    experiment: String,
    target: Target,
    /// Results that the page keeps; a run would take a removed one from there.
    kept: Results,
    _lock: FolderLock,
}

impl<'r> Removal<'r> {
    /// By the name of an experiment, or the beginning of a run's name or of a job's key; `reports` has
    /// the pages.
    ///
    /// # Errors
    /// No target or several; results that cannot be read; an experiment that is being run.
    pub fn find(runs: &'r Runs, name: &str, reports: &Path) -> Result<Self, ExperimentError> {
        let (experiment, target) = Target::find(runs, name, reports)?;
        let _lock = FolderLock::take(&runs.folder_of(&experiment))?;
        let kept = kept_results(runs, &experiment, reports)?;
        Ok(Self { runs, experiment, target, kept, _lock })
    }

    /// A sentence on the files to remove.
    ///
    /// # Errors
    /// Results that cannot be read.
    pub fn summary(&self) -> Result<String, ExperimentError> {
        let experiment = &self.experiment;
        let folder = self.runs.folder_of(experiment);
        let size = |folder: &Path, contents: Contents| {
            format!("{:.1} MB in {}", contents.bytes as f64 / 1e6, folder.display())
        };
        Ok(match &self.target {
            Target::Experiment => {
                let nets = self.runs.nets(Some(experiment))?.len() as u64;
                let contents = Contents::of(&folder);
                let kept = match self.kept.all()?.len() as u64 {
                    0 => String::new(),
                    kept => format!("; {} beside its page stay", counted(kept, "result")),
                };
                format!(
                    "the experiment {experiment}: {} with all measurements, {}, {}{kept}",
                    counted(nets, "run"),
                    counted(contents.games, "game"),
                    size(&folder, contents),
                )
            }
            Target::Net(net) => {
                let folder = folder.join(&net.run);
                format!(
                    "the run {} of {experiment}: its net, its checkpoints and its measurements, {}; \
                     finished games stay",
                    net.run,
                    size(&folder, Contents::of(&folder)),
                )
            }
            Target::Job(done) => format!(
                "the result {} of {experiment}: {} {}, its games, and dependent results",
                done.key, done.kind, done.title
            ),
        })
    }

    /// Removes the files.
    ///
    /// # Errors
    /// Results that cannot be read; files that cannot be removed.
    pub fn execute(self) -> Result<(), ExperimentError> {
        let folder = self.runs.folder_of(&self.experiment);
        let results = self.runs.results_of(&self.experiment);
        match &self.target {
            Target::Experiment => remove_folder(&folder),
            Target::Net(net) => {
                results.remove(&[net.key])?;
                self.kept.remove(&[net.key])?;
                remove_folder(&folder.join(&net.run))
            }
            Target::Job(done) => {
                let removed = results.remove(&[done.key])?;
                self.kept.remove(&[done.key])?;
                removed.iter().try_for_each(|result| remove_games(&folder, result))?;
                match done.folder.as_str() {
                    "" => Ok(()),
                    run => remove_folder(&folder.join(run)),
                }
            }
        }
    }
}

impl Target {
    fn find(runs: &Runs, name: &str, reports: &Path) -> Result<(String, Self), ExperimentError> {
        let experiments = runs.experiments();
        if experiments.iter().any(|experiment| experiment == name) {
            return Ok((name.to_owned(), Self::Experiment));
        }
        let mut jobs = Vec::new();
        for experiment in experiments {
            let mut done = runs.results_of(&experiment).all()?;
            done.extend(kept_results(runs, &experiment, reports)?.all()?);
            done.sort_by_key(|done| done.key);
            done.dedup_by_key(|done| done.key);
            let found = done.into_iter().filter(|done| done.key.to_string().starts_with(name));
            jobs.extend(found.map(|done| (experiment.clone(), done)));
        }
        if jobs.len() == 1 {
            let (experiment, done) = jobs.remove(0);
            return Ok((experiment, Self::Job(Box::new(done))));
        }
        let net = runs.net(name)?;
        Ok((net.experiment.clone(), Self::Net(Box::new(net))))
    }
}

/// The results beside the page of an experiment.
fn kept_results(runs: &Runs, experiment: &str, reports: &Path) -> Result<Results, ExperimentError> {
    let note = runs.note(experiment)?;
    let page = note.map(|note| note.page_folder(reports, experiment));
    Ok(Results::of(&page.unwrap_or_else(|| reports.join(experiment))))
}

/// Games that a job played.
fn remove_games(experiment: &Path, result: &JobResult) -> Result<(), ExperimentError> {
    let Some(log) = &result.games else { return Ok(()) };
    let path = experiment.join("games").join(log);
    removed(&path, std::fs::remove_file(&path))
}

fn remove_folder(path: &Path) -> Result<(), ExperimentError> {
    removed(path, std::fs::remove_dir_all(path))
}

/// Files that are not there are no error.
fn removed(path: &Path, removed: io::Result<()>) -> Result<(), ExperimentError> {
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(ExperimentError::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
