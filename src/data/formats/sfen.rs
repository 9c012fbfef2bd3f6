//! Stockfish's old training format (`.bin`): 40 bytes a position.
//!
//! Layout as in `nnue-pytorch` and the Stockfish tools of 2020, little endian:
//! 32 bytes of position, score (i16), move (u16), ply (u16), result (i8: 1 won, 0
//! drawn, −1 lost) and a free byte; score and result are those of the side to
//! move. The position is a stream of bits, the lowest of each byte first: side to
//! move, both kings' squares (6 bits each), then from a8 to h1 every square
//! without a king: 0 if it is empty, else 1, three bits for the role (pawn to
//! queen) and one for its colour; castling rights KQkq; en passant (1 bit, and 6
//! for the square if it is set); the fifty-move counter (6 bits), the move number
//! (8 bits, then 8 more) and a seventh bit of the counter. Moves: to, from (6 bits
//! each), promotion (knight to queen), kind (1 promotion, 2 en passant, 3 castling
//! as king takes rook).
//!
//! Scores are Stockfish's internal units, with a pawn worth 208 or more: they
//! are taken as they are. 32002 marks a position without a score.

mod write;

pub(super) use write::encode;

use crate::defect::{BadEntry, Defect};
use crate::formats::list::ListedPosition;
use crate::formats::records::{bad, whole};
use chess::{Color, GameResult, Move, Piece, Placement, Position, Role, Score, Square};

pub(super) const RECORD_BYTES: usize = 40;
const POSITION_BYTES: usize = 32;
/// Pieces in the order of their codes; kings have squares of their own.
const ROLES: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// Promotions in the order of their codes.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// Home squares of the rooks in the order of the castling rights.
const ROOKS: [Square; 4] = [Square::H1, Square::A1, Square::H8, Square::A8];
/// Marks of a missing move.
const NO_MOVE: u16 = 0;
const NULL_MOVE: u16 = 65;

pub(super) fn decode(bytes: &[u8], offset: u64) -> Result<ListedPosition, BadEntry> {
    let record: &[u8; RECORD_BYTES] = whole(bytes, offset)?;
    let (board, tail) = record.split_at(POSITION_BYTES);
    let position = position(board)
        .map_err(|detail| bad(offset, Defect::Position, format!("no legal position: {detail}")))?;
    let field = |at: usize| u16::from_le_bytes([tail[at], tail[at + 1]]);
    let turn = position.turn();
    let played = match field(2) {
        NO_MOVE | NULL_MOVE => None,
        bits => Some(played(bits, &position).ok_or_else(|| {
            let detail = format!("the move 0x{bits:04x} is not legal in {position}");
            bad(offset, Defect::IllegalMove, detail)
        })?),
    };
    let result = match tail[6] as i8 {
        0 => GameResult::Draw,
        1 => GameResult::Win(turn),
        -1 => GameResult::Win(!turn),
        other => {
            let detail = format!("the result is {other}, expected -1, 0 or 1");
            return Err(bad(offset, Defect::Malformed, detail));
        }
    };
    let score = Score::from_i16(field(0) as i16);
    Ok(ListedPosition {
        played,
        ply: Some(field(4).into()),
        white_score: score.map(|score| score.seen_by(turn)),
        depth: None,
        result: Some(result),
        position,
    })
}

/// The move, if it is legal.
fn played(bits: u16, position: &Position) -> Option<Move> {
    let (to, from) = (bits & 63, bits >> 6 & 63);
    let promotion = PROMOTIONS[usize::from(bits >> 12 & 3)];
    let promotion = (bits >> 14 == 1).then_some(promotion);
    let is_it = |m: &&Move| {
        let squares = u16::from(m.from()) == from && u16::from(m.to()) == to;
        squares && m.promotion() == promotion
    };
    position.legal_moves().iter().find(is_it).copied()
}

