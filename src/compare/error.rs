//! Why a comparison cannot be made.

use std::path::PathBuf;

use arena::{ArenaError, OpeningsError};
use experiment::ExperimentError;
use features::ExpressionError;
use nnue::NetError;
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
    /// A folder cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Folder {
        /// The folder.
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
    /// The registry.
    #[error(transparent)]
    Registry(#[from] Box<ExperimentError>),
    /// Openings that cannot be had.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// Games that cannot be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// Puzzles that cannot be read.
    #[error(transparent)]
    Puzzles(PuzzleError),
    /// Stopped; what was played stands in the logs.
    #[error("stopped; called again in the same way it goes on")]
    Stopped,
}

impl From<PuzzleError> for CompareError {
    fn from(error: PuzzleError) -> Self {
        match error {
            PuzzleError::Stopped => Self::Stopped,
            other => Self::Puzzles(other),
        }
    }
}

impl From<ExperimentError> for CompareError {
    fn from(error: ExperimentError) -> Self {
        Self::Registry(Box::new(error))
    }
}
