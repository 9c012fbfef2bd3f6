//! Shares by kind of puzzle: under each name a bar per player, with its interval.

use plotters::style::Color;

use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::text::{fit, width};
use super::theme::{GRID, INK, MUTED, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;
use base::format::fixed;

const WIDTH: f64 = 920.0;
const COLUMNS: usize = 2;
const COLUMN: f64 = WIDTH / COLUMNS as f64;
const NAMES: f64 = 168.0;
const NUMBERS: f64 = 40.0;
const GAP: f64 = 18.0;
const BAR: f64 = 11.0;
const BETWEEN: f64 = 9.0;
const LEGEND: f64 = 20.0;
const FOOT: f64 = 22.0;
const TEXT: f64 = 12.0;
const SMALL: f64 = 10.5;

/// A player in the legend.
pub struct LegendPlayer {
    pub label: String,
    pub style: Style,
}

/// Puzzles of one kind.
pub struct Group {
    /// Name of the group.
    pub label: String,
    pub puzzles: u64,
    /// Of each player, the share solved in per cent.
    pub shares: Vec<Option<Estimate>>,
}

/// Draws all groups in two columns; `None` without any.
pub fn draw(
    title: &str,
    players: &[LegendPlayer],
    groups: &[Group],
) -> Result<Option<Svg>, DrawError> {
    if groups.is_empty() {
        return Ok(None);
    }
    let rows = groups.len().div_ceil(COLUMNS);
    let row = players.len() as f64 * BAR + BETWEEN;
    let legend = legend_places(players);
    let top = legend.last().map_or(0.0, |&(_, line)| (line + 1) as f64 * LEGEND) + 6.0;
    let height = top + rows as f64 * row + FOOT;
    let picture = canvas::draw(WIDTH, height, title, |canvas| {
        for (player, &(x, line)) in players.iter().zip(&legend) {
            let y = (line as f64 + 0.5) * LEGEND;
            canvas.marker((x + 6.0, y), player.style, 4.5)?;
            let name = fit(&player.label, TEXT, WIDTH - 40.0);
            canvas.label(&name, (x + 16.0, y), TEXT, Anchor::Left)?;
        }
        for (column, groups) in groups.chunks(rows).enumerate() {
            let left = column as f64 * COLUMN;
            draw_axis(canvas, left, top, groups.len() as f64 * row)?;
            for (i, group) in groups.iter().enumerate() {
                draw_group(canvas, (left, top + i as f64 * row), players, group)?;
            }
        }
        Ok(())
    })?;
    Ok(Some(picture))
}

/// Left edge and line of each name; none is needed for a single player.
fn legend_places(players: &[LegendPlayer]) -> Vec<(f64, usize)> {
    let (mut x, mut line) = (0.0, 0);
    let mut place = |player: &LegendPlayer| {
        let wide = 16.0 + width(&player.label, TEXT) + 22.0;
        if x > 0.0 && x + wide > WIDTH {
            (x, line) = (0.0, line + 1);
        }
        let place = (x, line);
        x += wide;
        place
    };
    players.iter().filter(|_| players.len() > 1).map(&mut place).collect()
}

/// Where a share stands in a column.
fn x_of(left: f64, percent: f64) -> f64 {
    let (from, to) = (left + NAMES, left + COLUMN - NUMBERS - GAP);
    from + (to - from) * percent.clamp(0.0, 100.0) / 100.0
}

fn draw_axis(canvas: &Canvas, left: f64, top: f64, height: f64) -> Drawn {
    let small = font(SMALL, &MUTED, false);
    for percent in [0, 25, 50, 75, 100] {
        let x = x_of(left, f64::from(percent));
        canvas.line((x, top), (x, top + height), &GRID, 1.0)?;
        let label = if percent == 100 { "100 %".to_owned() } else { percent.to_string() };
        canvas.text(&label, (x, top + height + 11.0), &small, Anchor::Middle)?;
    }
    Ok(())
}

fn draw_group(
    canvas: &Canvas,
    (left, top): (f64, f64),
    players: &[LegendPlayer],
    group: &Group,
) -> Drawn {
    let middle = top + (players.len() as f64 * BAR + BETWEEN) / 2.0;
    let count = group.puzzles.to_string();
    let room = NAMES - width(&count, SMALL) - 22.0;
    let name = fit(&group.label, TEXT, room);
    canvas.text(&name, (left, middle), &font(TEXT, &INK, false), Anchor::Left)?;
    let muted = font(SMALL, &MUTED, false);
    canvas.text(&count, (left + NAMES - 8.0, middle), &muted, Anchor::Right)?;
    for (i, (player, share)) in players.iter().zip(&group.shares).enumerate() {
        let Some(share) = share else { continue };
        let y = top + BETWEEN / 2.0 + (i as f64 + 0.5) * BAR;
        let x = |percent| x_of(left, percent);
        let colour = player.style.colour;
        canvas.rectangle((x(0.0), y - 4.5), (x(share.value), y + 4.5), &colour.mix(0.35))?;
        canvas.line((x(share.low), y), (x(share.high), y), &colour, 1.5)?;
        canvas.line((x(share.value), y - 4.5), (x(share.value), y + 4.5), &colour, 2.0)?;
        let number = format!("{} %", fixed(share.value, 0));
        let end = (left + COLUMN - GAP, y);
        canvas.text(&number, end, &font(SMALL, &INK, false), Anchor::Right)?;
    }
    Ok(())
}