fn position(bytes: &[u8]) -> Result<Position, String> {
    let mut bits = Bits { bytes, at: 0 };
    let turn = Color::from_black(bits.flag());
    let mut placement = Placement { turn, ..Placement::default() };
    let kings = [bits.square(), bits.square()];
    for (color, square) in [Color::White, Color::Black].into_iter().zip(kings) {
        placement.pieces.push((square, Role::King.of(color)));
    }
    for square in Square::ALL.map(Square::flip_vertical) {
        if !kings.contains(&square)
            && let Some(piece) = bits.piece()?
        {
            placement.pieces.push((square, piece));
        }
    }
    for home in ROOKS {
        if bits.flag() {
            placement.castling_rooks.push(home);
        }
    }
    placement.en_passant = bits.flag().then(|| bits.square());
    let halfmoves = bits.number(6);
    placement.fullmoves = bits.number(8) | bits.number(8) << 8;
    placement.halfmoves = halfmoves | bits.number(1) << 6;
    if bits.at > 8 * POSITION_BYTES {
        return Err("it is longer than its 32 bytes".to_owned());
    }
    Position::from_placement(&placement).map_err(|error| error.to_string())
}

/// A stream of bits; zeros behind its end.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn flag(&mut self) -> bool {
        let byte = self.bytes.get(self.at / 8).copied().unwrap_or(0);
        let bit = byte >> (self.at % 8) & 1 == 1;
        self.at += 1;
        bit
    }

    fn number(&mut self, bits: u32) -> u32 {
        (0..bits).map(|bit| u32::from(self.flag()) << bit).sum()
    }

    fn square(&mut self) -> Square {
        Square::new(self.number(6))
    }

    fn piece(&mut self) -> Result<Option<Piece>, String> {
        if !self.flag() {
            return Ok(None);
        }
        let code = self.number(3);
        let role = ROLES.get(code as usize).ok_or(format!("no piece has the code {code}"))?;
        let color = Color::from_black(self.flag());
        Ok(Some(role.of(color)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::candidate::CandidatePosition;
    use chess::random_game::random_game;

    /// A position written as the format's description says.
    struct Writer {
        bytes: [u8; RECORD_BYTES],
        at: usize,
    }

    impl Writer {
        fn number(&mut self, value: u32, bits: u32) {
            for bit in 0..bits {
                self.bytes[self.at / 8] |= ((value >> bit & 1) as u8) << (self.at % 8);
                self.at += 1;
            }
        }
    }

    pub(crate) fn written(
        position: &Position,
        played: Move,
        score: i16,
        result: i8,
    ) -> [u8; RECORD_BYTES] {
        let mut out = Writer { bytes: [0; RECORD_BYTES], at: 0 };
        let (board, turn) = (position.board(), position.turn());
        out.number(u32::from(turn == Color::Black), 1);
        for color in [Color::White, Color::Black] {
            out.number(board.king_of(color).unwrap().into(), 6);
        }
        for rank in (0..8).rev() {
            for file in 0..8 {
                match board.piece_at(Square::new(rank * 8 + file)) {
                    None => out.number(0, 1),
                    Some(piece) if piece.role == Role::King => {}
                    Some(piece) => {
                        out.number(1 | (piece.role as u32 - 1) << 1, 4);
                        out.number(u32::from(piece.color == Color::Black), 1);
                    }
                }
            }
        }
        for home in [Square::H1, Square::A1, Square::H8, Square::A8] {
            out.number(u32::from(position.castling_rooks().contains(home)), 1);
        }
        match position.en_passant() {
            None => out.number(0, 1),
            Some(square) => {
                out.number(1, 1);
                out.number(square.into(), 6);
            }
        }
        out.number(position.halfmoves() & 63, 6);
        out.number(position.fullmoves() & 255, 8);
        out.number(position.fullmoves() >> 8, 8);
        out.number(position.halfmoves() >> 6, 1);
        assert!(out.at <= 8 * POSITION_BYTES);
        let kind = match () {
            () if played.is_promotion() => 1,
            () if played.is_en_passant() => 2,
            () if played.is_castle() => 3,
            () => 0,
        };
        let promotion = played.promotion().map_or(0, |role| role as u16 - 2);
        let from = u16::from(played.from());
        let bits = u16::from(played.to()) | from << 6 | promotion << 12 | kind << 14;
        let [score, bits, ply] = [score as u16, bits, position.ply() as u16].map(u16::to_le_bytes);
        out.bytes[32..38].copy_from_slice(&[score, bits, ply].concat());
        out.bytes[38] = result as u8;
        out.bytes[39] = 0xff;
        out.bytes
    }

    proptest! {
        #[test]
        fn every_position_of_a_game_is_read(seed: u64, score in -2_000i16..2_000, result in -1i8..=1) {
            CandidatePosition::visit(&random_game(seed, 120), |candidate| {
                let (position, played) = (candidate.position, candidate.played.unwrap());
                if position.is_chess960() {
                    return;
                }
                let read = decode(&written(position, played, score, result), 0).unwrap();
                assert_eq!(read.position.fen(), position.fen());
                assert_eq!((read.played, read.ply), (Some(played), Some(position.ply())));
                let turn = position.turn();
                let seen = Score::Centipawns(score.into()).seen_by(turn);
                let points = [!turn, turn].map(GameResult::Win);
                let result_of = [points[0], GameResult::Draw, points[1]][(result + 1) as usize];
                let ours = CandidatePosition { white_score: Some(seen), ..*candidate };
                let mut bytes = written(position, played, score, result);
                bytes[RECORD_BYTES - 1] = 0;
                assert_eq!(encode(&ours, result_of), Ok(bytes));
                assert_eq!(read.white_score, Some(seen));
                assert_eq!(read.result.unwrap().seen_by(turn), (result + 1) as u8);
            });
        }

        #[test]
        fn bytes_that_are_no_record_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..48)) {
            let _ = decode(&bytes, 0);
        }
    }

    #[test]
    fn positions_that_a_record_cannot_hold_are_named() {
        for (fen, part) in [
            ("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", "Chess960"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 128 100", "half-move clock"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "ply is beyond"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let candidate = CandidatePosition {
                position: &position,
                ply: None,
                played: None,
                white_score: None,
                depth: None,
                result: None,
            };
            let error = encode(&candidate, GameResult::Draw).unwrap_err();
            assert!(error.contains(part), "{fen}: {error}");
            let usual = Position::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 127 100").unwrap();
            let candidate = CandidatePosition { position: &usual, ..candidate };
            let read = decode(&encode(&candidate, GameResult::Draw).unwrap(), 0).unwrap();
            assert_eq!(read.position.fen(), usual.fen());
            assert_eq!((read.ply, read.played, read.white_score), (Some(199), None, None));
        }
    }

    #[test]
    fn positions_without_a_score_have_none() {
        let start = Position::default();
        let played = start.parse_uci("e2e4").unwrap();
        let read = decode(&written(&start, played, 32_002, 0), 0).unwrap();
        assert_eq!((read.white_score, read.result), (None, Some(GameResult::Draw)));
        let mut bytes = written(&start, played, 5, 0);
        bytes[34..36].copy_from_slice(&[0, 0]);
        assert_eq!(decode(&bytes, 80).unwrap().played, None);
        bytes[34] = 1;
        let error = decode(&bytes, 80).unwrap_err().to_string();
        assert!(error.starts_with("byte 80: the move 0x0001 is not legal in rnbq"), "{error}");
        let mut bytes = written(&start, played, 5, 0);
        bytes[38] = 7;
        let error = decode(&bytes, 80).unwrap_err().to_string();
        assert_eq!(error, "byte 80: the result is 7, expected -1, 0 or 1");
    }
}
