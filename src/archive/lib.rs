//! A compressed archive of games.
//!
//! A game is coded move by move: the legal moves are listed, a small model gives each of
//! them a probability, and a range coder spends on the one that was played as many bits as
//! it is improbable. Scores are coded as differences from a prediction. All of it is
//! integer arithmetic, so that an archive reads alike on every machine and in any version.

#![warn(missing_docs)]

mod adaptive;
mod block;
mod channel;
mod choices;
mod clues;
mod ends;
mod exp2;
pub mod fit;
pub mod format;
mod game;
mod lichess;
mod lookup;
mod model;
mod moves;
mod outlook;
pub mod policy;
mod range_coder;
mod ranks;
mod reader;
mod scores;
mod writer;

pub use block::Codec;
pub use choices::follow;
pub use clues::Clues;
pub use format::{Access, BLOCK_HEAD_BYTES, BadHead, BlockHead, Head, MAGIC, ModelHash};
pub use game::{NoGame, Unsayable, says};
pub use lookup::{Archive, LookupError, Section};
pub use model::{Model, NoModel};
pub use moves::Mode;
pub use outlook::Recent;
pub use reader::{ArchiveError, Block, Blocks, Ending, Part, Preamble};
pub use writer::{ArchiveWriter, Layout, Written};

#[cfg(test)]
mod tests;
