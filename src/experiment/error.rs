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
        "no file `{name}`, no `experiments/{name}.toml`, and no run of `{name}` in this \
         folder"
    )]
    NotNamed { name: String },
    #[error(
        "{}: not the folder of a run; `oplus run FILE` writes runs/NAME, with results in it",
        folder.display()
    )]
    NoRun { folder: PathBuf },
    #[error("the last run of that name is not an experiment but {kind}")]
    OtherKind { kind: String },
    #[error("{}", not_one_run(name, *count))]
    NotOneRun { name: String, count: usize },
    #[error("{}: {reason}; remove it, and `oplus run` writes it again", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(
        "data.train: {} differs from the file of the experiment: its BLAKE3 is {content}, \
         expected {wanted}",
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
        "no results of `{experiment}` with the keys of its file: {changed}`oplus {command}` \
         measures it, and `oplus report --as-run` writes the page with the keys of the last run"
    )]
    NothingMeasured {
        experiment: String,
        /// The subcommand that runs it.
        command: &'static str,
        /// Differences from the last run, as the beginning of a sentence; may be empty.
        changed: String,
    },
    #[error(
        "the page in {} has more results than the present file ({lost}), and was not replaced: \
         {changed}`oplus {command}` measures the missing results, `oplus report --as-run` writes the page of \
         the last run, `--out FOLDER` writes to another folder, `--replace` replaces the page regardless",
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
        "the generations of `{experiment}` have no games against each other yet: `oplus run` plays them"
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
        0 => format!("no run named `{name}`; `oplus runs list` lists all runs"),
        _ => format!("{count} runs have the prefix `{name}`; give more of the name"),
    }
}
