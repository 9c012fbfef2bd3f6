//! The value form of montyformat, the games of the engine Monty.
//!
//! Little endian: a head of 43 bytes, four bytes a move, four zero bytes. The head has four sets of
//! squares (u64 each; a1 is the lowest bit): black; rooks, queens and kings; knights, bishops and
//! kings; pawns, bishops and queens. Then the side to move (1 is Black), the square of en passant
//! (0 for none), castling rights (bits 3 to 0: White long, White short, Black long, Black short),
//! half-move clock, full-move number (u16), the files of the castling rooks in the order of the
//! rights (all 0 for a and h), and the result (0 Black won, 1 drawn, 2 White won).
//!
//! A move has 4 bits of kind, 6 of its target and 6 of its origin, a castling king's target being
//! where it lands; behind it stands the score of the position before it (i16, White's), 400 times
//! the logarithm of the odds. There is no mark at the start of a file, and none of *no score*: mates
//! and ±32,767 are read as in viriformat. The form with visits of all moves is another one, and
//! files of early versions, whose heads lack the move number, are refused as illegal positions.

use crate::defect::{BadEntry, Defect};
use crate::formats::marlinformat::decode_result;
use crate::formats::terminated::Parts;
use chess::{Bitboard, Color, File, Game, Move, Piece, Placement, Position, Rank, Role, Square};

pub(super) const HEAD_BYTES: usize = 43;
/// Offset of the four sets' end.
const BOARD_BYTES: usize = 32;
const RESULT_OFFSET: usize = 42;

/// The game in `bytes`, which begins at that byte of its file.
pub(super) fn decode(bytes: &[u8], offset: u64) -> Result<Game, BadEntry> {
    let parts = Parts::<HEAD_BYTES>::of(bytes, offset)?;
    let start = start(parts.head).map_err(|reason| {
        parts.bad(Defect::StartPosition, 0, format!("no legal start position: {reason}"))
    })?;
    let result = parts.head[RESULT_OFFSET];
    let Some(result) = decode_result(result) else {
        let detail = format!("the result is {result}, expected 0, 1 or 2");
        return Err(parts.bad(Defect::Malformed, RESULT_OFFSET, detail));
    };
    let moves = parts.moves(&start, decode_move, describe_move)?;
    Ok(Game { start, moves, result: Some(result) })
}

fn start(head: &[u8; HEAD_BYTES]) -> Result<Position, String> {
    let [turn, passed, rights, halfmoves, full_low, full_high, ref files @ .., _] =
        head[BOARD_BYTES..]
    else {
        return Err("it is cut short".to_owned());
    };
    let placement = Placement {
        pieces: pieces(&head[..BOARD_BYTES]).ok_or("its sets of squares contradict each other")?,
        turn: Color::from_black(turn > 0),
        castling_rooks: castling_rooks(rights, files),
        en_passant: Square::try_from(passed).ok().filter(|_| passed > 0),
        halfmoves: halfmoves.into(),
        fullmoves: u16::from_le_bytes([full_low, full_high]).into(),
    };
    Position::from_placement(&placement).map_err(|error| error.to_string())
}

/// The pieces of the four sets; `None` if a square has no kind of piece that there is.
fn pieces(board: &[u8]) -> Option<Vec<(Square, Piece)>> {
    let set = |number: usize| {
        let bytes = board.get(8 * number..)?.first_chunk()?;
        Some(Bitboard(u64::from_le_bytes(*bytes)))
    };
    let (black, heavy, light, lines) = (set(0)?, set(1)?, set(2)?, set(3)?);
    let occupied = heavy | light | lines;
    let role = |square: Square| match [heavy, light, lines].map(|set| set.contains(square)) {
        [false, false, true] => Some(Role::Pawn),
        [false, true, false] => Some(Role::Knight),
        [false, true, true] => Some(Role::Bishop),
        [true, false, false] => Some(Role::Rook),
        [true, false, true] => Some(Role::Queen),
        [true, true, false] => Some(Role::King),
        _ => None,
    };
    let piece =
        |square| Some((square, role(square)?.of(Color::from_black(black.contains(square)))));
    let pieces = occupied.into_iter().map(piece).collect::<Option<_>>()?;
    (black & !occupied).is_empty().then_some(pieces)
}

/// Squares of the rooks that may castle, from the rights and the files of all four rooks.
fn castling_rooks(rights: u8, files: &[u8]) -> Vec<Square> {
    let has_files = files.iter().any(|&file| file > 0);
    let corners = [0, 7, 0, 7];
    let files = if has_files { files } else { &corners };
    let ranks = [Rank::First, Rank::First, Rank::Eighth, Rank::Eighth];
    let rooks = files.iter().zip(ranks).zip([8, 4, 2, 1]);
    let has_right = |&(_, right): &((&u8, Rank), u8)| rights & right != 0;
    rooks
        .filter(has_right)
        .map(|((&file, rank), _)| Square::from_coords(File::new(u32::from(file & 7)), rank))
        .collect()
}

const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The 16 bits of a move.
fn encode_move(m: Move) -> u16 {
    let squares = [m.from(), m.to()].map(u16::from);
    let is_double = m.role() == Role::Pawn && squares[0].abs_diff(squares[1]) == 16;
    let kind = match (m.castling_side(), m.promotion()) {
        (Some(side), _) => 2 + u16::from(side.is_queen_side()),
        (_, Some(role)) => {
            let code = PROMOTIONS.iter().position(|&it| it == role).unwrap_or(0) as u16;
            8 + 4 * u16::from(m.is_capture()) + code
        }
        _ if m.is_en_passant() => 5,
        _ if m.is_capture() => 4,
        _ => u16::from(is_double),
    };
    kind | u16::from(Position::landing_square(m)) << 4 | squares[0] << 10
}

