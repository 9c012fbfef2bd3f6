//! Viridithas's game format, the densest open one for self-play games.
//!
//! Layout as published in the `viriformat` crate, little endian:
//!
//! * the start position as a record of [`marlinformat`], whose score is not used;
//! * per move 4 bytes: u16 move (from, to, promotion N B R Q, kind: 1 en
//!   passant, 2 castling as king takes rook, 3 promotion), and i16 score of
//!   the position before it, seen by White;
//! * 4 zero bytes.
//!
//! The format has no *mate* and no *no score*. Both are stored as in
//! [`Score::to_i16`](chess::Score::to_i16): a mate in `n` as ±(32000 − n), no
//! score as 32002; other tools see scores far above their evaluation limits.
//! A game without a result cannot be written at all.
//!
//! The crate's own reader panics on bytes that are no game, so reading is done
//! here, each move being looked up among the legal ones; the crate is the
//! reference the tests compare with.

mod bits;
mod read;
mod write;

use super::{marlinformat, terminated};
pub(crate) use bits::{decode_move, encode_move};
pub(crate) use read::decode;
pub(crate) use write::encode;

/// Bytes of the start position with result.
pub(super) const HEADER_BYTES: usize = marlinformat::RECORD_BYTES;

#[cfg(test)]
mod tests;
