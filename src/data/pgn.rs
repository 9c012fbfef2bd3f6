//! Games in Portable Game Notation.
//!
//! `pgn-reader` reads the moves of one game; finding the games is done here
//! (`split`), because that gives line numbers for messages, lets games be
//! decoded in parallel, and keeps a broken game from hurting its neighbours.
//!
//! Standard chess and Chess960 (also from a given position) are taken, other
//! variants refused. A game with an illegal move is refused as a whole: what
//! stands before it may already be another game than the one that was played.
//! Scores come from comments, see `comment`; variations are not read.

mod comment;
mod game;
mod split;
mod write;

pub(super) use game::decode;
pub(super) use split::Splitter;
pub use write::{result_text, write_game, write_movetext};
