//! Why jobs cannot be done.

use std::path::PathBuf;

use base::{Key, KeyError, LockError, WriteError};
use discovery::ScreeningError;
use evolution::EvolutionError;
use measure::MeasureError;

/// Why a plan cannot be carried out. What is done is kept.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("{}: {reason}; remove the file, and the job is done again", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Evolution(#[from] EvolutionError),
    #[error(transparent)]
    Screening(#[from] ScreeningError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(
        "{title} ({key}) waits for {needs}, which {are} to be done first",
        needs = needs.join(", "), are = if needs.len() == 1 { "has" } else { "have" }
    )]
    Waits { key: Key, title: String, needs: Vec<String> },
    #[error("{title} ({key}): {holder} is at it")]
    Held { key: Key, title: String, holder: String },
    #[error("{0}")]
    Missing(String),
    #[error(transparent)]
    Data(#[from] data::DataError),
    #[error(transparent)]
    Training(#[from] training::TrainingError),
    #[error("{run}: {source}")]
    Quantise { run: String, source: nnue::QuantiseError },
    #[error(transparent)]
    Net(#[from] nnue::NetError),
    #[error(transparent)]
    Selfplay(#[from] ::selfplay::FileError),
    #[error(transparent)]
    Measure(MeasureError),
}

impl From<MeasureError> for PlanError {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Stopped => Self::Stopped,
            MeasureError::Shelf(inner) => match inner.downcast::<PlanError>() {
                Ok(own) => *own,
                Err(other) => Self::Measure(MeasureError::Shelf(other)),
            },
            other => Self::Measure(other),
        }
    }
}

impl From<PlanError> for MeasureError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Stopped => Self::Stopped,
            other => Self::Shelf(Box::new(other)),
        }
    }
}

impl PlanError {
    /// Whether it is the fault of a single net, of which others know nothing.
    pub(crate) fn is_of_one_net(&self) -> bool {
        use training::TrainingError::{Constant, Diverged};
        matches!(self, Self::Quantise { .. } | Self::Training(Diverged { .. } | Constant { .. }))
    }
}
