//! Errors of quantisation: differences between the integer net and the trained floats.

use super::axis::{PlotAxis, extent};
use super::canvas::{Canvas, Drawn};
use super::facets::{self, FacetAxes, FacetHead};
use super::frame::{self, Chart};
use super::theme::{INK, PAPER, Style};
use super::{DrawError, Svg};
use base::format::fixed;

/// Whole centipawns, the last with all that is more.
pub const BINS: usize = 21;

/// The differences of a set's nets, seeds taken together.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences {
    /// Positions by whole centipawns, in per cent.
    pub shares: [f64; BINS],
    /// Mean over the seeds of their means, centipawns.
    pub mean: f64,
    /// The same of their 99th percentiles.
    pub percentile_99: f64,
}

impl Differences {
    /// The two numbers that are marked, centipawns.
    pub fn note(&self) -> String {
        format!("mean {}, 99 % ≤ {}", fixed(self.mean, 2), fixed(self.percentile_99, 1))
    }
}

/// A small histogram per head, in the same order.
pub fn draw(heads: &[FacetHead], sets: &[Differences]) -> Result<Svg, DrawError> {
    let highest = extent(sets.iter().flat_map(|set| set.shares)).map_or(100.0, |(_, high)| high);
    let most = BINS as f64;
    let axes = FacetAxes {
        x: (PlotAxis::linear([0.0, most], 5).within(0.0, most), "difference, cp"),
        y: (PlotAxis::linear([0.0, highest], 5).within(0.0, f64::INFINITY), "share, %"),
    };
    facets::draw("Quantisation error", heads, &axes, |canvas, chart, i| {
        draw_bars(canvas, chart, &sets[i], heads[i].style)?;
        draw_marks(canvas, chart, &axes, &sets[i])
    })
}

fn draw_bars(canvas: &Canvas, chart: &Chart, set: &Differences, style: Style) -> Drawn {
    for (bin, share) in set.shares.into_iter().enumerate().filter(|(_, share)| *share > 0.0) {
        let (left, top) = frame::on_canvas(chart, bin as f64, share);
        let (right, bottom) = frame::on_canvas(chart, bin as f64 + 1.0, 0.0);
        canvas.rectangle((left + 0.5, top), (right - 0.5, bottom), &style.colour)?;
    }
    Ok(())
}

/// Mean and 99th percentile as lines from bottom to top, on paper where bars are behind them.
fn draw_marks(canvas: &Canvas, chart: &Chart, axes: &FacetAxes, set: &Differences) -> Drawn {
    let ends = |cp: f64| [axes.y.0.high, 0.0].map(|share| frame::on_canvas(chart, cp, share));
    let [top, bottom] = ends(set.mean);
    canvas.line(top, bottom, &PAPER, 3.75)?;
    canvas.line(top, bottom, &INK, 1.25)?;
    let [top, bottom] = ends(set.percentile_99);
    canvas.line(top, bottom, &PAPER, 3.75)?;
    canvas.dashes(top, bottom, &INK, 1.25)
}
