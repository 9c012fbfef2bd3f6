//! Games and positions, read from real formats.
//!
//! The room turns files into training samples and knows nothing of what the
//! samples are for. Three decisions shape it:
//!
//! * **Games, not positions, are the unit.** A reader yields whole games with
//!   full positions (castling, en passant, side to move, the move played), so
//!   that every feature, filter and split downstream can be had; formats that
//!   keep only shuffled boards cannot be split honestly.
//! * **The split belongs to the game, not to the run.** Whether a game
//!   validates is decided by a hash of what was played, never by a seed: runs
//!   stay comparable, and the same game in two files cannot stand on both sides.
//! * **Reading is sequential, understanding is parallel.** A format only has
//!   to say where one game ends and the next begins; replaying, scoring and
//!   packing run on all cores, and results are taken up in file order, so the
//!   data set is the same whatever the number of threads.

pub mod dataset;
pub mod error;
pub mod filter;
pub mod format;
pub mod game;
pub mod lines;
pub mod pgn;
pub mod positions;
#[cfg(test)]
mod random_game;
pub mod reader;
pub mod sample;
pub mod skip;
pub mod source;
pub mod split;
pub mod viriformat;

pub use dataset::{DataSpec, Dataset, LoadProgress, load};
pub use error::DataError;
pub use filter::{DropCounts, DropRule, Filter};
pub use format::Format;
pub use game::{Game, GameMove, GameResult, Score};
pub use lines::PositionLines;
pub use positions::{PositionSample, sample_positions};
pub use reader::{BadGame, GameDefect, GameReader};
pub use sample::Sample;
pub use skip::SkipReport;
pub use source::{Source, SourceInfo};
pub use viriformat::VirifileWriter;
