//! Puzzle accuracy by rating: a small plot per set, the reference in grey behind.

use plotters::series::LineSeries;

use super::axis::PlotAxis;
use super::canvas::{Canvas, Drawn, stroke};
use super::facets::{self, FacetAxes, FacetHead};
use super::frame::{self, Chart};
use super::theme::Style;
use super::{DrawError, Svg};
use base::estimate::Estimate;

/// Puzzles of one range of ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuzzleBucket {
    pub from: u32,
    /// First rating above.
    pub to: u32,
    /// Puzzles in the range.
    pub puzzles: u64,
    /// Share solved, with its Wilson interval.
    pub accuracy: Estimate,
}

/// A set's accuracy by rating.
pub struct Curve {
    pub label: String,
    pub style: Style,
    /// Lowest ratings first.
    pub buckets: Vec<PuzzleBucket>,
}

/// One small plot per set with buckets; `None` when no set has any. The
/// reference (if given) is drawn into all of them, and alone only when it is
/// the only one.
pub fn draw(others: &[Curve], reference: Option<&Curve>) -> Result<Option<Svg>, DrawError> {
    let has_buckets = |curve: &&Curve| !curve.buckets.is_empty();
    let mut shown: Vec<&Curve> = others.iter().filter(has_buckets).collect();
    let mut behind = reference.map_or(&[][..], |curve| &curve.buckets);
    if shown.is_empty() {
        shown = reference.into_iter().filter(has_buckets).collect();
        behind = &[];
    }
    let Some(axes) = axes(&shown, behind) else { return Ok(None) };
    let head = |curve: &&Curve| FacetHead {
        label: curve.label.clone(),
        style: curve.style,
        note: String::new(),
    };
    let heads: Vec<FacetHead> = shown.iter().map(head).collect();
    let picture = facets::draw("Puzzle accuracy by rating", &heads, &axes, |canvas, chart, i| {
        draw_buckets(canvas, chart, behind, Style::REFERENCE, (-2.0, 2.0))?;
        draw_buckets(canvas, chart, &shown[i].buckets, shown[i].style, (2.0, 3.2))
    })?;
    Ok(Some(picture))
}

fn axes(shown: &[&Curve], behind: &[PuzzleBucket]) -> Option<FacetAxes> {
    let all: Vec<&PuzzleBucket> =
        shown.iter().flat_map(|curve| &curve.buckets).chain(behind).collect();
    if all.is_empty() {
        return None;
    }
    let ratings = all.iter().flat_map(|bucket| [f64::from(bucket.from), f64::from(bucket.to)]);
    let shares = all.iter().flat_map(|b| [100.0 * b.accuracy.low, 100.0 * b.accuracy.high]);
    let y = PlotAxis::linear(shares, 5).within(-2.0, 102.0);
    Some(FacetAxes { x: (PlotAxis::linear(ratings, 5), "puzzle rating"), y: (y, "% solved") })
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
