//! The pictures: tables as boards, components, errors and Elo.

use std::collections::BTreeMap;

use base::Estimate;
use chess::Square;
use report::Figure;
use report::plot::axis::PlotAxis;
use report::plot::canvas::{self, Anchor, Canvas, Drawn, NAME_INDENT, font};
use report::plot::little_board::LittleBoard;
use report::plot::text::fit;
use report::plot::theme::{GRID, INK, MUTED, PAPER, Style, diverging};
use report::plot::{DrawError, Svg, frame};

use super::{Approximation, drawn, elo as elo_of};
use crate::factorisation::{Cells, SQUARES};

/// Numbers of a table by square, a1 first.
type Board = [i32; SQUARES];

fn board(cells: &Cells<i32>, table: usize) -> Board {
    cells.map(|of_square| of_square[table])
}

const WIDTH: f64 = 920.0;
const ROLES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// All figures; `games` describes the games.
pub(super) fn all(
    original: &Cells<i32>,
    rows: &[Approximation<'_>],
    games: &str,
) -> Result<Vec<Figure>, DrawError> {
    let mut figures = Vec::new();
    if let Some(shown) = drawn(rows) {
        figures.push(components(shown)?);
        for (phase, first) in [("middlegame", 0), ("endgame", 6)] {
            figures.push(tables(original, shown, phase, first)?);
        }
    }
    figures.extend(errors(rows)?);
    figures.extend(elo(rows, games)?);
    Ok(figures)
}

/// Six tables of a phase: original, approximation, difference.
fn tables(
    original: &Cells<i32>,
    shown: &Approximation<'_>,
    phase: &str,
    first: usize,
) -> Result<Figure, DrawError> {
    const SQUARE: f64 = 15.5;
    const PITCH: f64 = 8.0 * SQUARE + 12.0;
    const LEFT: f64 = 102.0;
    let lines = ["original", "approximation", "difference"];
    let height = 24.0 + lines.len() as f64 * PITCH + 8.0;
    let approximated = shown.factors.cells();
    let svg = canvas::draw(WIDTH, height, &format!("Tables of the {phase}"), |canvas| {
        for (column, role) in ROLES.iter().enumerate() {
            let table = first + column;
            let left = LEFT + column as f64 * PITCH;
            let middle = (left + 4.0 * SQUARE, 11.0);
            canvas.text(role, middle, &font(12.5, &INK, true), Anchor::Middle)?;
            let [original, made] = [original, &approximated].map(|cells| board(cells, table));
            let is_possible = |square: usize| column > 0 || !matches!(square / 8, 0 | 7);
            let boards = [
                relative(&original, mean(&original, is_possible)),
                relative(&made, mean(&original, is_possible)),
                std::array::from_fn(|square| f64::from(made[square] - original[square])),
            ];
            let span = largest(&boards[0], is_possible);
            for (line, board) in boards.iter().enumerate() {
                let at = LittleBoard { left, top: 24.0 + line as f64 * PITCH, square: SQUARE };
                at.paint(canvas, |square: Square| match is_possible(square as usize) {
                    true => diverging(board[square as usize] / span.max(1.0)),
                    false => GRID,
                })?;
            }
        }
        for (line, name) in lines.iter().enumerate() {
            let y = 24.0 + line as f64 * PITCH + 4.0 * SQUARE;
            canvas.text(name, (LEFT - 10.0, y), &font(11.0, &MUTED, false), Anchor::Right)?;
        }
        Ok(())
    })?;
    Ok(Figure {
        id: phase.to_owned(),
        title: format!("The tables of the {phase}"),
        caption:
            "Orange: above the mean of the table, blue: below; all three lines of a piece have \
                  one colour scale, so that differences compare with the values of the original \
                  tables."
                .to_owned(),
        svg,
    })
}

fn mean(board: &Board, is_possible: impl Fn(usize) -> bool) -> f64 {
    let cells: Vec<f64> = (0..64)
        .filter(|&square| is_possible(square))
        .map(|square| f64::from(board[square]))
        .collect();
    cells.iter().sum::<f64>() / cells.len() as f64
}

fn relative(board: &Board, mean: f64) -> [f64; 64] {
    board.map(|cell| f64::from(cell) - mean)
}

fn largest(board: &[f64; 64], is_possible: impl Fn(usize) -> bool) -> f64 {
    let cells = board.iter().enumerate().filter(|&(square, _)| is_possible(square));
    cells.map(|(_, cell)| cell.abs()).fold(0.0, f64::max)
}

/// The squares of each component.
fn components(row: &Approximation<'_>) -> Result<Figure, DrawError> {
    const SQUARE: f64 = 9.0;
    const PITCH: f64 = 8.0 * SQUARE + 14.0;
    let in_line = (WIDTH / PITCH) as usize;
    let components = row.factors.components();
    let lines = components.len().div_ceil(in_line);
    let svg = canvas::draw(WIDTH, lines as f64 * PITCH + 8.0, "Components", |canvas| {
        for (i, &squares) in components.iter().enumerate() {
            let (line, column) = (i / in_line, i % in_line);
            let (left, top) = (4.0 + column as f64 * PITCH, 4.0 + line as f64 * PITCH);
            let board = LittleBoard { left, top, square: SQUARE };
            board.paint(canvas, |square| match squares >> (square as u32) & 1 {
                1 => INK,
                _ => PAPER,
            })?;
        }
        Ok(())
    })?;
    Ok(Figure {
        id: "components".to_owned(),
        title: format!("The components of {}", row.record.label()),
        caption: "Each is a set of squares, one 64-bit word; White is at the bottom.".to_owned(),
        svg,
    })
}

/// Approximations of a kind, by number of components.
fn by_kind<'a, 'r>(rows: &'a [Approximation<'r>]) -> BTreeMap<String, Vec<&'a Approximation<'r>>> {
    let mut kinds: BTreeMap<String, Vec<&Approximation<'_>>> = BTreeMap::new();
    for row in rows {
        kinds.entry(row.record.kind()).or_default().push(row);
    }
    kinds
}

