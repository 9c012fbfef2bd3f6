//! Puzzle accuracy by rating: a small plot per set, all on the same axes, the
//! reference in grey behind. A dozen sets in one plot could not be told apart.

use plotters::series::LineSeries;

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, Drawn, font, stroke};
use super::frame::{self, Chart};
use super::text::fit;
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};
use crate::report::model::{PuzzleBucket, SetRow};

const WIDTH: f64 = 920.0;
const TITLE: f64 = 12.5;

/// One small plot per set with buckets; `None` when no set has any. The
/// reference (if given) is drawn into all of them, and alone only when it is
/// the only one.
pub fn draw(
    sets: &[(&SetRow, Style)],
    reference: Option<&SetRow>,
) -> Result<Option<Svg>, DrawError> {
    let with_buckets = |set: &&(&SetRow, Style)| !set.0.puzzle_buckets.is_empty();
    let is_other = |set: &&(&SetRow, Style)| reference.is_none_or(|r| !std::ptr::eq(r, set.0));
    let mut shown: Vec<_> = sets.iter().filter(with_buckets).filter(is_other).collect();
    let mut behind = reference.map_or(&[][..], |set| &set.puzzle_buckets);
    if shown.is_empty() {
        shown = sets.iter().filter(with_buckets).collect();
        behind = &[];
    }
    let Some((x, y)) = axes(&shown, behind) else { return Ok(None) };
    let columns = shown.len().min(3);
    let (width, height) = (WIDTH / columns as f64, if columns == 1 { 260.0 } else { 200.0 });
    let lines = shown.len().div_ceil(columns);
    let sheet = lines as f64 * height + 4.0;
    let picture = canvas::draw(WIDTH, sheet, "Puzzle accuracy by rating", |canvas| {
        for (i, (set, style)) in shown.iter().enumerate() {
            let (column, line) = ((i % columns) as f64, (i / columns) as f64);
            let corner = (column * width, line * height);
            draw_facet(canvas, corner, (width, height), (&x, &y), (set, *style), behind)?;
        }
        Ok(())
    })?;
    Ok(Some(picture))
}

fn axes(shown: &[&(&SetRow, Style)], behind: &[PuzzleBucket]) -> Option<(Axis, Axis)> {
    let all: Vec<&PuzzleBucket> =
        shown.iter().flat_map(|(set, _)| &set.puzzle_buckets).chain(behind).collect();
    if all.is_empty() {
        return None;
    }
    let ratings = all.iter().flat_map(|bucket| [f64::from(bucket.from), f64::from(bucket.to)]);
    let shares = all.iter().flat_map(|b| [100.0 * b.accuracy.low, 100.0 * b.accuracy.high]);
    let y = Axis::linear(shares, 5).within(-2.0, 102.0);
    Some((Axis::linear(ratings, 5), y))
}

fn draw_facet(
    canvas: &Canvas,
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    (x, y): (&Axis, &Axis),
    (set, style): (&SetRow, Style),
    behind: &[PuzzleBucket],
) -> Drawn {
    let title = fit(&set.label(), TITLE, width - frame::LEFT - 40.0);
    let title_left = left + frame::LEFT + 8.0;
    canvas.marker((title_left + 4.0, top + 14.0), style, 4.5)?;
    let bold = font(TITLE, &INK, true);
    canvas.text(&title, (title_left + 15.0, top + 14.0), &bold, Anchor::Left)?;
    let muted = font(11.0, &MUTED, false);
    canvas.text("% solved", (left + frame::LEFT, top + 14.0), &muted, Anchor::Right)?;
    let area = canvas.part((left, top + 22.0), (width, height - 36.0));
    let mut chart = frame::chart(&area, x, y)?;
    draw_buckets(canvas, &mut chart, behind, Style::REFERENCE, (-2.0, 2.0))?;
    draw_buckets(canvas, &mut chart, &set.puzzle_buckets, style, (2.0, 3.2))?;
    let corner = (left + width - 8.0, top + height - 9.0);
    canvas.text("puzzle rating", corner, &muted, Anchor::Right)
}

/// `shift` moves the points sideways so that two sets do not cover each other.
fn draw_buckets(
    canvas: &Canvas,
    chart: &mut Chart,
    buckets: &[PuzzleBucket],
    style: Style,
    (shift, radius): (f64, f64),
) -> Drawn {
    let middle = |bucket: &PuzzleBucket| f64::from(bucket.from + bucket.to) / 2.0;
    let line = buckets.iter().map(|bucket| (middle(bucket), 100.0 * bucket.accuracy.value));
    chart.draw_series(LineSeries::new(line, stroke(&style.colour, 1.25)))?;
    for bucket in buckets {
        let at = |share: f64| frame::on_canvas(chart, middle(bucket), 100.0 * share);
        let (low, high, value) =
            (at(bucket.accuracy.low), at(bucket.accuracy.high), at(bucket.accuracy.value));
        let moved = |(x, y): (f64, f64)| (x + shift, y);
        canvas.line(moved(low), moved(high), &style.colour, 1.25)?;
        canvas.marker(moved(value), style, radius)?;
    }
    Ok(())
}
