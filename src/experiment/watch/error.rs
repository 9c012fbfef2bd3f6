//! Errors of the live page.

use std::path::PathBuf;

use crate::ExperimentError;
use base::format::first_few;
use plan::PlanError;
use report::ReportError;

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("nothing was run as `{name}` here; there are: {}", first_few(known))]
    Unknown { name: String, known: Vec<String> },
    #[error(
        "nothing was run here yet: `oplus run FILE.toml` begins an experiment, `oplus discover FILE.toml` a search"
    )]
    Nothing,
    #[error("port {port} cannot be had ({reason}); --port 0 takes any that is free")]
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
