//! Positions on which nets are looked at.

use std::path::PathBuf;

use crate::cli::Failure;
use crate::cli::inputs::{UNPRINTED, drawn};
use crate::cli::progress::Progress;
use chess::Position;
use data::{DataError, some_positions};

/// Which positions.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Positions")]
pub(super) struct PositionArgs {
    /// Draw positions from this file: an archive, PGN, viriformat,
    /// `FEN | score | result`, FEN or EPD, plain or .zst (repeatable)
    #[arg(long, value_name = "FILE", default_value = "datasets/bootstrap.oarc")]
    data: Vec<PathBuf>,
    /// Number of positions, evenly from each file and shared among the files
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl PositionArgs {
    pub(super) fn draw(&self, progress: &mut Progress) -> Result<Vec<Position>, Failure> {
        let share = (self.positions as usize).div_ceil(self.data.len().max(1));
        let mut positions = Vec::new();
        for file in &self.data {
            let sample = drawn(some_positions, file, share, self.seed, progress);
            let sample = sample.map_err(|error| match error {
                DataError::Stopped => UNPRINTED,
                DataError::Open { .. } => {
                    Failure::message(format!("{error}; or name another with --data"))
                }
                other => other.into(),
            })?;
            positions.extend(sample.positions);
        }
        Ok(positions)
    }
}
