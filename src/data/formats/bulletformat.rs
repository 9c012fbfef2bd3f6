//! The records that the trainer *bullet* reads: 32 bytes a position.
//!
//! Layout as published in the `bulletformat` crate, little endian: 8 bytes of
//! occupancy, 16 of pieces (a nibble each in square order, bits 0–2 the role from
//! pawn to king, bit 3 for the opponent's), score (i16, centipawns), result (u8: 0
//! lost, 1 drawn, 2 won), the square of the own king, that of the other king
//! flipped vertically, 3 free bytes.
//!
//! The side to move is always shown as White: a position of Black's is turned
//! upside down. The side to move, castling rights, en passant and counters are
//! lost, and read positions have none of them. There is no mark for *no score*;
//! such positions cannot be written.

use crate::defect::{BadEntry, Defect};
use crate::formats::list::ListedPosition;
use crate::formats::records::{bad, whole};
use chess::{Color, GameResult, PackedPosition, Position, Score};

pub(super) const RECORD_BYTES: usize = 32;
/// Bytes of the pieces and of where they stand.
const BOARD_BYTES: usize = 24;

pub(super) fn decode(bytes: &[u8], offset: u64) -> Result<ListedPosition, BadEntry> {
    let record: &[u8; RECORD_BYTES] = whole(bytes, offset)?;
    let malformed = |detail: String| bad(offset, Defect::Malformed, detail);
    let Some(position) = PackedPosition::of_white(&record[..BOARD_BYTES]).and_then(|p| p.unpack())
    else {
        let detail = format!("no legal position: {:02x?}", &record[..BOARD_BYTES]);
        return Err(bad(offset, Defect::Position, detail));
    };
    let [score_low, score_high, result, own_king, other_king, ..] = record[BOARD_BYTES..] else {
        return Err(malformed("it is cut short".to_owned()));
    };
    let king = |color: Color| position.board().king_of(color).map(u8::from);
    let kings = [king(Color::White), king(Color::Black).map(|square| square ^ 56)];
    if kings != [Some(own_king), Some(other_king)] {
        let detail = format!("the kings stand on {kings:?}, not on [{own_king}, {other_king}]");
        return Err(malformed(detail));
    }
    let result = match result {
        0 => GameResult::Win(Color::Black),
        1 => GameResult::Draw,
        2 => GameResult::Win(Color::White),
        other => return Err(malformed(format!("the result is {other}, expected 0, 1 or 2"))),
    };
    let white_score = Score::from_i16(i16::from_le_bytes([score_low, score_high]));
    let result = Some(result);
    Ok(ListedPosition { position, ply: None, played: None, white_score, depth: None, result })
}

