//! Errors of a search for sets.

use std::path::PathBuf;

use crate::ExperimentError;
use plan::PlanError;
use report::ReportError;

#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("stopped")]
    Stopped,
    /// The next step depends on jobs that are not done.
    #[error("it is not over yet")]
    Unfinished,
    #[error("the file has no `[discover]` table; docs/discovery.md shows one")]
    NoTable,
    #[error(
        "no candidates are left beside `{set}`: it contains all of the grammar and of `candidates`"
    )]
    NoCandidates { set: String },
    #[error("{title}: {reason}")]
    Failed { title: String, reason: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Report(#[from] ReportError),
}
