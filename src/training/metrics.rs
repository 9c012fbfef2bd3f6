//! What training reports of itself, while it runs and afterwards.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::atomic::{WriteError, write_atomically};

/// One finished epoch; a line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochMetrics {
    /// Counted from 1.
    pub epoch: u32,
    /// Steps of the optimiser since the start.
    pub step: u64,
    /// Mean loss over the epoch's batches, each before it was learnt from.
    pub train_loss: f64,
    /// Mean loss over the validation samples; none without such samples.
    pub validation_loss: Option<f64>,
    /// Learning rate of the epoch.
    pub learning_rate: f64,
    /// Positions learnt from since the start.
    pub positions: u64,
    /// Wall time of the epoch, validation included.
    pub seconds: f64,
}

/// Where training stands after a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchProgress {
    /// The running epoch, counted from 1.
    pub epoch: u32,
    /// Epochs there will be.
    pub epochs: u32,
    /// Steps of the optimiser since the start.
    pub step: u64,
    /// Positions learnt from in this epoch.
    pub positions: u64,
    /// Positions there are in an epoch.
    pub positions_total: u64,
    /// Loss of the batch just learnt from.
    pub loss: f64,
    /// Over the last few seconds.
    pub positions_per_second: f64,
}

/// What the observer of a run is told.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// The run goes on from a checkpoint with so many finished epochs.
    Resumed {
        /// Steps already taken.
        step: u64,
        /// The epochs already finished.
        history: &'a [EpochMetrics],
    },
    /// A batch was learnt from.
    Batch(BatchProgress),
    /// An epoch was finished and a checkpoint written.
    Epoch(&'a EpochMetrics),
}

/// Time over which the pace is taken.
const PACE_WINDOW: Duration = Duration::from_secs(5);

/// Positions per second over the last few seconds.
#[derive(Debug, Default)]
pub struct Pace {
    /// When batches were done, and how many positions they brought.
    batches: VecDeque<(Instant, usize)>,
    /// Positions of all but the first of them.
    positions: usize,
}

impl Pace {
    /// The pace after another batch; 0 after the first.
    pub fn after(&mut self, positions: usize) -> f64 {
        let now = Instant::now();
        if !self.batches.is_empty() {
            self.positions += positions;
        }
        self.batches.push_back((now, positions));
        while self.batches.len() > 2 && now - self.batches[0].0 > PACE_WINDOW {
            self.batches.pop_front();
            self.positions -= self.batches[0].1;
        }
        let seconds = (now - self.batches[0].0).as_secs_f64();
        if seconds > 0.0 { self.positions as f64 / seconds } else { 0.0 }
    }
}

/// Writes the history as one JSON object per line, replacing the file. It is
/// always written whole, so it cannot disagree with the checkpoint for longer
/// than the moment between the two.
pub fn write_history(path: &Path, history: &[EpochMetrics]) -> Result<(), WriteError> {
    let mut lines = Vec::new();
    for epoch in history {
        serde_json::to_writer(&mut lines, epoch)
            .map_err(|source| WriteError { path: path.to_owned(), source: source.into() })?;
        lines.push(b'\n');
    }
    write_atomically(path, &[&lines])
}
