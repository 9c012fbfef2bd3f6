//! Metrics and events of a run.

use std::path::Path;
use std::{fmt, io};

use base::format::decimals_of_five;

use serde::{Deserialize, Serialize};

use super::keep::Kept;
use super::start::WarmStart;
use super::warning::Warning;

/// One finished epoch; a line of `metrics.jsonl` and of `metrics.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochMetrics {
    /// Counted from 1.
    pub epoch: u32,
    /// Steps of the optimiser since the start.
    pub step: u64,
    /// Mean loss over the epoch's batches, each before its step.
    pub train_loss: f64,
    /// Mean loss over the validation samples; none without such samples.
    pub validation_loss: Option<f64>,
    /// Mean loss of `target-scores` over them, by which methods compare; none
    /// where `validation_loss` is that loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_score_loss: Option<f64>,
    /// Learning rate of the epoch's last step.
    pub learning_rate: f64,
    /// Positions trained on since the start.
    pub positions: u64,
    /// Of this epoch, over all its wall time.
    #[serde(default)]
    pub positions_per_second: f64,
    /// Wall time of the epoch, validation included.
    pub seconds: f64,
    /// Share of it spent waiting for batches, 0 to 1.
    #[serde(default)]
    pub waiting: f64,
}

/// The sheet of a run's epochs, in its folder.
pub const METRICS_FILE: &str = "metrics.csv";

/// The file of a run's epochs, a line for each.
pub(super) const LINES: &str = "metrics.jsonl";

impl EpochMetrics {
    /// Whether a folder is that of a run that has finished an epoch.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(LINES).is_file()
    }

    /// Those of a run in its folder, finished or under way; none before its first epoch.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else.
    pub fn read(folder: &Path) -> io::Result<Vec<Self>> {
        let lines = match std::fs::read_to_string(folder.join(LINES)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        lines.lines().map(|line| serde_json::from_str(line).map_err(io::Error::from)).collect()
    }

    /// Loss of `target-scores` over the validation samples.
    pub fn score_loss(&self) -> Option<f64> {
        self.validation_score_loss.or(self.validation_loss)
    }

    /// Whether another loss than `target-scores` was trained.
    pub fn trains_another_loss(&self) -> bool {
        self.validation_score_loss.is_some()
    }
}

/// A loss in a line of text, with five significant digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown(pub f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1$}", self.0, decimals_of_five(self.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchProgress {
    /// The running epoch, counted from 1.
    pub epoch: u32,
    pub epochs: u32,
    /// Steps of the optimiser since the start.
    pub step: u64,
    /// Positions trained on in this epoch.
    pub positions: u64,
    pub positions_total: u64,
    /// Loss of the batch.
    pub loss: f64,
    /// Mean loss over the batches of this epoch so far.
    pub mean_loss: f64,
}

/// For a live line: `epoch 3/20  loss 0.012345`.
impl fmt::Display for BatchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epoch {}/{}  loss {}", self.epoch, self.epochs, Shown(self.mean_loss))
    }
}

/// For a line of a log: `epoch 3: loss 0.012345, validation 0.013012`.
impl fmt::Display for EpochMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epoch {}: loss {}", self.epoch, Shown(self.train_loss))?;
        self.validation_loss.map_or(Ok(()), |loss| write!(f, ", validation {}", Shown(loss)))?;
        let scores = |loss| write!(f, ", against scores {}", Shown(loss));
        self.validation_score_loss.map_or(Ok(()), scores)
    }
}

#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// The run goes on from a checkpoint.
    Resumed {
        step: u64,
        history: &'a [EpochMetrics],
    },
    /// The run begins with a start net.
    WarmStart(&'a WarmStart),
    Batch(BatchProgress),
    /// An epoch was finished and a checkpoint written.
    Epoch(&'a EpochMetrics),
    /// The net that is kept.
    Ended(&'a Kept),
    Warning(&'a Warning),
}
