//! Games and positions, read from real formats.

pub mod game;
pub mod sample;

pub use game::{Game, GameMove, GameResult, Score};
pub use sample::Sample;
