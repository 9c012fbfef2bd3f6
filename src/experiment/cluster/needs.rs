//! Resources of a job.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use plan::{Job, Traits};

/// Kind of work for a scheduler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Kind {
    /// The machine must be exclusive.
    pub timed: bool,
    pub gpu: bool,
    /// Name in job names and logs.
    name: Cow<'static, str>,
}

impl Kind {
    /// Writing the page.
    pub const REPORT: Self = Self { timed: false, gpu: false, name: Cow::Borrowed("report") };

    pub fn of(job: &Job) -> Self {
        let Traits { timed, gpu, group, .. } = job.traits();
        Self { timed, gpu, name: Cow::Borrowed(if timed { "timed" } else { group }) }
    }

    /// Whether jobs train nets, whose memory is forecast.
    pub(crate) fn is_training(&self) -> bool {
        self.name == "train"
    }

    fn is_report(&self) -> bool {
        *self == Self::REPORT
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Resources of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Processors.
    pub cpus: usize,
    /// Bytes of memory, where they are forecast.
    pub memory: Option<u64>,
    /// Graphics cards.
    pub gpus: usize,
    /// Whether the machine must be exclusive.
    pub alone: bool,
}

impl Needs {
    /// Resources of a kind of work with `cpus` processors.
    pub fn of(kind: &Kind, cpus: usize) -> Self {
        let cpus = if kind.is_report() { 1 } else { cpus };
        Self { cpus, memory: None, gpus: usize::from(kind.gpu), alone: kind.timed }
    }
}
