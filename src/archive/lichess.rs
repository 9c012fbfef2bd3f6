//! The order in which Lichess's database lists legal moves, and how often each rank is played.
//!
//! Promotions come first, then captures, then moves that no pawn can answer by
//! taking, then those that improve the piece's square most; the squares
//! themselves break ties. The scheme and its table are those of
//! lichess-org/compression (`Move.java`), a table that goes back to flok99/feeks.

use crate::chess::{Color, Move, Position, Role, Square, attacks};

/// Where a move stands among others: the higher, the earlier. No two moves of a
/// position have the same.
#[inline]
pub fn priority(position: &Position, m: Move) -> u32 {
    let (turn, board) = (position.turn(), position.board());
    let (to, role) = (m.to(), m.role());
    let from = m.from().unwrap_or(to);
    let answered = board.pawns() & board.by_color(!turn) & attacks::pawn_attacks(turn, to);
    let safety = if answered.is_empty() { 6 } else { 5 - (role as u32 - 1) };
    let gain = worth(role, turn, to) - worth(role, turn, from);
    let promotion = m.promotion().map_or(0, |role| role as u32 - 1);
    promotion << 26
        | u32::from(m.is_capture()) << 25
        | safety << 22
        | ((512 + gain) as u32) << 12
        | u32::from(to) << 6
        | u32::from(from)
}

#[inline]
fn worth(role: Role, color: Color, square: Square) -> i32 {
    // The table is written as White sees the board, the eighth rank first.
    let square = if color == Color::White { square.flip_vertical() } else { square };
    SQUARES[role as usize - 1][usize::from(square)].into()
}

#[rustfmt::skip]
static SQUARES: [[i8; 64]; 6] = [
    [
          0,   0,   0,   0,   0,   0,   0,   0,
         50,  50,  50,  50,  50,  50,  50,  50,
         10,  10,  20,  30,  30,  20,  10,  10,
          5,   5,  10,  25,  25,  10,   5,   5,
          0,   0,   0,  20,  21,   0,   0,   0,
          5,  -5, -10,   0,   0, -10,  -5,   5,
          5,  10,  10, -31, -31,  10,  10,   5,
          0,   0,   0,   0,   0,   0,   0,   0,
    ],
    [
        -50, -40, -30, -30, -30, -30, -40, -50,
        -40, -20,   0,   0,   0,   0, -20, -40,
        -30,   0,  10,  15,  15,  10,   0, -30,
        -30,   5,  15,  20,  20,  15,   5, -30,
        -30,   0,  15,  20,  20,  15,   0, -30,
        -30,   5,  10,  15,  15,  11,   5, -30,
        -40, -20,   0,   5,   5,   0, -20, -40,
        -50, -40, -30, -30, -30, -30, -40, -50,
    ],
    [
        -20, -10, -10, -10, -10, -10, -10, -20,
        -10,   0,   0,   0,   0,   0,   0, -10,
        -10,   0,   5,  10,  10,   5,   0, -10,
        -10,   5,   5,  10,  10,   5,   5, -10,
        -10,   0,  10,  10,  10,  10,   0, -10,
        -10,  10,  10,  10,  10,  10,  10, -10,
        -10,   5,   0,   0,   0,   0,   5, -10,
        -20, -10, -10, -10, -10, -10, -10, -20,
    ],
    [
          0,   0,   0,   0,   0,   0,   0,   0,
          5,  10,  10,  10,  10,  10,  10,   5,
         -5,   0,   0,   0,   0,   0,   0,  -5,
         -5,   0,   0,   0,   0,   0,   0,  -5,
         -5,   0,   0,   0,   0,   0,   0,  -5,
         -5,   0,   0,   0,   0,   0,   0,  -5,
         -5,   0,   0,   0,   0,   0,   0,  -5,
          0,   0,   0,   5,   5,   0,   0,   0,
    ],
    [
        -20, -10, -10,  -5,  -5, -10, -10, -20,
        -10,   0,   0,   0,   0,   0,   0, -10,
        -10,   0,   5,   5,   5,   5,   0, -10,
         -5,   0,   5,   5,   5,   5,   0,  -5,
          0,   0,   5,   5,   5,   5,   0,  -5,
        -10,   5,   5,   5,   5,   5,   0, -10,
        -10,   0,   5,   0,   0,   0,   0, -10,
        -20, -10, -10,  -5,  -5, -10, -10, -20,
    ],
    [
        -30, -40, -40, -50, -50, -40, -40, -30,
        -30, -40, -40, -50, -50, -40, -40, -30,
        -30, -40, -40, -50, -50, -40, -40, -30,
        -30, -40, -40, -50, -50, -40, -40, -30,
        -20, -30, -30, -40, -40, -30, -30, -20,
        -10, -20, -20, -20, -20, -20, -20, -10,
         20,  20,   0,   0,   0,   0,  20,  20,
          0,  30,  10,   0,   0,  10,  30,   0,
    ],
];
