//! One row per set, one panel per measure: a value with its interval, written
//! out at the right. Panels stand side by side over the same rows, since the
//! question is nearly always how two measures differ (Elo at fixed nodes and
//! at fixed time).

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::text::{width, wrap};
use super::theme::{GRID, INK, MUTED, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;

const WIDTH: f64 = 920.0;
/// Of a picture for phones, panel by panel.
const NARROW: f64 = 340.0;
const ROW: f64 = 28.0;
const HEAD: f64 = 34.0;
const FOOT: f64 = 30.0;
const GAP: f64 = 26.0;
const TEXT: f64 = 12.5;
const SMALL: f64 = 10.5;

/// A set's row.
pub struct PlotRow {
    pub label: String,
    pub style: Style,
}

/// One measure of all rows.
pub struct Panel {
    /// Stands above.
    pub title: String,
    /// Stands below the axis.
    pub unit: String,
    /// Whether bars grow from zero; otherwise points only.
    pub from_zero: bool,
    /// Along the bottom.
    pub axis: PlotAxis,
    /// As many as there are rows.
    pub cells: Vec<PlotCell>,
}

/// A set in one panel.
pub enum PlotCell {
    /// Not measured.
    Missing,
    /// The zero that the others are measured from.
    Reference,
    /// A value on the panel's axis.
    Measured {
        /// With its interval.
        estimate: Estimate,
        /// The same measure for each seed alone.
        seeds: Vec<f64>,
        /// As written at the right.
        text: String,
    },
}

impl PlotCell {
    /// Whether single seeds are drawn beside the value.
    pub fn has_seeds(&self) -> bool {
        matches!(self, PlotCell::Measured { seeds, .. } if !seeds.is_empty())
    }

    fn text(&self) -> &str {
        match self {
            PlotCell::Missing => "—",
            PlotCell::Reference => "reference",
            PlotCell::Measured { text, .. } => text,
        }
    }
}

/// Draws `panels` over `rows`, for phones each by itself. `title` is for screen readers.
pub fn draw(title: &str, rows: &[PlotRow], panels: &[Panel]) -> Result<Svg, DrawError> {
    let alone = |panel| draw_wide(NARROW, title, rows, std::slice::from_ref(panel));
    let narrow = panels.iter().map(alone).collect::<Result<Vec<Svg>, DrawError>>()?;
    Ok(draw_wide(WIDTH, title, rows, panels)?.on_phones(narrow))
}

/// Height of a number of rows, in pixels.
pub fn height(rows: usize) -> f64 {
    HEAD + rows as f64 * ROW + FOOT + 14.0
}

/// The same with a width in pixels.
pub fn draw_wide(
    wide: f64,
    title: &str,
    rows: &[PlotRow],
    panels: &[Panel],
) -> Result<Svg, DrawError> {
    canvas::draw(wide, height(rows.len()), title, |canvas| {
        let names = name_column(rows, panels.len()).min(wide * 0.41);
        for (i, row) in rows.iter().enumerate() {
            let y = row_y(i);
            canvas.line((0.0, y + ROW / 2.0), (wide, y + ROW / 2.0), &GRID, 0.5)?;
            canvas.marker((8.0, y), row.style, 5.0)?;
            draw_name(canvas, &row.label, y, names - 22.0)?;
        }
        let room = (wide - names) / panels.len().max(1) as f64;
        for (i, panel) in panels.iter().enumerate() {
            let left = names + i as f64 * room + GAP;
            draw_panel(canvas, rows, panel, left, left + room - GAP)?;
        }
        Ok(())
    })
}

/// On two smaller lines if one does not hold it.
fn draw_name(canvas: &Canvas, name: &str, y: f64, room: f64) -> Drawn {
    if width(name, TEXT) <= room {
        return canvas.label(name, (20.0, y), TEXT, Anchor::Left);
    }
    let lines = wrap(name, SMALL, room);
    let first = y - (lines.len() - 1) as f64 * SMALL * 0.58;
    for (i, line) in lines.iter().enumerate() {
        canvas.label(line, (20.0, first + i as f64 * SMALL * 1.16), SMALL, Anchor::Left)?;
    }
    Ok(())
}

fn row_y(row: usize) -> f64 {
    HEAD + (row as f64 + 0.5) * ROW
}

/// As wide as the longest name, up to a share that leaves panels readable.
fn name_column(rows: &[PlotRow], panels: usize) -> f64 {
    let most = if panels > 1 { 260.0 } else { 380.0 };
    let longest = rows.iter().map(|row| width(&row.label, TEXT)).fold(60.0, f64::max);
    (longest + 26.0).min(most)
}

fn draw_panel(canvas: &Canvas, rows: &[PlotRow], panel: &Panel, left: f64, right: f64) -> Drawn {
    let written = panel.cells.iter().map(|cell| width(cell.text(), TEXT)).fold(0.0, f64::max);
    let edges = (left, right - written - 12.0);
    let x_of = |value: f64| {
        let share = panel.axis.share(value);
        edges.0 + share * (edges.1 - edges.0)
    };
    canvas.text(&panel.title, (left, 12.0), &font(13.0, &INK, true), Anchor::Left)?;
    draw_axis(canvas, rows.len(), panel, edges)?;
    for (i, (row, cell)) in rows.iter().zip(&panel.cells).enumerate() {
        draw_cell(canvas, row.style, cell, panel, row_y(i), edges, &x_of)?;
        let colour = if matches!(cell, PlotCell::Measured { .. }) { INK } else { MUTED };
        canvas.text(cell.text(), (right, row_y(i)), &font(TEXT, &colour, false), Anchor::Right)?;
    }
    Ok(())
}

fn draw_axis(canvas: &Canvas, rows: usize, panel: &Panel, edges: (f64, f64)) -> Drawn {
    let (top, bottom) = (HEAD, HEAD + rows as f64 * ROW);
    let small = font(11.0, &MUTED, false);
    let mut taken = f64::NEG_INFINITY;
    for &tick in &panel.axis.ticks {
        let x = edges.0 + panel.axis.share(tick) * (edges.1 - edges.0);
        let is_zero = panel.from_zero && tick == 0.0;
        if !is_zero {
            canvas.line((x, top), (x, bottom), &GRID, 1.0)?;
        }
        let label = panel.axis.label(tick);
        let half = width(&label, 11.0) / 2.0;
        // A tick whose number would touch the one before it has none.
        if x - half > taken {
            canvas.text(&label, (x, bottom + 13.0), &small, Anchor::Middle)?;
            taken = x + half + 3.0;
        }
    }
    if panel.from_zero {
        let zero = edges.0 + panel.axis.share(0.0) * (edges.1 - edges.0);
        canvas.line((zero, top - 4.0), (zero, bottom + 4.0), &MUTED, 1.25)?;
    }
    let middle = (edges.0 + edges.1) / 2.0;
    canvas.text(&panel.unit, (middle, bottom + 31.0), &small, Anchor::Middle)
}

fn draw_cell(
    canvas: &Canvas,
    style: Style,
    cell: &PlotCell,
    panel: &Panel,
    y: f64,
    edges: (f64, f64),
    x_of: &impl Fn(f64) -> f64,
) -> Drawn {
    use plotters::style::Color;
    let PlotCell::Measured { estimate, seeds, .. } = cell else {
        return match cell {
            PlotCell::Reference if panel.from_zero => canvas.marker((x_of(0.0), y), style, 4.5),
            _ => Ok(()),
        };
    };
    if panel.from_zero {
        let to = match estimate.value {
            f64::INFINITY => edges.1,
            f64::NEG_INFINITY => edges.0,
            value => x_of(value),
        };
        let (from, to) = (x_of(0.0).min(to), x_of(0.0).max(to));
        canvas.rectangle((from, y - 7.0), (to, y + 7.0), &style.colour.mix(0.28))?;
    }
    let end = |value: f64| value.is_finite().then(|| x_of(value));
    canvas.interval(y, (end(estimate.low), end(estimate.high)), edges, style)?;
    for &seed in seeds.iter().filter(|seed| seed.is_finite()) {
        canvas.ring((x_of(seed), y + 9.0), style, 1.9)?;
    }
    match estimate.value.is_finite() {
        true => canvas.marker((x_of(estimate.value), y), style, 4.5),
        false => Ok(()),
    }
}
