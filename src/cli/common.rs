//! Parts of several commands: flags, files to read, progress, errors, signals.

pub(super) mod appearance;
pub(super) mod cluster;
pub(super) mod command_line;
pub(super) mod define;
pub(super) mod failure;
pub(super) mod inputs;
pub(super) mod match_flags;
mod match_pgn;
pub(super) mod output;
pub(super) mod progress;
pub(super) mod signals;
pub(super) mod study;
pub(super) mod techniques;
pub(super) mod threads;
pub(super) mod training_flags;
pub(super) mod warnings;

use failure::Failure;
