//! Errors of a search for sets.

use crate::ExperimentError;
use plan::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The next step depends on jobs that are not done.
    #[error("not finished")]
    Unfinished,
    #[error("the file has no `[discover]` table; docs/discovery.md shows one")]
    NoTable,
    #[error(
        "no candidates beside `{set}`: it contains all sets of the grammar and of `candidates`"
    )]
    NoCandidates { set: String },
    #[error("{title}: {reason}")]
    Failed { title: String, reason: String },
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Report(#[from] report::ReportError),
}
