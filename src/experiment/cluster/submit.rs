//! Open jobs of a study handed to a scheduler, and those that become known later.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cluster::slurm::{self, Slurm};
use crate::cluster::{ClusterError, Submission, Submissions, hyperqueue, stages};
use crate::{Driver, Files, Note, Standing, StudyPlan, preflight};
use base::Observer;
use plan::JobError;

/// Delay of shared file systems until results of other machines are visible.
const SYNC_DELAY: Duration = Duration::from_secs(30);

const POLL: Duration = Duration::from_secs(2);

impl Driver<'_> {
    /// All submissions of the study.
    pub fn submissions(&self) -> Submissions {
        Submissions::of(&self.dir().folder)
    }

    /// The open jobs in stages, without writing anything, and whether more jobs follow; games are
    /// split into `at_once` shards at most.
    ///
    /// # Errors
    /// A file or a result that cannot be read.
    pub fn stages(
        &self,
        at_once: u32,
        observer: &mut dyn Observer,
    ) -> Result<(Submission, bool), JobError> {
        let known = self.plan(Files::Known(Default::default()), observer)?;
        let note = self.note(&known.contents)?;
        Ok((self.submission(&known, note, at_once)?, known.grows()))
    }

    /// Submits all open jobs to Slurm.
    ///
    /// # Errors
    /// A failed check, no open jobs, a refusal.
    pub fn submit(
        &self,
        slurm: Slurm,
        observer: &mut dyn Observer,
    ) -> Result<Submission, JobError> {
        self.study.check(self.workspace)?;
        let submissions = self.submissions();
        slurm::ensure_over(&submissions)?;
        let (mut submission, _) = self.some_stages(slurm.at_once(), observer)?;
        let scripts = slurm.tested(&submission, &submissions)?;
        let _lock = self.begin(&submission.note)?;
        submission.slurm = Some(slurm.clone());
        slurm.submit(&scripts, &mut submission, &submissions, Some(observer))?;
        Ok(submission)
    }

    /// Submits the jobs that have become known since a submission; `None` if there are none, or
    /// if jobs of the submission itself are open.
    ///
    /// # Errors
    /// A result that cannot be read, a refusal.
    pub fn submit_next(
        &self,
        before: &Submission,
        observer: &mut dyn Observer,
    ) -> Result<Option<Submission>, JobError> {
        let Some(slurm) = &before.slurm else { return Ok(None) };
        let patience = Instant::now() + SYNC_DELAY;
        let mut next = loop {
            let known = self.plan(Files::Known(before.note.contents.clone()), observer)?;
            let next = self.submission(&known, before.note.clone(), slurm.at_once())?;
            if known.standing == Standing::Fixed || next.stages.is_empty() {
                return Ok(None);
            }
            if next.keys().is_disjoint(&before.keys()) {
                break next;
            }
            if Instant::now() > patience {
                return Ok(None);
            }
            sleep(POLL);
        };
        next.slurm = Some(slurm.clone());
        let _lock = self.lock()?;
        let submissions = self.submissions();
        let scripts = slurm.tested(&next, &submissions)?;
        // This machine is one of the cluster.
        slurm.submit(&scripts, &mut next, &submissions, None)?;
        Ok(Some(next))
    }

    /// Writes all open jobs as a job file for HyperQueue; also, whether more jobs follow.
    ///
    /// # Errors
    /// A failed check, no open jobs, a disk that cannot be written to.
    pub fn write_job_file(
        &self,
        path: &Path,
        at_once: u32,
        cpus: usize,
        observer: &mut dyn Observer,
    ) -> Result<(Submission, bool), JobError> {
        self.study.check(self.workspace)?;
        preflight::file("--hq", path)?;
        let (submission, grows) = self.some_stages(at_once, observer)?;
        let _lock = self.begin(&submission.note)?;
        let submissions = self.submissions();
        submissions.put(&submission)?;
        let place = hyperqueue::SubmissionPlace::of(&submission, &submissions);
        let text = hyperqueue::job_file(&submission, &place, cpus)?;
        base::write_atomically(path, &[text.as_bytes()])?;
        Ok((submission, grows))
    }

    fn some_stages(
        &self,
        at_once: u32,
        observer: &mut dyn Observer,
    ) -> Result<(Submission, bool), JobError> {
        let (submission, grows) = self.stages(at_once, observer)?;
        match submission.stages.is_empty() {
            true => Err(ClusterError::NothingLeft { command: self.study.command() }.into()),
            false => Ok((submission, grows)),
        }
    }

    fn submission(
        &self,
        known: &StudyPlan,
        note: Note,
        at_once: u32,
    ) -> Result<Submission, JobError> {
        let states = plan::states(&known.plan, &self.dir())?;
        let stages = stages(&known.plan, &states, at_once);
        Ok(Submission::new(self.study.name(), note, self.workspace.timed_games, stages))
    }
}
