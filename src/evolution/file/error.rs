//! Errors of a file of searches.

use std::path::PathBuf;

use crate::{SettingsError, SpaceError};
use plan::PlanError;

#[derive(Debug, thiserror::Error)]
pub enum EvolveError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {reason}", path.display())]
    Config { path: PathBuf, reason: String },
    #[error("{message}")]
    OtherCommand { message: String },
    #[error("`{key}` {reason}")]
    Value { key: String, reason: String },
    #[error("genome: {0}")]
    Space(#[from] SpaceError),
    #[error("method `{name}`: {source}")]
    Method { name: String, source: SettingsError },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Report(#[from] report::ReportError),
    #[error(transparent)]
    Experiment(#[from] experiment::ExperimentError),
    #[error("{method} has no answer: its search is unfinished, or failed")]
    NoAnswer { method: String },
}
