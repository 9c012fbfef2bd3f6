//! Errors of jobs and of plans.

use std::error::Error;
use std::path::PathBuf;

use base::{Key, KeyError, LockError, WriteError};

/// An error inside a job.
///
/// It implements no `Error` itself, so that `?` converts any error into it.
#[derive(Debug)]
pub enum JobError {
    /// The stop flag was set; the next run goes on from the saved progress.
    Stopped,
    /// Every run of this definition fails: the failure is the result, and other jobs go on.
    Failed(String),
    /// The plan stops.
    Other(Box<dyn Error + Send + Sync>),
}

impl<E: Error + Send + Sync + 'static> From<E> for JobError {
    fn from(error: E) -> Self {
        let error: Box<dyn Error + Send + Sync> = Box::new(error);
        match error.downcast::<PlanError>().map(|error| *error) {
            Ok(PlanError::Stopped) => Self::Stopped,
            Ok(PlanError::Job(error)) => Self::Other(error),
            Ok(error) => Self::Other(Box::new(error)),
            Err(error) => Self::Other(error),
        }
    }
}

impl JobError {
    /// An error that has no type of its own.
    pub fn message(text: impl Into<String>) -> Self {
        Self::Other(text.into().into())
    }
}

/// An error that stops a plan. Results so far are kept.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("{}: {reason}; remove the file, and the job runs again", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(
        "{title} ({key}) depends on {needs}, which {are} not done",
        needs = needs.join(", "), are = if needs.len() == 1 { "has" } else { "have" }
    )]
    Waits { key: Key, title: String, needs: Vec<String> },
    #[error("{title} ({key}): {holder} runs it")]
    Held { key: Key, title: String, holder: String },
    #[error(transparent)]
    Job(Box<dyn Error + Send + Sync>),
}

impl From<JobError> for PlanError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Stopped => Self::Stopped,
            JobError::Failed(reason) => Self::Job(reason.into()),
            JobError::Other(error) => Self::Job(error),
        }
    }
}
