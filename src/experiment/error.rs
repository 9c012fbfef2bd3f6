//! Why an experiment stops.

use std::path::PathBuf;

use miette::{Diagnostic, NamedSource, SourceSpan};

use super::preflight::Unready;
use arena::ArenaError;
use base::memory::Shortage;
use data::DataError;
use nnue::{NetError, QuantiseError};
use report::ReportError;
use training::TrainingError;

/// A mistake in an experiment file, shown with a caret under the place.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct ConfigError {
    pub(super) message: String,
    #[source_code]
    pub(super) source_text: NamedSource<String>,
    #[label("{label}")]
    pub(super) span: Option<SourceSpan>,
    pub(super) label: String,
    #[help]
    pub(super) help: Option<String>,
}

impl ConfigError {
    /// A message without a place.
    pub(super) fn plain(message: String) -> Self {
        Self {
            message,
            source_text: NamedSource::new("experiment", String::new()),
            span: None,
            label: String::new(),
            help: None,
        }
    }
}

/// Why an experiment cannot go on. A [`ConfigError`] is the user's to mend in
/// the file; the others happened on the way.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file is wrong.
    #[error(transparent)]
    Config(Box<ConfigError>),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The registry could not be used.
    #[error("{}: {source}; if the disk is full make room, if the file is damaged move it away and start afresh", path.display())]
    Registry {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The players' tables do not fit.
    #[error(
        "evaluation.hash_mb = {hash_mb}, for each player of a game on each core: {shortage}; lower it"
    )]
    Tables {
        /// What was asked for.
        hash_mb: usize,
        /// What is missing.
        shortage: Shortage,
    },
    /// Reading positions or puzzles failed.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Reading puzzles failed.
    #[error(transparent)]
    Puzzles(#[from] puzzles::PuzzleError),
    /// Training failed.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// The trained net cannot be quantised.
    #[error("{run}: {source}")]
    Quantise {
        /// The run.
        run: String,
        /// Why.
        source: QuantiseError,
    },
    /// A net file could not be read or written.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Games could not be made.
    #[error(transparent)]
    Selfplay(#[from] selfplay::FileError),
    /// Nothing to be reported.
    #[error(
        "nothing is measured of `{experiment}` as its file is now: {changed}`oplus run` measures it, \
         and `oplus report --as-run` makes the page of the last run, as the file was then"
    )]
    NothingMeasured {
        /// The experiment.
        experiment: String,
        /// What differs from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    /// A page shows more than would take its place.
    #[error(
        "the page in {} shows more than there is for the file as it is now ({lost}), and stays: \
         {changed}`oplus run` measures what is missing, `oplus report --as-run` makes the page of \
         the last run, `--to FOLDER` writes elsewhere, `--replace` replaces it all the same",
        folder.display()
    )]
    ShowsLess {
        /// Its folder.
        folder: PathBuf,
        /// What would be lost.
        lost: String,
        /// What differs from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    /// Somebody works on the same experiment.
    #[error(transparent)]
    Locked(#[from] base::LockError),
    /// Generations that are to be reported have not met.
    #[error(
        "the generations of `{experiment}` have not played each other yet: `oplus run` goes on with them"
    )]
    Unrated {
        /// The experiment.
        experiment: String,
    },
    /// The generations cannot be compared.
    #[error(transparent)]
    Ratings(#[from] arena::RatingsError),
    /// A match could not be played.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// There are no such openings.
    #[error(transparent)]
    Openings(#[from] arena::OpeningsError),
    /// What can only fail later does not stand ready.
    #[error(transparent)]
    Unready(Box<Unready>),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl ExperimentError {
    /// Whether it is the fault of a single net, of which others know nothing.
    pub(super) fn is_of_one_net(&self) -> bool {
        matches!(
            self,
            Self::Quantise { .. }
                | Self::Training(TrainingError::Diverged { .. } | TrainingError::Constant { .. })
        )
    }
}
