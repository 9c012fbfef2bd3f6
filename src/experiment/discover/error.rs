//! What keeps a search from its end.

use std::path::PathBuf;

use crate::ExperimentError;
use plan::PlanError;
use report::ReportError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    #[error("stopped")]
    Stopped,
    /// What comes next depends on jobs that are not done.
    #[error("it is not over yet")]
    Unfinished,
    #[error("the file has no `[discover]` table; docs/discovery.md shows one")]
    NoTable,
    #[error(
        "nothing is left to screen beside `{set}`: the grammar and `candidates` have nothing that \
         it does not say"
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
