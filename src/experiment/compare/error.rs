//! Errors of comparisons.

use std::path::PathBuf;

use crate::ExperimentError;
use features::ExpressionError;
use measure::puzzles::PuzzleError;
use nnue::NetError;
use plan::PlanError;
use report::ReportError;

#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(
        "there is no trained net of `{text}`: it is no `.oplus` file, no run begins so, and no run \
         has these features; train one with `oplus run`, or see `oplus runs list`"
    )]
    Unknown { text: String },
    /// Several experiments have nets of these features.
    #[error(
        "nets of `{text}` were trained in several experiments ({experiments}); say which, such as \
         `{first}:{text}`"
    )]
    Ambiguous { text: String, experiments: String, first: String },
    /// Several runs that are not seeds of one set.
    #[error("`{text}` could be any of several runs ({runs}); name one of them")]
    Variants { text: String, runs: String },
    #[error(
        "`{label}` is there twice; give both a name (`one=…`, `other=…`), or compare different nets"
    )]
    Twice { label: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Expression(#[from] Box<ExpressionError>),
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Runs(#[from] Box<ExperimentError>),
    #[error(transparent)]
    Plan(PlanError),
    #[error(transparent)]
    Puzzles(#[from] PuzzleError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("stopped; called again in the same way it goes on")]
    Stopped,
}

impl From<PlanError> for CompareError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Stopped => Self::Stopped,
            other => Self::Plan(other),
        }
    }
}

impl From<ExperimentError> for CompareError {
    fn from(error: ExperimentError) -> Self {
        Self::Runs(Box::new(error))
    }
}
