//! What keeps a search from its end.

use std::path::PathBuf;

use experiment::ExperimentError;
use plan::PlanError;
use report::ReportError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// What comes next depends on jobs that are not done.
    #[error("it is not over yet")]
    Unfinished,
    /// The file does not say what to look for.
    #[error("the file has no `[discover]` table; docs/discovery.md shows one")]
    NoTable,
    /// There is nothing to ask.
    #[error(
        "nothing is left to screen beside `{set}`: the grammar and `candidates` have nothing that \
         it does not say"
    )]
    NoCandidates {
        /// The set.
        set: String,
    },
    /// A job without which the search cannot go on.
    #[error("{title}: {reason}")]
    Failed {
        /// Which.
        title: String,
        /// Why there is no result.
        reason: String,
    },
    /// A file that cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// What an experiment says.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// What jobs say.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// What the page says.
    #[error(transparent)]
    Report(#[from] ReportError),
}
