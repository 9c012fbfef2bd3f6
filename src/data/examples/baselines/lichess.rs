//! The order in which Lichess's game compression lists legal moves.
//!
//! Promotions come first, then captures, then moves that no pawn can answer by
//! taking, then those that improve the piece's square most; the squares
//! themselves break ties. The scheme and its table are those of
//! lichess-org/compression (`Move.java`), a table that goes back to flok99/feeks.

use chess::{Bitboard, Color, Move, MoveList, Position, Role, Square, maps};

/// The legal moves of a position and where each stands.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// For each move how early it comes: the higher, the earlier. No two are the same.
    priorities: Vec<u32>,
}

impl Order {
    pub(crate) fn of(position: &Position, legal: &MoveList) -> Self {
        let view = View::of(position);
        Self { priorities: legal.iter().map(|&m| view.priority(m)).collect() }
    }

    /// Place of a move, counted from 0, by its index among the legal ones.
    pub(crate) fn rank(&self, index: usize) -> usize {
        let own = self.priorities.get(index).copied().unwrap_or(0);
        self.priorities.iter().filter(|&&other| other > own).count()
    }
}

/// Data of a position for the priorities of all moves.
struct View {
    turn: Color,
    /// Squares on which a pawn can take.
    taken_by_pawns: Bitboard,
}

impl View {
    fn of(position: &Position) -> Self {
        let (turn, board) = (position.turn(), position.board());
        let pawns = board.pawns() & board.by_color(!turn);
        Self { turn, taken_by_pawns: maps::pawns_attack(pawns, !turn) }
    }

    fn priority(&self, m: Move) -> u32 {
        let (from, to, role) = (m.from(), m.to(), m.role());
        let is_safe = !self.taken_by_pawns.contains(to);
        let safety = if is_safe { 6 } else { 5 - (role as u32 - 1) };
        let gain = worth(role, self.turn, to) - worth(role, self.turn, from);
        let promotion = m.promotion().map_or(0, |role| role as u32 - 1);
        promotion << 26
            | u32::from(m.is_capture()) << 25
            | safety << 22
            | ((512 + gain) as u32) << 12
            | u32::from(to) << 6
            | u32::from(from)
    }
}

fn worth(role: Role, color: Color, square: Square) -> i32 {
    // The table is written as White sees the board, the eighth rank first.
    let square = usize::from(square) ^ color.fold_wb(56, 0);
    SQUARES[role as usize - 1][square].into()
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
