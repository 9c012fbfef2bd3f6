//! The driver of studies: runs, plans and publishes any of them, here or under a scheduler.

use std::path::PathBuf;

use super::forecast;
use super::planning::FileContents;
use super::publish::{Earlier, Published, publish};
use super::run::Workspace;
use super::runs::Runs;
use super::study::{Files, Note, Standing, Study, StudyPlan};
use base::{FolderLock, Observer};
use data::job::Positions;
use plan::{Control, Ending, JobError, Planned, RunDir, State};

/// A study with the folders in which it works.
#[derive(Clone, Copy, Debug)]
pub struct Driver<'s> {
    pub study: &'s dyn Study,
    pub workspace: &'s Workspace,
    /// The command line, for the provenance of the page.
    pub command: &'s str,
}

/// The end of a run.
#[derive(Debug)]
pub struct Ended {
    pub page: Published,
    /// Failures that leave the result incomplete.
    pub failed: Vec<String>,
}

/// The page of the results so far.
#[derive(Debug)]
pub struct Collected {
    pub page: Published,
    pub jobs: usize,
    /// Jobs that are not done yet.
    pub open: usize,
    /// Titles and reasons of failed jobs.
    pub failed: Vec<String>,
    /// Whether results decide further jobs.
    pub grows: bool,
}

impl<'s> Driver<'s> {
    /// The folder of the study.
    pub fn dir(&self) -> RunDir {
        self.workspace.run_dir(self.study)
    }

    /// All jobs known so far.
    ///
    /// # Errors
    /// As [`Study::plan`].
    pub fn plan(&self, files: Files, observer: &mut dyn Observer) -> Result<StudyPlan, JobError> {
        self.study.plan(files, &self.dir(), observer)
    }

    /// The record of this run.
    pub(crate) fn note(&self, contents: &FileContents) -> Result<Note, JobError> {
        Ok(Note {
            kind: self.study.kind().name.to_owned(),
            config: self.study.definition()?,
            command: self.command.to_owned(),
            contents: contents.clone(),
            page: self.workspace.page.clone(),
        })
    }

    /// Writes the record and locks the folder against removal.
    ///
    /// # Errors
    /// A folder that cannot be written to, or that another process removes.
    pub(crate) fn begin(&self, note: &Note) -> Result<FolderLock, JobError> {
        let lock = self.lock()?;
        Runs::of(&self.workspace.runs).write_note(self.study.name(), note)?;
        Ok(lock)
    }

    pub(crate) fn lock(&self) -> Result<FolderLock, JobError> {
        let folder = self.dir().folder;
        std::fs::create_dir_all(&folder)
            .map_err(|source| super::ExperimentError::Io { path: folder.clone(), source })?;
        Ok(FolderLock::share(&folder)?)
    }

    /// Runs all open jobs until no more become known, and writes the page.
    ///
    /// # Errors
    /// A failed check, errors of jobs; [`JobError::Stopped`] once the stop flag is set. Finished
    /// jobs are kept.
    pub fn run(&self, control: &mut Control<'_>) -> Result<Ended, JobError> {
        self.study.check(self.workspace)?;
        self.study.check_devices()?;
        let (dir, nothing) = (self.dir(), FileContents::default());
        let mut known = self.study.plan(Files::Known(nothing), &dir, control.observer)?;
        let note = self.note(&known.contents)?;
        let _lock = self.begin(&note)?;
        self.study.check_start(&known.plan, &dir, control)?;
        let failed = loop {
            forecast::announce(&known.plan, &dir, control.observer)?;
            let failed = match plan::run_all(&known.plan, &dir, control)? {
                Ending::Stopped => return Err(JobError::Stopped),
                Ending::Finished(failed) => failed,
            };
            if !known.grows() {
                break failed;
            }
            let (jobs, files) = (known.plan.jobs().len(), Files::Known(note.contents.clone()));
            known = self.study.plan(files, &dir, control.observer)?;
            if known.grows() && known.plan.jobs().len() == jobs {
                let folder = dir.folder.display();
                return Err(JobError::message(format!("{folder}: its next jobs are unknown")));
            }
        };
        let failed = match known.standing {
            // Results of failed jobs have decided how the study goes on.
            Standing::Over | Standing::Grows => Vec::new(),
            Standing::Failed(reason) => vec![reason],
            Standing::Fixed => failed.into_iter().map(|(title, _)| title).collect(),
        };
        let page = self.publish(&note)?;
        Ok(Ended { page, failed })
    }

    /// Runs one job; `None` if it is done already.
    ///
    /// # Errors
    /// A failed check, dependencies that are not done, an error of the job.
    pub fn run_one(
        &self,
        known: &StudyPlan,
        planned: &Planned,
        control: &mut Control<'_>,
    ) -> Result<Option<State>, JobError> {
        self.study.check(self.workspace)?;
        let _lock = self.begin(&self.note(&known.contents)?)?;
        Ok(plan::run_one(&known.plan, planned, &self.dir(), control)?)
    }

    /// Checks files, folders, devices and data.
    ///
    /// # Errors
    /// The first failed check.
    pub fn check(
        &self,
        known: &StudyPlan,
        states: &[State],
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<(), JobError> {
        self.study.check(self.workspace)?;
        self.study.check_devices()?;
        let mut jobs = known.plan.jobs().iter().zip(states);
        // Prepared positions have been read.
        let reads = |(planned, state): (&Planned, &State)| {
            planned.job.get::<Positions>().is_some() && *state != State::Done
        };
        if jobs.any(reads) { self.study.check_data(stop) } else { Ok(()) }
    }

    /// Writes the page of all results so far; an earlier page that shows more moves aside.
    ///
    /// # Errors
    /// No results, a result that cannot be read, a disk that cannot be written to.
    pub fn publish(&self, note: &Note) -> Result<Published, JobError> {
        let dir = self.dir();
        self.study.deliver(note, &dir)?;
        publish(self.study, note, &dir, &self.page_folder(note), Earlier::MovesAside)
    }

    /// As [`publish`](Self::publish), with the counts of jobs.
    ///
    /// # Errors
    /// As [`publish`](Self::publish).
    pub fn collect(&self, note: &Note, observer: &mut dyn Observer) -> Result<Collected, JobError> {
        let page = self.publish(note)?;
        let known = self.plan(Files::Known(note.contents.clone()), observer)?;
        let states = plan::states(&known.plan, &self.dir())?;
        let failure = |(planned, state): (&Planned, &State)| match state {
            State::Failed(reason) => Some(format!("{}: {reason}", planned.title)),
            _ => None,
        };
        let failed = match &known.standing {
            Standing::Fixed => known.plan.jobs().iter().zip(&states).filter_map(failure).collect(),
            Standing::Failed(reason) => vec![reason.clone()],
            Standing::Grows | Standing::Over => Vec::new(),
        };
        let is_open = |state: &&State| !matches!(state, State::Done | State::Failed(_));
        let (jobs, open) = (states.len(), states.iter().filter(is_open).count());
        Ok(Collected { page, jobs, open, failed, grows: known.grows() })
    }

    fn page_folder(&self, note: &Note) -> PathBuf {
        note.page.clone().unwrap_or_else(|| self.workspace.reports.join(self.study.name()))
    }
}
