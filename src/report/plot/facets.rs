//! Small plots on the same axes, one per set: a dozen sets in one plot could
//! not be told apart.

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::frame::{self, Chart};
use super::text::{BOLD, fit};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};

const WIDTH: f64 = 920.0;
const TITLE: f64 = 12.5;

/// Surroundings of a small plot.
pub struct FacetHead {
    /// The set's name, above.
    pub label: String,
    pub style: Style,
    /// Numbers below the plot; may be empty.
    pub note: String,
}

/// The axes that all small plots share.
pub struct FacetAxes {
    /// From left to right, and its unit.
    pub x: (PlotAxis, &'static str),
    /// From below, and its unit.
    pub y: (PlotAxis, &'static str),
}

/// A plot per head, up to three side by side; `paint` draws what belongs to a
/// head into its chart. `title` is for screen readers.
pub fn draw(
    title: &str,
    heads: &[FacetHead],
    axes: &FacetAxes,
    paint: impl Fn(&Canvas, &mut Chart, usize) -> Drawn,
) -> Result<Svg, DrawError> {
    let columns = heads.len().clamp(1, 3);
    let size = (WIDTH / columns as f64, if columns == 1 { 260.0 } else { 200.0 });
    let lines = heads.len().div_ceil(columns);
    canvas::draw(WIDTH, lines as f64 * size.1 + 4.0, title, |canvas| {
        for (i, head) in heads.iter().enumerate() {
            let corner = ((i % columns) as f64 * size.0, (i / columns) as f64 * size.1);
            draw_head(canvas, corner, size, axes, head)?;
            let area = canvas.part((corner.0, corner.1 + 22.0), (size.0, size.1 - 36.0));
            let mut chart = frame::chart(&area, &axes.x.0, &axes.y.0)?;
            paint(canvas, &mut chart, i)?;
        }
        Ok(())
    })
}

fn draw_head(
    canvas: &Canvas,
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    axes: &FacetAxes,
    head: &FacetHead,
) -> Drawn {
    let title = fit(&head.label, BOLD * TITLE, width - frame::LEFT - 34.0);
    let title_left = left + frame::LEFT + 8.0;
    canvas.marker((title_left + 4.0, top + 14.0), head.style, 4.5)?;
    let bold = font(TITLE, &INK, true);
    canvas.text(&title, (title_left + 15.0, top + 14.0), &bold, Anchor::Left)?;
    let muted = font(11.0, &MUTED, false);
    canvas.text(axes.y.1, (left + 1.0, top + 14.0), &muted, Anchor::Left)?;
    let corner = (left + width - 8.0, top + height - 9.0);
    canvas.text(axes.x.1, corner, &muted, Anchor::Right)?;
    let note_corner = (left + frame::LEFT + 6.0, corner.1);
    canvas.text(&head.note, note_corner, &font(11.0, &INK, false), Anchor::Left)
}
