//! Decoding a game of viriformat.

use super::HEADER_BYTES;
use super::bits::{decode_move, describe_move};
use super::marlinformat::{RESULT_OFFSET, Record};
use crate::defect::{BadEntry, Defect};
use crate::formats::terminated::Parts;
use chess::Game;

/// Decodes the game in `bytes`, which begins at that byte of its file.
pub(crate) fn decode(bytes: &[u8], offset: u64) -> Result<Game, BadEntry> {
    let parts = Parts::<HEADER_BYTES>::of(bytes, offset)?;
    let Record { position, result, .. } = Record::of(parts.head);
    let Some(start) = position else {
        let detail = format!("no legal start position: {:02x?}", parts.head);
        return Err(parts.bad(Defect::StartPosition, 0, detail));
    };
    let Some(result) = result else {
        let detail = format!("the result is {}, expected 0, 1 or 2", parts.head[RESULT_OFFSET]);
        return Err(parts.bad(Defect::Malformed, RESULT_OFFSET, detail));
    };
    let moves = parts.moves(&start, decode_move, describe_move)?;
    Ok(Game { start, moves, result: Some(result) })
}