/// The record of a position; `None` if it has more than 32 pieces.
pub(super) fn encode(
    position: &Position,
    white_score: Score,
    result: GameResult,
) -> Option<[u8; RECORD_BYTES]> {
    let turn = position.turn();
    let board = match turn {
        Color::White => position.board().clone(),
        Color::Black => position.board().clone().into_mirrored(),
    };
    let own_king = board.king_of(Color::White)?;
    let other_king = board.king_of(Color::Black)?.flip_vertical();
    let score = white_score.seen_by(turn).to_i16().to_le_bytes();
    let mut record = [0; RECORD_BYTES];
    record[..BOARD_BYTES].copy_from_slice(&PackedPosition::board_bytes(&board)?);
    record[BOARD_BYTES..][..2].copy_from_slice(&score);
    record[BOARD_BYTES + 2..][..3].copy_from_slice(&[
        result.seen_by(turn),
        own_king.into(),
        other_king.into(),
    ]);
    Some(record)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::candidate::CandidatePosition;
    use bulletformat::ChessBoard;
    use chess::random_game::random_game;
    use chess::{Bitboard, Board};

    /// The record that the format's own crate writes for a position.
    fn reference(board: &Board, turn: Color, white_score: i16, white_points: f32) -> [u8; 32] {
        let of = |squares: Bitboard| squares.0;
        let [pawns, knights, bishops] = [board.pawns(), board.knights(), board.bishops()].map(of);
        let [rooks, queens, kings] = [board.rooks(), board.queens(), board.kings()].map(of);
        let sides = [Color::White, Color::Black].map(|color| of(board.by_color(color)));
        let boards = [sides[0], sides[1], pawns, knights, bishops, rooks, queens, kings];
        let turn = usize::from(turn == Color::Black);
        let record = ChessBoard::from_raw(boards, turn, white_score, white_points).unwrap();
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&record.occ.to_le_bytes());
        bytes[8..24].copy_from_slice(&record.pcs);
        bytes[24..26].copy_from_slice(&record.score.to_le_bytes());
        bytes[26..29].copy_from_slice(&[record.result, record.ksq, record.opp_ksq]);
        bytes
    }

    proptest! {
        /// Each position of a game is read as the crate wrote it, seen from the mover.
        #[test]
        fn what_the_crate_writes_is_read(seed: u64, score in -2_000i16..2_000, points in 0u8..3) {
            CandidatePosition::visit(&random_game(seed, 80), |candidate| {
                let (board, turn) = (candidate.position.board(), candidate.position.turn());
                let bytes = reference(board, turn, score, f32::from(points) / 2.0);
                let white_score = Score::Centipawns(score.into());
                let results = [Color::Black, Color::White].map(GameResult::Win);
                let result = [results[0], GameResult::Draw, results[1]][usize::from(points)];
                assert_eq!(encode(candidate.position, white_score, result), Some(bytes));
                let read = decode(&bytes, 0).unwrap();
                let seen = if turn.is_white() { board.clone() } else { flipped(board) };
                assert_eq!(read.position.board(), &seen);
                assert_eq!(read.position.turn(), Color::White);
                let sign = turn.fold_wb(1, -1);
                assert_eq!(read.white_score, Some(Score::Centipawns(sign * i32::from(score))));
                let points = if turn.is_white() { points } else { 2 - points };
                assert_eq!(read.result.unwrap().seen_by(Color::White), points);
            });
        }

        #[test]
        fn bytes_that_are_no_record_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = decode(&bytes, 0);
        }
    }

    fn flipped(board: &Board) -> Board {
        board.clone().into_mirrored()
    }

    /// The pieces of a record as the format's own crate lists them.
    fn listed(bytes: &[u8; RECORD_BYTES]) -> Vec<(u8, u8)> {
        let record = ChessBoard {
            occ: u64::from_le_bytes(bytes[..8].try_into().unwrap()),
            pcs: bytes[8..24].try_into().unwrap(),
            ..ChessBoard::default()
        };
        record.into_iter().collect()
    }

    #[test]
    #[ignore = "needs ../shared/data; run by .ci/run with --ignored"]
    fn a_file_of_bullet_is_read_as_its_crate_reads_it() {
        let path = "/../../../shared/data/open/formats/bulletformat_batch.data.zst";
        let packed = std::fs::read(format!("{}{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let bytes = zstd::decode_all(&packed[..]).unwrap();
        let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
        assert_eq!((records.len(), rest.len()), (16_273, 0));
        for (record, offset) in records.iter().zip((0..).step_by(RECORD_BYTES)) {
            let read = decode(record, offset).unwrap_or_else(|bad| panic!("{bad}"));
            let board = read.position.board();
            let pieces = board.occupied().into_iter().map(|square| {
                let piece = board.piece_at(square).unwrap();
                let opponent = if piece.color == Color::Black { 8 } else { 0 };
                (piece.role as u8 - 1 + opponent, u8::from(square))
            });
            assert!(pieces.eq(listed(record)));
            let score = i16::from_le_bytes([record[24], record[25]]);
            assert_eq!(read.white_score.map(Score::to_i16), Some(score));
            assert_eq!(read.result.unwrap().seen_by(Color::White), record[26]);
        }
    }

    #[test]
    fn errors_have_their_place() {
        let good = reference(&Board::default(), Color::White, 7, 0.5);
        let error = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.to_vec();
            change(&mut bytes);
            decode(&bytes, 64).unwrap_err().to_string()
        };
        assert!(decode(&good, 64).is_ok());
        let cut = error(&|bytes| bytes.truncate(31));
        assert_eq!(cut, "byte 64: the file ends after 31 of 32 bytes");
        let result = error(&|bytes| bytes[26] = 3);
        assert_eq!(result, "byte 64: the result is 3, expected 0, 1 or 2");
        let king = error(&|bytes| bytes[27] = 5);
        assert!(king.starts_with("byte 64: the kings stand on"), "{king}");
        let board = error(&|bytes| bytes[0] = 0);
        assert!(board.starts_with("byte 64: no legal position"), "{board}");
    }
}
