//! Writing `.bin`.

use super::{NO_MOVE, POSITION_BYTES, PROMOTIONS, RECORD_BYTES, ROLES, ROOKS};
use crate::samples::candidate::CandidatePosition;
use chess::game::NO_SCORE;
use chess::{Color, GameResult, Move, Position, Square};

/// The largest half-move clock, of 7 bits.
const MOST_HALFMOVES: u32 = 127;

/// The record of a position; an error is why the format cannot hold it.
pub(in crate::formats) fn encode(
    candidate: &CandidatePosition<'_>,
    result: GameResult,
) -> Result<[u8; RECORD_BYTES], &'static str> {
    let (position, turn) = (candidate.position, candidate.position.turn());
    let ply = candidate.ply.unwrap_or(position.ply());
    let ply = u16::try_from(ply).map_err(|_| "its ply is beyond 65,535")?;
    let score = candidate.white_score.map_or(NO_SCORE, |score| score.seen_by(turn).to_i16());
    let played = candidate.played.map_or(NO_MOVE, move_bits);
    let mut record = [0; RECORD_BYTES];
    record[..POSITION_BYTES].copy_from_slice(&position_bytes(position)?);
    record[32..34].copy_from_slice(&score.to_le_bytes());
    record[34..36].copy_from_slice(&played.to_le_bytes());
    record[36..38].copy_from_slice(&ply.to_le_bytes());
    record[38] = result.seen_by(turn).wrapping_sub(1);
    Ok(record)
}

/// Squares, promotion and kind of a move.
fn move_bits(m: Move) -> u16 {
    let code = |role| PROMOTIONS.iter().position(|&it| it == role).unwrap_or(0) as u16;
    let kind = match () {
        () if m.is_promotion() => 1,
        () if m.is_en_passant() => 2,
        () if m.is_castle() => 3,
        () => 0,
    };
    u16::from(m.to()) | u16::from(m.from()) << 6 | m.promotion().map_or(0, code) << 12 | kind << 14
}

fn position_bytes(position: &Position) -> Result<[u8; POSITION_BYTES], &'static str> {
    let board = position.board();
    if position.is_chess960() {
        return Err("its castling rights are of Chess960");
    }
    if board.occupied().count() > 32 {
        return Err("it has more than 32 pieces");
    }
    let counters = (position.halfmoves(), u16::try_from(position.fullmoves()));
    let (halfmoves @ ..=MOST_HALFMOVES, Ok(fullmoves)) = counters else {
        return Err("its half-move clock is beyond 127, or its move number beyond 65,535");
    };
    let kings = [Color::White, Color::Black].map(|color| board.king_of(color));
    let [Some(white), Some(black)] = kings else { return Err("a king is missing") };
    let mut bits = Bits::default();
    bits.push(u32::from(position.turn() == Color::Black), 1);
    [white, black].into_iter().for_each(|king| bits.push(king.into(), 6));
    for square in Square::ALL.map(Square::flip_vertical) {
        match board.piece_at(square) {
            None => bits.push(0, 1),
            Some(piece) => {
                let Some(code) = ROLES.iter().position(|&role| role == piece.role) else {
                    continue;
                };
                let color = u32::from(piece.color == Color::Black);
                bits.push(1 | (code as u32) << 1 | color << 4, 5);
            }
        }
    }
    let rooks = position.castling_rooks();
    ROOKS.into_iter().for_each(|home| bits.push(rooks.contains(home).into(), 1));
    match position.en_passant() {
        None => bits.push(0, 1),
        Some(square) => bits.push(1 | u32::from(square) << 1, 7),
    }
    bits.push(halfmoves & 63, 6);
    bits.push(fullmoves.into(), 16);
    bits.push(halfmoves >> 6, 1);
    bits.bytes().ok_or("its pieces take more than 32 bytes")
}

/// A stream of bits, the lowest of each byte first.
#[derive(Default)]
struct Bits {
    bytes: [u8; POSITION_BYTES],
    length: usize,
}

impl Bits {
    /// Appends the lowest bits of a number; those beyond the last byte are counted only.
    fn push(&mut self, number: u32, bits: u32) {
        for bit in 0..bits {
            if let Some(byte) = self.bytes.get_mut(self.length / 8) {
                *byte |= ((number >> bit & 1) as u8) << (self.length % 8);
            }
            self.length += 1;
        }
    }

    /// The bytes; `None` if there were more bits.
    fn bytes(self) -> Option<[u8; POSITION_BYTES]> {
        (self.length <= 8 * POSITION_BYTES).then_some(self.bytes)
    }
}
