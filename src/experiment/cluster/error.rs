//! Errors of submissions.

use std::io;
use std::path::PathBuf;

use base::{Key, WriteError};

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(
        "no Slurm on this machine (no program `{program}`): run the command on a submit host, \
         or see the scripts with --dry-run"
    )]
    NoProgram { program: String },
    #[error("`{command}` failed: {reason}")]
    Refused { command: String, reason: String },
    #[error("{failure}\njobs {jobs} may still be in the queue: `scancel {jobs}` ends them")]
    LeftBehind { jobs: String, failure: Box<ClusterError> },
    #[error("`{command}` returned `{answer}`, which is not a job id")]
    Answer { command: String, answer: String },
    #[error(
        "{} does not exist on {machine}, which runs the jobs: move the study to a folder that \
         all machines share (check job {job})",
        folder.display()
    )]
    NotShared { folder: PathBuf, machine: String, job: String },
    #[error(
        "{user} has unfinished jobs of this study ({jobs}): wait for \
         them, or use another folder"
    )]
    OthersWork { user: String, jobs: String },
    #[error(
        "unfinished jobs {jobs} of this study: `oplus runs status` shows them; `scancel \
         {jobs}` ends them and keeps their progress"
    )]
    UnderWay { jobs: String },
    #[error("all jobs are done: `oplus {command} … --collect` writes the page")]
    NothingLeft { command: &'static str },
    /// The plan has changed since the submission.
    #[error(
        "no job of the plan has the key {key}: its files or the program have changed; submit \
         again"
    )]
    OtherPlan { key: Key },
    #[error("submission {id} has no task {task} in stage {stage}")]
    NoTask { id: String, stage: usize, task: usize },
    #[error("{}: cannot read the submission: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ClusterError {
    /// Whether there is no Slurm on this machine.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::NoProgram { .. })
    }
}
