//! Games in as few bytes as they deserve.
//!
//! A game is told move by move: the legal moves are listed, a small model says
//! how likely each of them is, and an exact range coder spends on the one that
//! was played as many bits as it is unlikely. Scores are told as what they add to
//! what one would have guessed. All of it is done in whole numbers, so that an
//! archive reads alike on every machine and for ever.

pub mod adaptive;
pub mod block;
pub mod channel;
pub mod climb;
pub mod clues;
pub mod ends;
pub mod exp2;
pub mod fit;
pub mod format;
pub mod game;
pub mod lichess;
pub mod lookup;
pub mod model;
pub mod moves;
pub mod outlook;
pub mod policy;
pub mod range_coder;
pub mod ranks;
pub mod reader;
pub mod scores;
pub mod writer;
pub mod yardsticks;

pub use block::{Access, Codec};
pub use format::{BLOCK_HEAD_BYTES, BlockHead, MAGIC};
pub use game::{Unsayable, says};
pub use lookup::{Archive, LookupError, Section};
pub use model::Model;
pub use moves::Mode;
pub use reader::{ArchiveError, Block, Blocks, Ending, Part, Preamble};
pub use writer::{ArchiveWriter, Layout, Written};

#[cfg(test)]
mod tests;
