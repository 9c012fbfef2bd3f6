//! What a job needs of a machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ClusterError;
use experiment::{Experiment, grid, preflight};
use plan::Job;

/// What is done, as far as a scheduler has to tell jobs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Games,
    Positions,
    /// A net is trained on processors.
    Train,
    /// A net is trained on a graphics card.
    TrainOnGpu,
    Measure,
    /// Something is measured by a clock, on a machine that does nothing else.
    Timed,
    /// The page is made.
    Report,
}

impl Kind {
    pub fn of(job: &Job) -> Self {
        match job {
            _ if job.is_timed() => Self::Timed,
            Job::Games(_) => Self::Games,
            Job::Positions(_) => Self::Positions,
            Job::Train(train) if train.training.device.is_gpu() => Self::TrainOnGpu,
            Job::Train(_) => Self::Train,
            Job::Measure(_) | Job::Evolve(_) | Job::Trial(_) | Job::Discovery(_) => Self::Measure,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Games => "games",
            Self::Positions => "positions",
            Self::Train | Self::TrainOnGpu => "train",
            Self::Measure => "measure",
            Self::Timed => "timed",
            Self::Report => "report",
        })
    }
}

/// Bytes that the largest net of the grid takes to be trained, and some to work with.
///
/// # Errors
/// A grid that cannot be, which reading the file finds out.
pub fn memory_to_train(experiment: &Experiment) -> Result<u64, ClusterError> {
    const BESIDE: u64 = 1 << 30;
    let peaks = grid::expand(experiment)?.iter().map(|run| preflight::footprint(run).peak()).max();
    Ok(peaks.unwrap_or(0) / 4 * 5 + BESIDE)
}

/// What a task asks of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Processors.
    pub cpus: usize,
    /// Bytes of memory, where a forecast says.
    pub memory: Option<u64>,
    /// Graphics cards.
    pub gpus: usize,
    /// Whether nothing else may run on the machine.
    pub alone: bool,
}

impl Needs {
    /// Those of a kind of work on so many processors.
    pub fn of(kind: Kind, cpus: usize) -> Self {
        let cpus = match kind {
            Kind::Report => 1,
            _ => cpus,
        };
        let gpus = usize::from(kind == Kind::TrainOnGpu);
        Self { cpus, memory: None, gpus, alone: kind == Kind::Timed }
    }
}
