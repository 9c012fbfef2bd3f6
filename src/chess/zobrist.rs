//! Zobrist keys: Polyglot's numbers, as shakmaty has them.

use shakmaty::zobrist::{Zobrist64, ZobristValue as _};
use shakmaty::{Castles, CastlingSide, Color, File, Piece, Square};

/// Key of a piece on its square.
#[inline]
pub(crate) fn piece(square: Square, piece: Piece) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

/// Difference of the keys of two positions between which a piece has gone from one square to the
/// other, either way.
pub fn reversal_key(moved: Piece, a: Square, b: Square) -> u64 {
    piece(a, moved) ^ piece(b, moved) ^ white_turn()
}

/// Key of White to move.
#[inline]
pub(crate) fn white_turn() -> u64 {
    Zobrist64::zobrist_for_white_turn().0
}

/// Key of an en passant square on a file.
#[inline]
pub(crate) fn en_passant(file: File) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(file).0
}

/// Key of all castling rights together.
pub(crate) fn castling(castles: &Castles) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if castles.has(color, side) {
                key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
            }
        }
    }
    key
}
