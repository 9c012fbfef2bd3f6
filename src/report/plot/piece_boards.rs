//! Numbers of pieces by square: a board for every kind of piece, own ones above.

use plotters::style::RGBColor;

use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::little_board::LittleBoard;
use super::theme::{GRID, INK, MUTED, diverging, heat};
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
pub type PieceNumbers = [[f64; 64]; PieceKind::COUNT];

/// Twelve boards, each on a scale of its own from 0 to its largest number, which stands below it.
pub fn draw(title: &str, unit: &str, numbers: &PieceNumbers) -> Result<Svg, DrawError> {
    let most = |kind: PieceKind| numbers[kind.index()].iter().copied().fold(0.0, f64::max);
    let colour = |kind: PieceKind, square: Square| {
        let (number, most) = (numbers[kind.index()][square as usize], most(kind));
        (most > 0.0).then(|| heat((number / most).clamp(0.0, 1.0)))
    };
    let label = |kind: PieceKind| format!("to {:.3} {unit}", most(kind));
    draw_boards(title, colour, label)
}

/// Twelve boards on one scale around 0, blue below and orange above; the range of each stands below
/// it.
pub fn draw_signed(title: &str, numbers: &PieceNumbers) -> Result<Svg, DrawError> {
    let possible = |kind: PieceKind| {
        let squares = Square::ALL.into_iter().filter(move |&square| is_possible(kind.role, square));
        squares.map(move |square| numbers[kind.index()][square as usize])
    };
    let most = PieceKind::all().flat_map(possible).map(f64::abs).fold(0.0, f64::max);
    let colour = |kind: PieceKind, square: Square| {
        let number = numbers[kind.index()][square as usize];
        Some(diverging(if most > 0.0 { number / most } else { 0.0 }))
    };
    let label = |kind: PieceKind| {
        let (low, high) = (
            possible(kind).fold(f64::INFINITY, f64::min),
            possible(kind).fold(f64::NEG_INFINITY, f64::max),
        );
        format!("{low:+.2} to {high:+.2}").replace('-', "\u{2212}")
    };
    draw_boards(title, colour, label)
}

/// Twelve boards; squares without a colour, and those where no such piece can stand, are grey.
fn draw_boards(
    title: &str,
    colour: impl Fn(PieceKind, Square) -> Option<RGBColor>,
    label: impl Fn(PieceKind) -> String,
) -> Result<Svg, DrawError> {
    canvas::draw(WIDTH, TOP + 2.0 * DOWN, title, |canvas| {
        canvas.text(title, (LEFT, 14.0), &font(13.0, &INK, true), Anchor::Left)?;
        for (line, side) in Side::ALL.into_iter().enumerate() {
            let top = TOP + line as f64 * DOWN;
            let name = if side == Side::Own { "own" } else { "other" };
            let at = (LEFT - 14.0, top + BOARD / 2.0);
            canvas.text(name, at, &font(12.0, &INK, true), Anchor::Right)?;
            for (place, role) in Role::ALL.into_iter().enumerate() {
                let (kind, left) = (PieceKind { role, side }, LEFT + place as f64 * ACROSS);
                let shown = |square| colour(kind, square).filter(|_| is_possible(role, square));
                draw_board(canvas, (left, top), role, shown, &label(kind))?;
            }
        }
        Ok(())
    })
}

fn draw_board(
    canvas: &Canvas,
    (left, top): (f64, f64),
    role: Role,
    colour: impl Fn(Square) -> Option<RGBColor>,
    label: &str,
) -> Drawn {
    let board = LittleBoard { left, top, square: SQUARE };
    board.paint(canvas, |square| colour(square).unwrap_or(GRID))?;
    let middle = left + BOARD / 2.0;
    let name = format!("{role:?}").to_lowercase();
    canvas.text(&name, (middle, top - 9.0), &font(11.5, &INK, false), Anchor::Middle)?;
    let below = (middle, top + BOARD + 13.0);
    canvas.text(label, below, &font(10.0, &MUTED, false), Anchor::Middle)
}

fn is_possible(role: Role, square: Square) -> bool {
    role != Role::Pawn || !matches!(square.rank(), Rank::First | Rank::Eighth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_a_board_and_the_largest_number_is_written() {
        let mut numbers = [[0.0; 64]; PieceKind::COUNT];
        numbers[3][28] = 0.25;
        let svg = draw("Rows", "%", &numbers).unwrap().standalone();
        assert_eq!(svg.matches("to 0.250 %").count(), 1);
        assert_eq!(svg.matches("to 0.000 %").count(), 11);
        for name in ["own", "other", "pawn", "king"] {
            assert!(svg.contains(name), "{name}");
        }
    }

    #[test]
    fn signed_numbers_have_one_scale_and_squares_without_pawns_do_not_count() {
        let mut numbers = [[0.0; 64]; PieceKind::COUNT];
        numbers[2][28] = -0.5;
        numbers[3][28] = 0.25;
        // An own pawn on a1.
        numbers[0][0] = 9.0;
        let svg = draw_signed("Neuron 7", &numbers).unwrap().standalone();
        assert_eq!(svg.matches("\u{2212}0.50 to +0.00").count(), 1);
        assert_eq!(svg.matches("+0.00 to +0.25").count(), 1);
        let fill = |share| super::super::theme::hex(diverging(share)).to_lowercase();
        let svg = svg.to_lowercase();
        assert!(svg.contains(&fill(-1.0)) && svg.contains(&fill(0.5)) && !svg.contains(&fill(1.0)));
    }
}
