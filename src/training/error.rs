//! Errors of training.

use std::io;
use std::path::PathBuf;

use super::checkpoint::CheckpointError;
use super::config::ConfigError;
use super::footprint::{CardTooSmall, TooLarge};
use super::labels::MissingLabels;
use super::start::{StartError, StartFileError};
use base::LockError;
use base::atomic::WriteError;
use network::DeviceError;
use nnue::{NetError, QuantiseError};

/// A run that cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    StartFile(#[from] StartFileError),
    #[error(transparent)]
    Memory(#[from] TooLarge),
    #[error(transparent)]
    CardMemory(#[from] CardTooSmall),
    #[error("{device} failed: {reason}; {way_on}")]
    DeviceFailed { device: String, reason: String, way_on: String },
    #[error(
        "training.batch = {batch} but there are only {positions} training positions; lower training.batch to at most that, or add data"
    )]
    BatchTooLarge { batch: usize, positions: usize },
    #[error(
        "training.method = \"pqr\" but of {without} of {positions} positions the move played is not known, or no other was legal; load the data with `DataSpec::choices`"
    )]
    NoChoices { without: usize, positions: usize },
    #[error(transparent)]
    MissingLabels(#[from] MissingLabels),
    #[error(transparent)]
    Locked(#[from] LockError),
    #[error(
        "the net diverged: the loss at step {step} is {loss} with learning rate {learning_rate}; lower training.learning_rate; {last_good}"
    )]
    Diverged { step: u64, loss: f64, learning_rate: f64, last_good: String },
    #[error(
        "the training has no effect: over {positions} positions {}; lower \
         training.learning_rate (it began with {learning_rate}) or give it a training.warmup, and \
         start again: a layer without a neuron that still fires does not come back",
        odd.join("; ")
    )]
    Constant { positions: usize, odd: Vec<String>, learning_rate: f64 },
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The checkpoint is further than the run is to go.
    #[error(
        "{}: the run has already gone beyond epoch {epochs} ({done} are finished); set training.epochs to more than {done}, or choose another directory",
        path.display()
    )]
    Beyond { done: u32, epochs: u32, path: PathBuf },
    #[error(
        "prepared positions cannot be read: {0}; look after the disk of the cache of positions and \
         give the same command again: it goes on from the last checkpoint"
    )]
    Samples(io::Error),
    #[error(
        "the net cannot be quantised: {source}; the trained weights are kept in {}",
        folder.display()
    )]
    Quantise { folder: PathBuf, source: QuantiseError },
    #[error(transparent)]
    Net(#[from] NetError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("training.threads = {threads}: the threads could not be started: {reason}")]
    Threads { threads: usize, reason: String },
}
