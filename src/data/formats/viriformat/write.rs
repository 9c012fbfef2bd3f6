//! Writing viriformat.

use super::bits::encode_move;
use super::marlinformat::{RESULT_OFFSET, encode_result};
use super::terminated::{MOVE_BYTES, TERMINATOR};
use chess::game::NO_SCORE;
use chess::{Game, PackedPosition, Score};

/// Appends the record of a game; an error is why the format cannot hold it.
pub(crate) fn encode(game: &Game, record: &mut Vec<u8>) -> Result<(), &'static str> {
    let result = game.result.ok_or("it has no result, which viriformat cannot hold")?;
    let start = PackedPosition::pack(&game.start).ok_or("it starts with more than 32 pieces")?;
    if start.unpack().is_none_or(|position| position.fen() != game.start.fen()) {
        return Err("the move counters of its start position are too large");
    }
    record.extend_from_slice(bytemuck::bytes_of(&start));
    record.extend_from_slice(&0i16.to_le_bytes());
    debug_assert_eq!(record.len(), RESULT_OFFSET);
    record.extend_from_slice(&[encode_result(result), 0]);
    record.reserve((game.moves.len() + 1) * MOVE_BYTES);
    for m in &game.moves {
        let bits = encode_move(m.played);
        let score = m.white_score.map_or(NO_SCORE, Score::to_i16);
        record.extend_from_slice(&bits.to_le_bytes());
        record.extend_from_slice(&score.to_le_bytes());
    }
    record.extend_from_slice(&TERMINATOR);
    Ok(())
}