/// The legal move with those bits.
fn decode_move(bits: u16, position: &Position) -> Option<Move> {
    position.legal_moves().into_iter().find(|&m| encode_move(m) == bits)
}

/// Text of any 16 bits, for messages.
fn describe_move(bits: u16) -> String {
    let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
    format!("{}{} (kind {}, 0x{bits:04x})", square(10), square(4), bits & 15)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::marlinformat::encode_result;
    use crate::formats::terminated::TERMINATOR;
    use chess::game::NO_SCORE;
    use chess::random_game::random_game;
    use chess::{CastlingSide, Score};

    /// A game as the public description of the format lays it out.
    pub(crate) fn written(game: &Game) -> Vec<u8> {
        let (start, board) = (&game.start, game.start.board());
        let sets = [
            board.black(),
            board.rooks() | board.queens() | board.kings(),
            board.knights() | board.bishops() | board.kings(),
            board.pawns() | board.bishops() | board.queens(),
        ];
        let mut bytes: Vec<u8> = sets.iter().flat_map(|set| set.0.to_le_bytes()).collect();
        let (mut rights, mut files) = (0, [0, 7, 0, 7]);
        for (i, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let king = board.king_of(color).unwrap();
            for rook in start.castling_rooks() & board.by_color(color) {
                let short = CastlingSide::from_king_side(rook > king).is_king_side();
                rights |= 8 >> (2 * i + usize::from(short));
                files[2 * i + usize::from(short)] = rook.file() as u8;
            }
        }
        let passed = start.en_passant().map_or(0, u8::from);
        bytes.extend([u8::from(start.turn() == Color::Black), passed, rights]);
        bytes.push(start.halfmoves() as u8);
        bytes.extend((start.fullmoves() as u16).to_le_bytes());
        bytes.extend(files);
        bytes.push(encode_result(game.result.unwrap()));
        for m in &game.moves {
            bytes.extend(encode_move(m.played).to_le_bytes());
            bytes.extend(m.white_score.map_or(NO_SCORE, Score::to_i16).to_le_bytes());
        }
        bytes.extend(TERMINATOR);
        bytes
    }

    proptest! {
        #[test]
        fn games_are_read(seed: u64) {
            let game = random_game(seed, 80);
            let read = decode(&written(&game), 0).unwrap();
            prop_assert_eq!(read.start.fen(), game.start.fen());
            prop_assert_eq!((&read.moves, read.result), (&game.moves, game.result));
        }

        #[test]
        fn damage_never_panics(seed: u64, at in any::<prop::sample::Index>(), byte: u8, noise: Vec<u8>) {
            let mut bytes = written(&random_game(seed, 20));
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = (decode(&bytes, 0), decode(&noise, 0));
        }
    }

    /// Numbers of the format's description, and others of every kind by its formula.
    #[test]
    fn moves_have_the_bits_of_the_description() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let of = |from: u16, to: u16, kind: u16| kind | to << 4 | from << 10;
        for (fen, uci, bits) in [
            (start, "g1f3", 6_480),
            (start, "e2e4", 12_737),
            (castles, "e1g1", of(4, 6, 2)),
            (castles, "e1c1", of(4, 2, 3)),
            (castles, "a1a8", of(0, 56, 4)),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", of(36, 43, 5)),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", of(48, 56, 8)),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", of(48, 57, 15)),
            ("4k3/8/8/8/8/8/3p4/7K b - - 0 1", "d2d1r", of(11, 3, 10)),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let played = position.parse_uci(uci).unwrap();
            assert_eq!(encode_move(played), bits, "{uci}");
            assert_eq!(decode_move(bits, &position), Some(played));
        }
    }

    #[test]
    fn errors_have_their_place() {
        let game = random_game(2, 20);
        let good = written(&game);
        let error = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            decode(&bytes, 100).unwrap_err().to_string()
        };
        let cut = error(&|bytes| bytes.truncate(60));
        assert!(cut.starts_with("byte 100: the file ends inside this game"), "{cut}");
        let sets = error(&|bytes| bytes[8..32].fill(255));
        assert!(sets.starts_with("byte 100: no legal start position: its sets"), "{sets}");
        let result = error(&|bytes| bytes[RESULT_OFFSET] = 9);
        assert_eq!(result, "byte 142: the result is 9, expected 0, 1 or 2");
        let illegal = error(&|bytes| bytes[HEAD_BYTES] ^= 7);
        assert!(illegal.starts_with("byte 143: ") && illegal.contains("not legal"), "{illegal}");
    }

    /// All files 0 stand for the corners.
    #[test]
    fn castling_files_may_be_left_out() {
        let game = (0..).map(|seed| random_game(seed, 9));
        let usual =
            |game: &Game| game.start.castling_rooks().count() == 4 && !game.start.is_chess960();
        let game = { game }.find(usual).unwrap();
        let mut bytes = written(&game);
        bytes[38..42].fill(0);
        assert_eq!(decode(&bytes, 0).unwrap().start.fen(), game.start.fen());
    }
}
