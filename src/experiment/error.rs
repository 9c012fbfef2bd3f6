//! Why an experiment stops.

use std::path::{Path, PathBuf};

use miette::{Diagnostic, NamedSource, SourceSpan};

use super::preflight::Unready;
use data::DataError;
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

/// Why an experiment cannot go on. A `ConfigError` is the user's to mend in
/// the file; the others happened on the way.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    #[error(transparent)]
    Config(Box<ConfigError>),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "there is no file `{name}`, no `experiments/{name}.toml`, and nothing was run as `{name}` \
         here"
    )]
    NotNamed { name: String },
    #[error("{}: {reason}; remove it, and `oplus run` makes it again", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(transparent)]
    Write(#[from] base::WriteError),
    #[error(transparent)]
    Plan(#[from] plan::PlanError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Puzzles(#[from] puzzles::PuzzleError),
    #[error(transparent)]
    Training(#[from] TrainingError),
    #[error(
        "nothing is measured of `{experiment}` as its file is now: {changed}`oplus run` measures it, \
         and `oplus report --as-run` makes the page of the last run, as the file was then"
    )]
    NothingMeasured {
        experiment: String,
        /// What differs from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    #[error(
        "the page in {} shows more than there is for the file as it is now ({lost}), and stays: \
         {changed}`oplus run` measures what is missing, `oplus report --as-run` makes the page of \
         the last run, `--out FOLDER` writes elsewhere, `--replace` replaces it all the same",
        folder.display()
    )]
    ShowsLess {
        folder: PathBuf,
        lost: String,
        /// What differs from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    #[error(transparent)]
    Locked(#[from] base::LockError),
    /// Generations that are to be reported have not met.
    #[error(
        "the generations of `{experiment}` have not played each other yet: `oplus run` goes on with them"
    )]
    Unrated { experiment: String },
    #[error(transparent)]
    Ratings(#[from] arena::RatingsError),
    #[error(transparent)]
    Openings(#[from] arena::OpeningsError),
    /// What can only fail later does not stand ready.
    #[error(transparent)]
    Unready(Box<Unready>),
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl ExperimentError {
    pub(super) fn unreadable(path: &Path, reason: impl ToString) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }
}
