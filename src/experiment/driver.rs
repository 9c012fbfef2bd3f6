//! The driver of studies: runs, plans and publishes any of them, here or under a scheduler.

use super::forecast;
use super::planning::FileContents;
use super::publish::{Earlier, Published, publish};
use super::runs::Runs;
use super::study::{Files, Note, Study, StudyPlan};
use super::workspace::Workspace;
use base::format::counted;
use base::{FolderLock, Observer};
use data::job::Positions;
use plan::{Control, Ending, JobError, Planned, Results, RunDir, State};

/// A study with the folders in which it works.
#[derive(Clone, Copy, Debug)]
pub struct Driver<'s> {
    pub study: &'s dyn Study,
    pub workspace: &'s Workspace,
    /// The command line, for the provenance of the page.
    pub command: &'s str,
}

/// The page of the results so far.
#[derive(Debug)]
pub struct Collected {
    pub page: Published,
    /// Jobs that the page lacks, in words.
    pub remarks: Vec<String>,
    /// Failures that leave the result incomplete, as a sentence.
    pub failed: Option<String>,
}

impl Driver<'_> {
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
    pub fn run(&self, control: &mut Control<'_>) -> Result<Collected, JobError> {
        self.study.check_machine()?;
        self.study.check(self.workspace)?;
        let (dir, nothing) = (self.dir(), FileContents::default());
        let mut known = self.study.plan(Files::Known(nothing), &dir, control.observer)?;
        let note = self.note(&known.contents)?;
        let _lock = self.begin(&note)?;
        self.study.check_start(&known.plan, &dir, control)?;
        loop {
            forecast::announce(&known.plan, &dir, control.observer)?;
            if plan::run_all(&known.plan, &dir, control)? == Ending::Stopped {
                return Err(JobError::Stopped);
            }
            if !known.grows() {
                return self.conclude(&note, &known);
            }
            let (jobs, files) = (known.plan.jobs().len(), Files::Known(note.contents.clone()));
            known = self.study.plan(files, &dir, control.observer)?;
            if known.grows() && known.plan.jobs().len() == jobs {
                let folder = dir.folder.display();
                return Err(JobError::message(format!("{folder}: the next jobs are unknown")));
            }
        }
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

    /// Checks this machine, files, folders and data.
    ///
    /// # Errors
    /// The first failed check.
    pub fn check(
        &self,
        known: &StudyPlan,
        states: &[State],
        stop: &std::sync::atomic::AtomicBool,
    ) -> Result<(), JobError> {
        self.study.check_machine()?;
        self.study.check(self.workspace)?;
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
    pub fn collect(&self, note: &Note, observer: &mut dyn Observer) -> Result<Collected, JobError> {
        let known = self.plan(Files::Known(note.contents.clone()), observer)?;
        self.conclude(note, &known)
    }

    fn conclude(&self, note: &Note, known: &StudyPlan) -> Result<Collected, JobError> {
        let (dir, workspace) = (self.dir(), self.workspace);
        let recorded = || note.page_folder(&workspace.reports, self.study.name());
        let folder = workspace.page.clone().unwrap_or_else(recorded);
        self.study.deliver(note, &dir)?;
        let page = publish(self.study, note, &dir, &folder, Earlier::MovesAway)?;
        if Results::are_in(&folder) {
            dir.results().keep(&known.plan, &folder)?;
        }
        let states = plan::states(&known.plan, &dir)?;
        let open = states.iter().filter(|state| !state.is_over()).count();
        let jobs = counted(states.len() as u64, "job");
        let lacks = || format!("{open} of {jobs} are open: the page shows the finished ones");
        let remarks = (open > 0).then(lacks).into_iter();
        let remarks = remarks.chain(known.grows().then(|| StudyPlan::MORE.to_owned())).collect();
        Ok(Collected { page, remarks, failed: known.failures(&states) })
    }
}
