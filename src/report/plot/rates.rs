//! Loss by learning rate, of a range test.

use plotters::element::Circle;
use plotters::series::LineSeries;
use plotters::style::Color;

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font, stroke, sub};
use super::frame::{self, Chart};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;

/// Loss by learning rate, as it rose from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateCurve {
    /// Name of the net.
    pub title: String,
    /// One for each step, in order.
    pub points: Vec<RatePoint>,
    /// The rate to begin with, if there is one.
    pub recommended: Option<f64>,
}

/// A step at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePoint {
    pub rate: f64,
    /// The loss before it.
    pub loss: f64,
    /// Mean of this loss and those before, the older the less they count.
    pub smoothed: f64,
}

/// Losses as dots, their running mean as a line, and the rate to begin with.
pub fn draw(curve: &RateCurve) -> Result<Svg, DrawError> {
    let rates = curve.points.iter().map(|point| point.rate);
    let losses = curve.points.iter().flat_map(|point| [point.loss, point.smoothed]);
    let (x, y) = (PlotAxis::log_if_wide(rates, 8), PlotAxis::log_if_wide(losses, 7));
    let title = format!("Loss by learning rate, {}", curve.title);
    canvas::draw(WIDTH, HEIGHT, &title, |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("loss", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("learning rate", (WIDTH - 6.0, HEIGHT - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let mut chart = frame::chart(&area, &x, &y)?;
        draw_points(&mut chart, &curve.points)?;
        match curve.recommended {
            Some(rate) => draw_mark(canvas, &chart, &y, rate),
            None => Ok(()),
        }
    })
}

fn draw_points(chart: &mut Chart, points: &[RatePoint]) -> Drawn {
    let colour = Style::nth(0).colour;
    let dot = MUTED.filled();
    chart.draw_series(points.iter().map(|p| Circle::new((p.rate, p.loss), sub(1.0), dot)))?;
    let smoothed = points.iter().map(|point| (point.rate, point.smoothed));
    chart.draw_series(LineSeries::new(smoothed, stroke(&colour, 1.75)))?;
    Ok(())
}

/// A line from bottom to top at the rate to begin with.
fn draw_mark(canvas: &Canvas, chart: &Chart, y: &PlotAxis, rate: f64) -> Drawn {
    let [top, bottom] = [y.high, y.low].map(|loss| frame::on_canvas(chart, rate, loss));
    canvas.dashes(top, bottom, &INK, 1.25)?;
    let label = format!("recommended: {rate}");
    canvas.text(&label, (top.0 - 6.0, top.1 + 10.0), &font(12.0, &INK, true), Anchor::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> RateCurve {
        let point = |step: i32| {
            let rate = 1e-6 * 10f64.powf(f64::from(step) / 10.0);
            let loss = if rate < 1e-2 { 0.02 - 2.0 * rate.min(5e-3) } else { rate };
            RatePoint { rate, loss: loss * 1.1, smoothed: loss }
        };
        let title = "ALL <128>".to_owned();
        RateCurve { title, points: (0..50).map(point).collect(), recommended: Some(1e-3) }
    }

    #[test]
    fn the_plot_can_be_read() {
        let plot = draw(&curve()).unwrap().standalone();
        let plot = roxmltree::Document::parse(&plot).unwrap();
        let texts: Vec<&str> = plot.descendants().filter_map(|node| node.text()).collect();
        for part in ["loss", "learning rate", "recommended: 0.001"] {
            assert!(texts.iter().any(|text| text.contains(part)), "{part}: {texts:?}");
        }
    }

    #[test]
    fn without_a_recommendation_or_points_it_is_drawn_all_the_same() {
        for points in [curve().points, Vec::new()] {
            let curve = RateCurve { recommended: None, points, ..curve() };
            let text = draw(&curve).unwrap().standalone();
            assert!(!text.contains("recommended"));
            assert!(roxmltree::Document::parse(&text).is_ok());
        }
    }
}