/// Errors against the number of components, a line through the means of each kind.
fn errors(rows: &[Approximation<'_>]) -> Result<Vec<Figure>, DrawError> {
    let evaluation =
        |row: &Approximation<'_>| row.record.evaluation_error.map(|error| error.held_out);
    let plain = |row: &Approximation<'_>| Some(row.record.mean_squared_error);
    let mut figures = vec![Figure {
        id: "errors".to_owned(),
        title: "Mean squared error of the tables".to_owned(),
        caption: "Over all 768 cells, in squared centipawns.".to_owned(),
        svg: curves(rows, "cp², mean over all cells", plain)?,
    }];
    if rows.iter().any(|row| evaluation(row).is_some()) {
        figures.push(Figure {
            id: "evaluation".to_owned(),
            title: "Error of the evaluation".to_owned(),
            caption: "Root mean square over held-out positions: the error that matters in play."
                .to_owned(),
            svg: curves(rows, "cp, root mean square", evaluation)?,
        });
    }
    Ok(figures)
}

fn curves(
    rows: &[Approximation<'_>],
    unit: &str,
    value: impl Fn(&Approximation<'_>) -> Option<f64>,
) -> Result<Svg, DrawError> {
    const HEIGHT: f64 = 320.0;
    let count = |row: &Approximation<'_>| row.record.components.len() as f64;
    let x = PlotAxis::linear(rows.iter().map(count), 10).whole();
    let y = PlotAxis::linear(rows.iter().filter_map(&value).chain([0.0]), 6);
    canvas::draw(WIDTH, HEIGHT, unit, |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text(unit, (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("components", (WIDTH - 190.0, HEIGHT - 8.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 16.0), (WIDTH - 180.0, HEIGHT - 34.0));
        let chart = frame::chart(&area, &x, &y)?;
        for (place, (kind, rows)) in by_kind(rows).into_iter().enumerate() {
            let style = Style::nth(place);
            let mut means: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
            for row in &rows {
                means.entry(row.record.components.len()).or_default().extend(value(row));
            }
            means.retain(|_, values| !values.is_empty());
            let mean = |values: &Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
            let at = |(&count, values)| frame::on_canvas(&chart, count as f64, mean(values));
            let line: Vec<(f64, f64)> = means.iter().map(at).collect();
            for ends in line.windows(2) {
                canvas.line(ends[0], ends[1], &style.colour, 1.5)?;
            }
            for row in &rows {
                if let Some(value) = value(row) {
                    canvas.marker(frame::on_canvas(&chart, count(row), value), style, 3.5)?;
                }
            }
            name(canvas, &kind, place, style)?;
        }
        Ok(())
    })
}

/// The name of a kind on the right.
fn name(canvas: &Canvas, kind: &str, place: usize, style: Style) -> Drawn {
    let y = 30.0 + 18.0 * place as f64;
    canvas.name(&fit(kind, 12.0, 170.0 - NAME_INDENT), (WIDTH - 172.0, y), 12.0, style)
}

/// Elo against bytes; nothing without games.
fn elo(rows: &[Approximation<'_>], games: &str) -> Result<Option<Figure>, DrawError> {
    const HEIGHT: f64 = 340.0;
    let played: Vec<(&Approximation<'_>, Estimate)> =
        rows.iter().filter_map(|row| Some((row, elo_of(row.record)?))).collect();
    if played.is_empty() {
        return Ok(None);
    }
    let x = PlotAxis::linear(played.iter().map(|(row, _)| row.record.bytes as f64).chain([0.0]), 8);
    let ends = played.iter().flat_map(|(_, elo)| [elo.low, elo.high, elo.value]);
    let y = PlotAxis::linear(ends.chain([0.0]), 7);
    let svg = canvas::draw(WIDTH, HEIGHT, "Elo against bytes", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("Elo against the original tables", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("bytes", (WIDTH - 190.0, HEIGHT - 8.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 16.0), (WIDTH - 180.0, HEIGHT - 34.0));
        let chart = frame::chart(&area, &x, &y)?;
        let at = |x: f64, y: f64| frame::on_canvas(&chart, x, y);
        canvas.line(at(x.low, 0.0), at(x.high, 0.0), &MUTED, 1.25)?;
        for (place, (kind, rows)) in by_kind(rows).into_iter().enumerate() {
            let style = Style::nth(place);
            for row in rows {
                let (Some(elo), bytes) = (elo_of(row.record), row.record.bytes as f64) else {
                    continue;
                };
                if elo.is_bounded() {
                    canvas.line(at(bytes, elo.low), at(bytes, elo.high), &style.colour, 1.25)?;
                }
                canvas.marker(at(bytes, elo.value), style, 4.5)?;
            }
            name(canvas, &kind, place, style)?;
        }
        Ok(())
    })?;
    Ok(Some(Figure {
        id: "elo".to_owned(),
        title: "Elo over size".to_owned(),
        caption: format!("Against the original tables of 768 numbers. {games}"),
        svg,
    }))
}
