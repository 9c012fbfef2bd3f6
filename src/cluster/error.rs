//! What stands between a plan and a scheduler.

use std::io;
use std::path::PathBuf;

use base::{Key, WriteError};
use experiment::ExperimentError;
use plan::PlanError;

/// Why nothing was handed over, or nothing can be told.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum ClusterError {
    /// Slurm's programs are not there.
    #[error(
        "there is no Slurm here (no program `{program}`): give the command where Slurm takes jobs, \
         or see the scripts with --dry-run"
    )]
    NoProgram { program: String },
    /// The scheduler refused.
    #[error("`{command}` failed: {reason}")]
    Refused { command: String, reason: String },
    /// Jobs could not be taken back.
    #[error("{failure}\njobs {jobs} may still be in the queue: `scancel {jobs}` ends them")]
    LeftBehind { jobs: String, failure: Box<ClusterError> },
    /// It answered something else than it was asked.
    #[error("`{command}` answered `{answer}`, which nobody here understands")]
    Answer { command: String, answer: String },
    /// Where jobs are done, nobody sees the folder.
    #[error(
        "{} is not there on {machine}, where jobs are done: put the experiment into a folder that \
         all machines share (job {job} looked for it)",
        folder.display()
    )]
    NotShared { folder: PathBuf, machine: String, job: String },
    /// Somebody else's jobs are under way.
    #[error(
        "{user} has handed over jobs of this experiment ({jobs}) that are not over: wait for \
         them, or work in a folder of your own"
    )]
    OthersWork { user: String, jobs: String },
    /// One's own are.
    #[error(
        "jobs {jobs} of this experiment are not over: `oplus runs status` shows them; `scancel \
         {jobs}` ends them, and what they have done is kept"
    )]
    UnderWay { jobs: String },
    /// Nothing is left to do.
    #[error("nothing is left to do: `oplus run FILE --collect` makes the page")]
    NothingLeft,
    /// The plan is another one than when it was handed over.
    #[error(
        "no job of the plan has the key {key}: another version of the program handed it over; \
         hand it over again"
    )]
    OtherPlan { key: Key },
    /// A task that is not in the submission.
    #[error("submission {id} has no task {task} in stage {stage}")]
    NoTask { id: String, stage: usize, task: usize },
    /// A submission that cannot be read.
    #[error("{}: cannot read the submission: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What the experiment has against it.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// What stops a job.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl ClusterError {
    /// Whether there is no Slurm on this machine.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::NoProgram { .. })
    }
}
