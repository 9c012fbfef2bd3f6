//! Loss by learning rate: what a range test has seen.

use plotters::element::Circle;
use plotters::series::LineSeries;
use plotters::style::Color;

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, Drawn, font, stroke, sub};
use super::frame::{self, Chart};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};
use crate::rates::{RateCurve, RatePoint};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;

/// Losses as dots, their running mean as a line, and the rate to begin with.
pub fn draw(curve: &RateCurve) -> Result<Svg, DrawError> {
    let rates = curve.points.iter().map(|point| point.rate);
    let losses = curve.points.iter().flat_map(|point| [point.loss, point.smoothed]);
    let (x, y) = (Axis::log_if_wide(rates, 8), Axis::log_if_wide(losses, 7));
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
fn draw_mark(canvas: &Canvas, chart: &Chart, y: &Axis, rate: f64) -> Drawn {
    let [top, bottom] = [y.high, y.low].map(|loss| frame::on_canvas(chart, rate, loss));
    canvas.dashes(top, bottom, &INK, 1.25)?;
    let label = format!("begin with {rate}");
    canvas.text(&label, (top.0 - 6.0, top.1 + 10.0), &font(12.0, &INK, true), Anchor::Right)
}
