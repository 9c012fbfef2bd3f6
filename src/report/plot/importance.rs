//! Importance of the rows of a net by square: a board for every kind of piece, own ones above,
//! each square as bright as what rows that speak of such a piece there are worth.

use super::canvas::{self, Anchor, font};
use super::little_board::LittleBoard;
use super::theme::{GRID, INK, MUTED, heat};
use super::{DrawError, Svg};
use chess::{PieceKind, Rank, Role, Side, Square};

const WIDTH: f64 = 905.0;
const SQUARE: f64 = 15.0;
const BOARD: f64 = 8.0 * SQUARE;
const ACROSS: f64 = BOARD + 18.0;
const DOWN: f64 = BOARD + 48.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 40.0;

/// A number for every square, by [`PieceKind::index`].
pub type Importance = [[f64; 64]; PieceKind::COUNT];

/// Twelve boards, each on a scale of its own from 0 to its largest number, which stands below it.
pub fn draw(title: &str, unit: &str, importance: &Importance) -> Result<Svg, DrawError> {
    canvas::draw(WIDTH, TOP + 2.0 * DOWN, title, |canvas| {
        canvas.text(title, (LEFT, 14.0), &font(13.0, &INK, true), Anchor::Left)?;
        for (line, side) in Side::ALL.into_iter().enumerate() {
            let top = TOP + line as f64 * DOWN;
            let name = if side == Side::Own { "own" } else { "other" };
            let at = (LEFT - 14.0, top + BOARD / 2.0);
            canvas.text(name, at, &font(12.0, &INK, true), Anchor::Right)?;
            for (place, role) in Role::ALL.into_iter().enumerate() {
                let left = LEFT + place as f64 * ACROSS;
                let board = &importance[PieceKind { role, side }.index()];
                let most = board.iter().copied().fold(0.0, f64::max);
                LittleBoard { left, top, square: SQUARE }.paint(canvas, |square| {
                    let number = board[square as usize];
                    match is_possible(role, square) && most > 0.0 {
                        true => heat((number / most).clamp(0.0, 1.0)),
                        false => GRID,
                    }
                })?;
                let middle = left + BOARD / 2.0;
                let name = format!("{role:?}").to_lowercase();
                canvas.text(
                    &name,
                    (middle, top - 9.0),
                    &font(11.5, &INK, false),
                    Anchor::Middle,
                )?;
                let label = format!("to {most:.3} {unit}");
                let below = (middle, top + BOARD + 13.0);
                canvas.text(&label, below, &font(10.0, &MUTED, false), Anchor::Middle)?;
            }
        }
        Ok(())
    })
}

fn is_possible(role: Role, square: Square) -> bool {
    role != Role::Pawn || !matches!(square.rank(), Rank::First | Rank::Eighth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_a_board_and_the_largest_number_is_written() {
        let mut importance = [[0.0; 64]; PieceKind::COUNT];
        importance[3][28] = 0.25;
        let svg = draw("Rows", "%", &importance).unwrap().standalone();
        assert_eq!(svg.matches("to 0.250 %").count(), 1);
        assert_eq!(svg.matches("to 0.000 %").count(), 11);
        for name in ["own", "other", "pawn", "king"] {
            assert!(svg.contains(name), "{name}");
        }
    }
}
