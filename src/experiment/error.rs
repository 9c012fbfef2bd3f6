//! Errors of experiments.

use std::path::{Path, PathBuf};

use super::preflight::PreflightError;
use base::{Content, Diagnostic};
use data::DataError;
use report::ReportError;
use training::TrainingError;

#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A mistake in the file.
    #[error(transparent)]
    Config(Box<Diagnostic>),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "there is no file `{name}`, no `experiments/{name}.toml`, and nothing was run as `{name}` \
         here"
    )]
    NotNamed { name: String },
    #[error(
        "{}: no folder of a run; `oplus run FILE` makes runs/NAME, with results in it",
        folder.display()
    )]
    NoRun { folder: PathBuf },
    #[error("the last run of that name is no experiment: its kind is {kind}")]
    OtherKind { kind: String },
    #[error("{}", not_one_run(name, *count))]
    NotOneRun { name: String, count: usize },
    #[error("{}: {reason}; remove it, and `oplus run` makes it again", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "data.train: {} has other content than the experiment names: its BLAKE3 is {content}, and \
         {wanted} is wanted",
        path.display()
    )]
    OtherContent { path: PathBuf, content: Content, wanted: Content },
    #[error(transparent)]
    Write(#[from] base::WriteError),
    #[error(transparent)]
    Plan(#[from] plan::PlanError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Puzzles(#[from] measure::puzzles::PuzzleError),
    #[error(transparent)]
    Training(#[from] TrainingError),
    #[error(
        "nothing is measured of `{experiment}` as its file is now: {changed}`oplus {command}` \
         measures it, and `oplus report --as-run` makes the page of the last run, as the file was then"
    )]
    NothingMeasured {
        experiment: String,
        /// The subcommand that runs it.
        command: &'static str,
        /// Differences from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    #[error(
        "the page in {} shows more than the results for the present file ({lost}), and stays: \
         {changed}`oplus {command}` measures the missing results, `oplus report --as-run` makes the page of \
         the last run, `--out FOLDER` writes elsewhere, `--replace` replaces it all the same",
        folder.display()
    )]
    ShowsLess {
        folder: PathBuf,
        lost: String,
        /// The subcommand that runs the study.
        command: &'static str,
        /// Differences from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    #[error(transparent)]
    Locked(#[from] base::LockError),
    /// Generations without games against each other.
    #[error(
        "the generations of `{experiment}` have not played each other yet: `oplus run` goes on with them"
    )]
    Unrated { experiment: String },
    #[error(transparent)]
    Ratings(#[from] arena::RatingsError),
    #[error(transparent)]
    Openings(#[from] arena::OpeningsError),
    #[error(transparent)]
    Preflight(Box<PreflightError>),
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl ExperimentError {
    pub(super) fn unreadable(path: &Path, reason: impl ToString) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }
}

fn not_one_run(name: &str, count: usize) -> String {
    match count {
        0 => format!("no run is called `{name}`; `oplus runs list` shows them all"),
        _ => format!("{count} runs begin with `{name}`; give more of the name"),
    }
}
