//! Why something cannot be watched.

use std::path::PathBuf;

use base::format::first_few;
use discover::DiscoverError;
use experiment::ExperimentError;
use plan::PlanError;
use report::ReportError;

/// Why something cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Nothing was run under this name.
    #[error("nothing was run as `{name}` here; there are: {}", first_few(known))]
    Unknown {
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Nothing was run at all.
    #[error(
        "nothing was run here yet: `oplus run FILE.toml` begins an experiment, `oplus discover FILE.toml` a search"
    )]
    Nothing,
    /// Another program listens there.
    #[error("port {port} cannot be had ({reason}); --port 0 takes any that is free")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        reason: String,
    },
    /// Metrics that cannot be read.
    #[error("cannot read the metrics in {}: {source}", folder.display())]
    Metrics {
        /// Where they are.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its file or its results say something wrong.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// It is a search, whose results say something wrong.
    #[error(transparent)]
    Discover(#[from] DiscoverError),
    /// Its jobs cannot be seen.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its page cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
}
