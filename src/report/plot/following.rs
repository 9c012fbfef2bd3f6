//! How the worth of pieces follows the kings: small boards, a line for each piece, a column for
//! each place of the kings.

use super::canvas::{self, Anchor, font};
use super::little_board::LittleBoard;
use super::theme::{GRID, INK, MUTED, diverging};
use super::{DrawError, Svg};
use chess::{Role, Square};

const SQUARE: f64 = 11.0;
const PITCH: f64 = 8.0 * SQUARE + 10.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 38.0;

/// Numbers by square, none where a king stands.
type Board = [Option<f64>; 64];

/// Draws the first column as it is, less the mean of each board, and the others as the difference
/// to it, each line in colours of its own that reach as far as the largest difference. `worth` is
/// that of a piece in a column; none where a king stands.
pub fn draw(
    title: &str,
    columns: &[&str],
    worth: impl Fn(usize, Role, Square) -> Option<f64>,
) -> Result<Svg, DrawError> {
    let width = LEFT + columns.len() as f64 * PITCH + 4.0;
    canvas::draw(width, TOP + 5.0 * PITCH + 14.0, title, |canvas| {
        for (place, column) in columns.iter().enumerate() {
            let middle = LEFT + place as f64 * PITCH + 4.0 * SQUARE;
            canvas.text(column, (middle, 14.0), &font(11.5, &INK, true), Anchor::Middle)?;
            let label = if place == 0 { "less its mean" } else { "difference" };
            canvas.text(label, (middle, 28.0), &font(9.5, &MUTED, false), Anchor::Middle)?;
        }
        for (role, line) in Role::ALL.into_iter().zip(0..5) {
            let top = TOP + line as f64 * PITCH;
            let name = format!("{role:?}").to_lowercase();
            let at = (LEFT - 8.0, top + 4.0 * SQUARE);
            canvas.text(&name, at, &font(11.5, &INK, true), Anchor::Right)?;
            let boards: Vec<Board> =
                (0..columns.len()).map(|at| Square::ALL.map(|on| worth(at, role, on))).collect();
            let shown = shown(&boards, role);
            let span = |boards: &[Board]| {
                boards.iter().flatten().flatten().map(|worth| worth.abs()).fold(1.0, f64::max)
            };
            let (first, others) = shown.split_at(1.min(shown.len()));
            let spans = [span(first), span(others)];
            for (place, board) in shown.iter().enumerate() {
                let left = LEFT + place as f64 * PITCH;
                let span = spans[usize::from(place > 0)];
                LittleBoard { left, top, square: SQUARE }.paint(canvas, |square: Square| {
                    board[square as usize].map_or(GRID, |worth| diverging(worth / span))
                })?;
            }
            let label = format!("± {:.0}", spans[1]);
            let at = (LEFT - 8.0, top + 4.0 * SQUARE + 14.0);
            canvas.text(&label, at, &font(9.0, &MUTED, false), Anchor::Right)?;
        }
        Ok(())
    })
}

/// A line of boards as they are coloured.
fn shown(boards: &[Board], role: Role) -> Vec<Board> {
    // No pawn stands on the first or the last rank.
    let is_possible = |square: usize| role != Role::Pawn || !matches!(square / 8, 0 | 7);
    let Some(first) = boards.first() else { return Vec::new() };
    let cells: Vec<f64> =
        (0..64).filter(|&square| is_possible(square)).filter_map(|square| first[square]).collect();
    let mean = cells.iter().sum::<f64>() / cells.len().max(1) as f64;
    let of = |(place, board): (usize, &Board)| -> Board {
        std::array::from_fn(|square| {
            let base = if place == 0 { Some(mean) } else { first[square] };
            is_possible(square).then(|| Some(board[square]? - base?)).flatten()
        })
    };
    boards.iter().enumerate().map(of).collect()
}
