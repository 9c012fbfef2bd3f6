//! The archive: games in little more than a byte a position.
//!
//! A game is coded move by move: the legal moves are listed, a small model gives each of
//! them a probability, and a range coder spends on the one that was played as many bits as
//! it is improbable. Scores are coded as differences from a prediction. All of it is
//! integer arithmetic, so that an archive reads alike on every machine and in any version.

mod adaptive;
mod block;
mod channel;
mod context;
mod ends;
pub(super) mod entries;
mod exp2;
mod features;
pub mod fit;
pub mod format;
mod game;
mod lookup;
mod model;
mod moves;
mod policy;
mod range_coder;
mod reader;
mod scores;
mod writer;

pub use block::Codec;
pub use context::Recent;
pub use features::MoveFeatures;
pub use format::{Access, BLOCK_HEAD_BYTES, BadHead, BlockHead, Head, MAGIC, ModelHash};
pub use game::{InvalidGame, Unencodable, holds_exactly};
pub use lookup::{Archive, ArchiveSection, LookupError};
pub use model::{InvalidModel, Model};
pub use moves::{Mode, visit_choices};
pub use reader::{ArchiveEnding, ArchiveError, ArchivePart, Block, Blocks, Preamble};
pub use writer::{ArchiveSize, ArchiveWriter, Layout};

#[cfg(test)]
mod tests;
