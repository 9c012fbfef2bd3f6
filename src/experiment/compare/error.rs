//! Errors of comparisons.

use crate::ExperimentError;
use features::ExpressionError;
use nnue::NetError;

#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(
        "no trained net of `{text}`: not a `.oplus` file, not a run or a prefix of one, and no run \
         has these features; train one with `oplus run`, read one of another trainer with `oplus net \
         import`, or see `oplus runs list`"
    )]
    Unknown { text: String },
    /// Several experiments have nets of these features.
    #[error(
        "several experiments have nets of `{text}` ({experiments}); name one, such as \
         `{first}:{text}`"
    )]
    Ambiguous { text: String, experiments: String, first: String },
    /// Several runs that are not seeds of one training.
    #[error("`{text}` names several nets: {runs}; name one run, or its file")]
    Variants { text: String, runs: String },
    #[error("`{label}` appears twice; name both (`one=…`, `other=…`), or compare different nets")]
    Twice { label: String },
    #[error(transparent)]
    Expression(#[from] Box<ExpressionError>),
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Runs(#[from] Box<ExperimentError>),
}

impl From<ExperimentError> for CompareError {
    fn from(error: ExperimentError) -> Self {
        Self::Runs(Box::new(error))
    }
}
