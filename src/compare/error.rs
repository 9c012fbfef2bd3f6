//! Why a comparison cannot be made.

use std::path::PathBuf;

use experiment::ExperimentError;
use features::ExpressionError;
use measure::MeasureError;
use nnue::NetError;
use plan::PlanError;
use puzzles::PuzzleError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Neither a file, nor a run, nor an expression of which there are nets.
    #[error(
        "there is no trained net of `{text}`: it is no `.oplus` file, no run begins so, and no run \
         has these features; train one with `oplus run`, or see `oplus runs list`"
    )]
    Unknown {
        /// As given.
        text: String,
    },
    /// Several experiments have nets of these features.
    #[error(
        "nets of `{text}` were trained in several experiments ({experiments}); say which, such as \
         `{first}:{text}`"
    )]
    Ambiguous {
        /// As given.
        text: String,
        /// Their names, separated by commas.
        experiments: String,
        /// One of them.
        first: String,
    },
    /// Several runs are meant, which are not seeds of one set.
    #[error("`{text}` could be any of several runs ({runs}); name one of them")]
    Variants {
        /// As given.
        text: String,
        /// Runs.
        runs: String,
    },
    /// Two contestants are the same.
    #[error(
        "`{label}` is there twice; give both a name (`one=…`, `other=…`), or compare different nets"
    )]
    Twice {
        /// What both are called.
        label: String,
    },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An expression that cannot be read.
    #[error(transparent)]
    Expression(#[from] Box<ExpressionError>),
    /// A net that cannot be read.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Runs that cannot be read.
    #[error(transparent)]
    Runs(#[from] Box<ExperimentError>),
    /// A job that cannot be done.
    #[error(transparent)]
    Plan(PlanError),
    /// A result that cannot be read.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// Puzzles that cannot be read.
    #[error(transparent)]
    Puzzles(#[from] PuzzleError),
    /// Stopped; what was played stands in the logs.
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
