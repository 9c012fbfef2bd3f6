//! marlinformat: records of 32 bytes, the older lists of engines in bullet's and marlinflow's
//! reach, and the head of each game of viriformat.
//!
//! Little endian: 28 bytes of position as in [`PackedPosition`], score (i16, centipawns, White's),
//! result (u8: 0 Black won, 1 drawn, 2 White won) and a byte for the engine's own use. There is no
//! mark at the start of a file and no *no score*; ±(32000 − n) and 32002 are read as in viriformat.

use crate::defect::{BadEntry, Defect};
use crate::formats::list::ListedPosition;
use crate::formats::records::{bad, whole};
use chess::{Color, GameResult, PackedPosition, Position, Score};

pub(super) const RECORD_BYTES: usize = 32;
/// Offset of the score.
const SCORE_OFFSET: usize = 28;
/// Offset of the result.
pub(super) const RESULT_OFFSET: usize = 30;
/// Bytes of the full-move number, which some writers leave 0.
const FULLMOVES: std::ops::Range<usize> = 26..28;

/// The fields of a record, not yet checked.
pub(super) struct Record {
    /// `None` for bytes that are no legal position.
    pub position: Option<Position>,
    pub score: i16,
    /// `None` for a byte that is no result.
    pub result: Option<GameResult>,
}

impl Record {
    pub(super) fn of(bytes: &[u8; RECORD_BYTES]) -> Self {
        let packed: PackedPosition = bytemuck::pod_read_unaligned(&bytes[..SCORE_OFFSET]);
        let score = i16::from_le_bytes([bytes[SCORE_OFFSET], bytes[SCORE_OFFSET + 1]]);
        let result = decode_result(bytes[RESULT_OFFSET]);
        Self { position: packed.unpack(), score, result }
    }
}

/// The byte of a result.
pub(crate) fn encode_result(result: GameResult) -> u8 {
    result.seen_by(Color::White)
}

pub(crate) fn decode_result(byte: u8) -> Option<GameResult> {
    match byte {
        0 => Some(GameResult::Win(Color::Black)),
        1 => Some(GameResult::Draw),
        2 => Some(GameResult::Win(Color::White)),
        _ => None,
    }
}

/// The position of the record that begins at that byte of its file.
pub(super) fn decode(bytes: &[u8], offset: u64) -> Result<ListedPosition, BadEntry> {
    let mut bytes = *whole::<RECORD_BYTES>(bytes, offset)?;
    let is_numbered = bytes[FULLMOVES] != [0, 0];
    if !is_numbered {
        bytes[FULLMOVES.start] = 1;
    }
    let Record { position, score, result } = Record::of(&bytes);
    let Some(position) = position else {
        let detail = format!("no legal position: {:02x?}", &bytes[..SCORE_OFFSET]);
        return Err(bad(offset, Defect::Position, detail));
    };
    let Some(result) = result else {
        let detail = format!("the result is {}, expected 0, 1 or 2", bytes[RESULT_OFFSET]);
        return Err(bad(offset, Defect::Malformed, detail));
    };
    Ok(ListedPosition {
        ply: is_numbered.then_some(position.ply()),
        played: None,
        white_score: Score::from_i16(score),
        depth: None,
        result: Some(result),
        position,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use chess::random_game::random_game;
    use viriformat::chess::board::Board as TheirBoard;
    use viriformat::dataformat::Game as TheirGame;

    /// A record with the position as the crate of viriformat writes it at the head of a game.
    pub(crate) fn written(position: &Position, score: i16, result: u8) -> [u8; RECORD_BYTES] {
        let mut board = TheirBoard::new();
        board.set_from_fen(&position.fen(), position.is_chess960()).unwrap();
        let mut bytes = Vec::new();
        TheirGame::new(&board).serialise_into(&mut bytes).unwrap();
        let mut record = *bytes.first_chunk().unwrap();
        record[SCORE_OFFSET..RESULT_OFFSET].copy_from_slice(&score.to_le_bytes());
        record[RESULT_OFFSET] = result;
        record
    }

    proptest! {
        /// Each position of a game is read as the crate wrote it.
        #[test]
        fn records_of_the_crate_are_read(seed: u64, score in -32_768i16..=32_767, result in 0u8..3) {
            let game = random_game(seed, 60);
            let mut position = game.start.clone();
            for m in &game.moves {
                // The crate reads no X-FEN of Chess960; the tests of viriformat have such games.
                if position.is_chess960() {
                    break;
                }
                let read = decode(&written(&position, score, result), 0).unwrap();
                prop_assert_eq!(read.position.fen(), position.fen());
                prop_assert_eq!((read.ply, read.played), (Some(position.ply()), None));
                prop_assert_eq!(read.white_score, Score::from_i16(score));
                prop_assert_eq!(read.result.map(encode_result), Some(result));
                position.play(m.played);
            }
        }

        #[test]
        fn bytes_that_are_no_record_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = decode(&bytes, 0);
        }
    }

    #[test]
    fn records_without_a_move_number_have_no_ply() {
        let mut record = written(&Position::default(), 31, 2);
        record[FULLMOVES].fill(0);
        let read = decode(&record, 0).unwrap();
        assert_eq!((read.position.fen(), read.ply), (Position::default().fen(), None));
    }

    #[test]
    fn errors_have_their_place() {
        let good = written(&Position::default(), 31, 2);
        let error = |bytes: &[u8]| decode(bytes, 64).unwrap_err().to_string();
        assert_eq!(error(&good[..31]), "byte 64: the file ends after 31 of 32 bytes");
        let mut bad = good;
        bad[RESULT_OFFSET] = 3;
        assert_eq!(error(&bad), "byte 64: the result is 3, expected 0, 1 or 2");
        let mut bad = good;
        bad[0] = 0;
        assert!(error(&bad).starts_with("byte 64: no legal position: [00, "), "{}", error(&bad));
    }
}
