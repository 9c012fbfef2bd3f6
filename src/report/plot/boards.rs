//! First-layer pictures: for every role a board, each square as bright as the
//! layer's answer to an own piece that stands there.
//!
//! Brightness is relative to the role's mean: a queen answers several times as
//! loudly as a pawn, and on one absolute scale every pawn square would be dark.
//! The means are written below the boards.

use super::axis::{PlotAxis, extent};
use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::little_board::LittleBoard;
use super::theme::{GRID, INK, MUTED, heat};
use super::{DrawError, Svg};
use chess::{Rank, Role, Square};

const WIDTH: f64 = 920.0;
const SQUARE: f64 = 15.5;
const BOARD: f64 = 8.0 * SQUARE;
const PITCH: f64 = BOARD + 18.0;
const LEFT: f64 = 14.0;
const TOP: f64 = 24.0;

/// How strongly the first layer answers to an own piece, by role and square.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstLayerPicture {
    /// `[role][square]`: pawn to king, a1 to h8 (rank-major). The Euclidean
    /// norm of the weights that the piece adds to the accumulator. Values that are
    /// not finite, and pawns on the first and last rank, are left blank.
    pub norms: [[f32; 64]; 6],
}

/// Six boards, pawn to king, on one relative scale with its colour bar. `None`
/// when no square has a finite value.
pub fn draw(label: &str, picture: &FirstLayerPicture) -> Result<Option<Svg>, DrawError> {
    let means = Role::ALL.map(|role| mean(picture, role));
    let relative = |role: Role, square| {
        let mean = means[usize::from(role) - 1]?;
        value(picture, role, square)
            .map(|norm| if mean > 0.0 { 100.0 * norm / mean } else { 100.0 })
    };
    let shown = Role::ALL
        .into_iter()
        .flat_map(|role| Square::ALL.into_iter().filter_map(move |square| relative(role, square)));
    let Some((low, high)) = extent(shown) else { return Ok(None) };
    let title = format!("First layer of {label}");
    canvas::draw(WIDTH, TOP + BOARD + 38.0, &title, |canvas| {
        for (i, role) in Role::ALL.into_iter().enumerate() {
            let left = LEFT + i as f64 * PITCH;
            draw_board(canvas, left, role, |square| {
                relative(role, square).map(|percent| share(percent, low, high))
            })?;
            let mean = means[i].map_or("no values".to_owned(), |mean| format!("mean {mean:.2}"));
            let below = (left + BOARD / 2.0, TOP + BOARD + 26.0);
            canvas.text(&mean, below, &font(11.0, &MUTED, false), Anchor::Middle)?;
        }
        draw_scale(canvas, LEFT + 6.0 * PITCH - 4.0, low, high)
    })
    .map(Some)
}

/// Over the squares on which the piece can stand.
fn mean(picture: &FirstLayerPicture, role: Role) -> Option<f64> {
    let norms: Vec<f64> =
        Square::ALL.into_iter().filter_map(|square| value(picture, role, square)).collect();
    (!norms.is_empty()).then(|| norms.iter().sum::<f64>() / norms.len() as f64)
}

/// Value of a picture on a square; `None` where no such piece can stand.
fn value(picture: &FirstLayerPicture, role: Role, square: Square) -> Option<f64> {
    let is_possible = role != Role::Pawn || !matches!(square.rank(), Rank::First | Rank::Eighth);
    let norm = f64::from(picture.norms[usize::from(role) - 1][square.to_usize()]);
    (is_possible && norm.is_finite()).then_some(norm)
}

fn share(norm: f64, low: f64, high: f64) -> f64 {
    match high > low {
        true => (norm - low) / (high - low),
        false => 0.5,
    }
}

fn draw_board(
    canvas: &Canvas,
    left: f64,
    role: Role,
    brightness: impl Fn(Square) -> Option<f64>,
) -> Drawn {
    let middle = left + BOARD / 2.0;
    canvas.text(name(role), (middle, 11.0), &font(12.5, &INK, true), Anchor::Middle)?;
    let board = LittleBoard { left, top: TOP, square: SQUARE };
    board.paint(canvas, |square| brightness(square).map_or(GRID, heat))?;
    board.name_lines(canvas)
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn draw_scale(canvas: &Canvas, left: f64, low: f64, high: f64) -> Drawn {
    let steps = 62;
    let step = BOARD / f64::from(steps);
    for i in 0..steps {
        let y = TOP + BOARD - f64::from(i + 1) * step;
        let colour = heat((f64::from(i) + 0.5) / f64::from(steps));
        canvas.rectangle((left, y), (left + 8.0, y + step), &colour)?;
    }
    let axis = PlotAxis::linear([low, high], 4);
    let small = font(9.0, &MUTED, false);
    for &tick in axis.ticks.iter().filter(|tick| (low..=high).contains(tick)) {
        let y = TOP + BOARD * (1.0 - share(tick, low, high));
        canvas.line((left + 8.0, y), (left + 11.0, y), &MUTED, 0.75)?;
        canvas.text(&format!("{} %", axis.label(tick)), (left + 13.0, y), &small, Anchor::Left)?;
    }
    Ok(())
}
