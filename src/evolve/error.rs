//! What keeps a file of searches from becoming a page.

use std::path::PathBuf;

use evolution::{SettingsError, SpaceError};
use plan::PlanError;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum EvolveError {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not say what it should.
    #[error("{}: {reason}", path.display())]
    Config {
        /// Which.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// The file is for another command.
    #[error("{told}")]
    OtherCommand {
        /// For which.
        told: String,
    },
    /// A key has a value that makes no sense.
    #[error("`{key}` {reason}")]
    Value {
        /// The key.
        key: String,
        /// What it should be.
        reason: String,
    },
    /// Genes that make no sense.
    #[error("genome: {0}")]
    Space(#[from] SpaceError),
    /// A method's settings make no sense.
    #[error("method `{name}`: {source}")]
    Method {
        /// The method as the file calls it.
        name: String,
        /// What is wrong.
        source: SettingsError,
    },
    /// A job.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// What the page tells of the machine.
    #[error(transparent)]
    Experiment(#[from] experiment::ExperimentError),
    /// Jobs came to nothing.
    #[error("{} came to nothing: {}", .0.len(), .0.iter().map(|(title, why)| format!("{title} ({why})")).collect::<Vec<_>>().join("; "))]
    Failed(Vec<(String, String)>),
}
