//! Cost and gain of features: speed against Elo at fixed nodes.
//! Up is a better evaluation, right is a faster one.

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, font};
use super::frame;
use super::labels::{self, Named, Room, Stroke};
use super::theme::{MUTED, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;

const SIZE: (f64, f64) = (920.0, 400.0);

/// A set's place in the plot.
pub struct Point {
    pub label: String,
    pub style: Style,
    /// Nodes per second.
    pub speed: Estimate,
    /// Elo at fixed nodes; `None` for the reference, which is zero by
    /// definition.
    pub elo: Option<Estimate>,
}

impl Point {
    fn elo_or_zero(&self) -> Estimate {
        self.elo.unwrap_or(Estimate::new(0.0, 0.0, 0.0))
    }
}

/// Values within the axis: of an interval without bounds the value alone.
fn ends(estimate: &Estimate) -> [f64; 3] {
    [estimate.low, estimate.value, estimate.high]
}

/// Draws the points whose numbers are finite; `None` when fewer than two are.
pub fn draw(points: &[Point], elo_name: &str) -> Result<Option<Svg>, DrawError> {
    draw_large(SIZE, points, elo_name)
}

/// The same of a size in pixels.
pub fn draw_large(
    (wide, high): (f64, f64),
    points: &[Point],
    elo_name: &str,
) -> Result<Option<Svg>, DrawError> {
    let points: Vec<&Point> = points
        .iter()
        .filter(|point| point.speed.value.is_finite() && point.elo_or_zero().value.is_finite())
        .collect();
    if points.len() < 2 {
        return Ok(None);
    }
    let speeds = points.iter().flat_map(|point| ends(&point.speed));
    let x = PlotAxis::log_if_wide(speeds, 8);
    let elos = points.iter().flat_map(|point| ends(&point.elo_or_zero()));
    let y = PlotAxis::linear(elos.chain([0.0]), 7);
    let picture = canvas::draw(wide, high, "Speed and Elo at fixed nodes", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text(elo_name, (10.0, 9.0), &muted, Anchor::Left)?;
        let below = (wide - 8.0, high - 8.0);
        canvas.text("nodes per second, one thread", below, &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 16.0), (wide, high - 34.0));
        let chart = frame::chart(&area, &x, &y)?;
        let place = |speed: f64, elo: f64| frame::on_canvas(&chart, speed, elo);
        let zero = frame::on_canvas(&chart, x.low, 0.0).1;
        let edges =
            (frame::on_canvas(&chart, x.low, 0.0).0, frame::on_canvas(&chart, x.high, 0.0).0);
        canvas.line((edges.0, zero), (edges.1, zero), &MUTED, 1.25)?;
        let mut crosses: Vec<Stroke> = Vec::new();
        for point in &points {
            for [from, to] in cross(point, &place) {
                canvas.line(from, to, &point.style.colour, 1.25)?;
                crosses.push([from, to]);
            }
        }
        let placed: Vec<(f64, f64)> =
            points.iter().map(|p| place(p.speed.value, p.elo_or_zero().value)).collect();
        for (point, at) in points.iter().zip(&placed) {
            canvas.marker(*at, point.style, 5.5)?;
        }
        let named = points.iter().zip(&placed);
        let named: Vec<Named<'_>> = named
            .map(|(point, at)| Named { name: &point.label, style: point.style, at: *at })
            .collect();
        labels::draw(canvas, &named, &crosses, Room { edges, bottom: high - 44.0 })
    })?;
    Ok(Some(picture))
}

/// The intervals of a point that end somewhere.
fn cross(point: &Point, place: &impl Fn(f64, f64) -> (f64, f64)) -> Vec<Stroke> {
    let (speed, elo) = (point.speed, point.elo_or_zero());
    let up = [place(speed.value, elo.low), place(speed.value, elo.high)];
    let along = [place(speed.low, elo.value), place(speed.high, elo.value)];
    let both = [(up, elo), (along, speed)].into_iter();
    both.filter(|(_, of)| of.is_bounded()).map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_one_round_have_their_place_too() {
        let open = |value: f64| Estimate::new(value, f64::NEG_INFINITY, f64::INFINITY);
        let point = |label: &str, speed: f64| Point {
            label: label.to_owned(),
            style: Style::REFERENCE,
            speed: open(speed),
            elo: None,
        };
        let svg = draw(&[point("a", 1e6), point("b", 2e6)], "Elo").unwrap().unwrap();
        assert!(svg.standalone().contains("1.0M") || svg.standalone().contains("1M"), "{svg:?}");
    }

    #[test]
    fn one_point_is_no_comparison() {
        let point = Point {
            label: "ALL".to_owned(),
            style: Style::REFERENCE,
            speed: Estimate::new(1e6, 9e5, 1.1e6),
            elo: None,
        };
        assert_eq!(draw(&[point], "Elo").expect("drawn"), None);
    }
}
