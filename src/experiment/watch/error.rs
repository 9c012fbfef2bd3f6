//! Errors of the live page.

use std::path::PathBuf;

use crate::ExperimentError;
use base::format::first_few;
use plan::PlanError;
use report::ReportError;

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("no run of `{name}` in this folder; it has: {}", first_few(known))]
    Unknown { name: String, known: Vec<String> },
    #[error(
        "no runs in this folder: `oplus run FILE.toml` starts an experiment, `oplus discover FILE.toml` a search"
    )]
    Nothing,
    #[error("port {port} is not available ({reason}); --port 0 takes any free one")]
    Port { port: u16, reason: String },
    #[error("cannot read the metrics in {}: {source}", folder.display())]
    Metrics { folder: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Report(#[from] ReportError),
}
