//! Why jobs cannot be done.

use std::path::PathBuf;

use base::{Key, KeyError, LockError, WriteError};
use discovery::ScreeningError;
use evolution::EvolutionError;
use measure::MeasureError;

/// Why a plan cannot be carried out. What is done is kept.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// A definition that cannot be written down.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A result that is no result.
    #[error("{}: {reason}; remove the file, and the job is done again", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or folder that cannot be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A search that cannot go on.
    #[error(transparent)]
    Evolution(#[from] EvolutionError),
    /// Games that do not suffice to ask candidates.
    #[error(transparent)]
    Screening(#[from] ScreeningError),
    /// A lease that cannot be had.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A job whose needs are not met.
    #[error(
        "{title} ({key}) waits for {needs}, which {are} to be done first",
        needs = needs.join(", "), are = if needs.len() == 1 { "has" } else { "have" }
    )]
    Waits {
        /// The job.
        key: Key,
        /// For people.
        title: String,
        /// Keys and titles.
        needs: Vec<String>,
    },
    /// A job that somebody does.
    #[error("{title} ({key}): {holder} is at it")]
    Held {
        /// The job.
        key: Key,
        /// For people.
        title: String,
        /// Who.
        holder: String,
    },
    /// Something that a job names and nobody has.
    #[error("{0}")]
    Missing(String),
    /// Positions that cannot be read.
    #[error(transparent)]
    Data(#[from] data::DataError),
    /// Training failed.
    #[error(transparent)]
    Training(#[from] training::TrainingError),
    /// A trained net that cannot be quantised.
    #[error("{run}: {source}")]
    Quantise {
        /// The run.
        run: String,
        /// Why.
        source: nnue::QuantiseError,
    },
    /// A net file that cannot be used.
    #[error(transparent)]
    Net(#[from] nnue::NetError),
    /// Games that cannot be made.
    #[error(transparent)]
    Selfplay(#[from] ::selfplay::FileError),
    /// A measurement that cannot be taken.
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
