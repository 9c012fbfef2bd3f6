//! A board drawn as text, for a terminal.

use std::fmt::Write;

use chess::{Board, Color, File, Piece, Rank, Role, Square};

/// The board from White's side, eighth rank on top, with its coordinates.
/// Empty dark squares carry a dot, so that diagonals can be followed; lines end
/// in `\n`.
pub fn draw(board: &Board) -> String {
    draw_signs(|square| board.piece_at(square).map(figurine))
}

/// As [`draw`], with a sign for some squares.
pub fn draw_signs(sign: impl Fn(Square) -> Option<char>) -> String {
    let mut out = String::from("  ┌─────────────────┐\n");
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(out, "{} │", rank.char());
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            out.push(' ');
            out.push(sign(square).unwrap_or_else(|| empty(square)));
        }
        out.push_str(" │\n");
    }
    out.push_str("  └─────────────────┘\n    a b c d e f g h\n");
    out
}

fn empty(square: Square) -> char {
    match square.is_dark() {
        true => '·',
        false => ' ',
    }
}

/// The Unicode chess symbol: outlined for White, filled for Black.
pub fn figurine(piece: Piece) -> char {
    match (piece.color, piece.role) {
        (Color::White, Role::King) => '♔',
        (Color::White, Role::Queen) => '♕',
        (Color::White, Role::Rook) => '♖',
        (Color::White, Role::Bishop) => '♗',
        (Color::White, Role::Knight) => '♘',
        (Color::White, Role::Pawn) => '♙',
        (Color::Black, Role::King) => '♚',
        (Color::Black, Role::Queen) => '♛',
        (Color::Black, Role::Rook) => '♜',
        (Color::Black, Role::Bishop) => '♝',
        (Color::Black, Role::Knight) => '♞',
        (Color::Black, Role::Pawn) => '♟',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_stands_as_in_a_diagram() {
        let drawn = draw(&Board::new());
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[1], "8 │ ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜ │");
        assert_eq!(lines[3], "6 │   ·   ·   ·   · │");
        assert_eq!(lines[8], "1 │ ♖ ♘ ♗ ♕ ♔ ♗ ♘ ♖ │");
        assert_eq!(lines[10], "    a b c d e f g h");
    }

    #[test]
    fn every_line_is_equally_wide_and_every_piece_is_drawn() {
        let board =
            Board::from_ascii_board_fen(b"r3k2r/8/8/3pP3/8/8/8/R3K2R").expect("a valid board");
        let drawn = draw(&board);
        let widths: Vec<usize> = drawn.lines().take(10).map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "{widths:?}");
        assert_eq!(drawn.chars().filter(|c| ('♔'..='♟').contains(c)).count(), 8);
    }
}
