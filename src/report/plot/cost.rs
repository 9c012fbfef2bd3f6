//! Cost and gain of features: speed against Elo at fixed nodes.
//! Up is a better evaluation, right is a faster one.

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font};
use super::frame;
use super::text::width;
use super::theme::{MUTED, PAPER, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;

const SIZE: (f64, f64) = (920.0, 400.0);
const LABEL: f64 = 12.0;

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
        let mut crosses: Vec<WhiskerLine> = Vec::new();
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
        draw_names(canvas, &points, &placed, &crosses, Room { edges, bottom: high - 44.0 })
    })?;
    Ok(Some(picture))
}

/// From where to where.
type WhiskerLine = [(f64, f64); 2];

/// The intervals of a point that end somewhere.
fn cross(point: &Point, place: &impl Fn(f64, f64) -> (f64, f64)) -> Vec<WhiskerLine> {
    let (speed, elo) = (point.speed, point.elo_or_zero());
    let up = [place(speed.value, elo.low), place(speed.value, elo.high)];
    let along = [place(speed.low, elo.value), place(speed.high, elo.value)];
    let both = [(up, elo), (along, speed)].into_iter();
    both.filter(|(_, of)| of.is_bounded()).map(|(line, _)| line).collect()
}

/// A rectangle on the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn around((x, y): (f64, f64), radius: f64) -> Area {
        Area { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    fn along([a, b]: WhiskerLine) -> Area {
        Area {
            left: a.0.min(b.0) - 1.0,
            top: a.1.min(b.1) - 1.0,
            right: a.0.max(b.0) + 1.0,
            bottom: a.1.max(b.1) + 1.0,
        }
    }

    fn overlap(&self, other: &Area) -> f64 {
        let across = self.right.min(other.right) - self.left.max(other.left);
        let down = self.bottom.min(other.bottom) - self.top.max(other.top);
        across.max(0.0) * down.max(0.0)
    }
}

#[derive(Clone, Copy, Debug)]
struct Room {
    edges: (f64, f64),
    bottom: f64,
}

/// Each name takes a place around its point where it covers none of the points
/// and of the names placed before; further off rather than across an interval,
/// and across one, on paper, rather than nowhere. A name without any free place
/// is left out: marker and colour tell it, and the table names all.
fn draw_names(
    canvas: &Canvas,
    points: &[&Point],
    places: &[(f64, f64)],
    crosses: &[WhiskerLine],
    room: Room,
) -> Drawn {
    let crosses: Vec<Area> = crosses.iter().copied().map(Area::along).collect();
    let mut taken: Vec<Area> = places.iter().map(|&place| Area::around(place, 6.0)).collect();
    for (point, &place) in points.iter().zip(places) {
        let label = super::text::fit(&point.label, LABEL, 260.0);
        let wide = width(&label, LABEL);
        let crossed_or_taken: Vec<Area> = taken.iter().chain(&crosses).copied().collect();
        let free = free_place(place, wide, &crossed_or_taken, room)
            .or_else(|| free_place(place, wide, &taken, room));
        let Some((area, from)) = free else { continue };
        taken.push(area);
        if let Some(to) = from {
            canvas.line(place, to, &point.style.colour, 1.0)?;
        }
        canvas.rectangle((area.left, area.top + 2.0), (area.right, area.bottom - 2.0), &PAPER)?;
        let middle = (area.left, (area.top + area.bottom) / 2.0);
        canvas.label(&label, middle, LABEL, Anchor::Left)?;
    }
    Ok(())
}

/// Where a name of width `wide` may stand near `place`, and where a line to it
/// has to end when it stands further off.
fn free_place(
    (x, y): (f64, f64),
    wide: f64,
    taken: &[Area],
    room: Room,
) -> Option<(Area, Option<(f64, f64)>)> {
    const SPOTS: [(f64, f64); 14] = [
        (1.0, -10.0),
        (1.0, 10.0),
        (-1.0, -10.0),
        (-1.0, 10.0),
        (1.0, -26.0),
        (-1.0, -26.0),
        (1.0, 26.0),
        (-1.0, 26.0),
        (1.0, -44.0),
        (-1.0, -44.0),
        (1.0, 44.0),
        (-1.0, 44.0),
        (1.0, -64.0),
        (1.0, 64.0),
    ];
    SPOTS.into_iter().find_map(|(side, down)| {
        let is_far = down.abs() > 12.0;
        let gap = if is_far { 16.0 } else { 8.0 };
        let left = if side > 0.0 { x + gap } else { x - gap - wide };
        let middle = y + down;
        let area = Area { left, top: middle - 8.0, right: left + wide, bottom: middle + 8.0 };
        let inside = area.left >= room.edges.0 + 2.0
            && area.right <= room.edges.1
            && area.top >= 20.0
            && area.bottom <= room.bottom;
        let free = taken.iter().all(|other| area.overlap(other) == 0.0);
        let line = is_far.then_some((x + side * (gap - 3.0), middle));
        (inside && free).then_some((area, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let mut taken = vec![Area::around((100.0, 100.0), 6.0)];
        for _ in 0..6 {
            let (area, _) = free_place(
                (100.0, 100.0),
                60.0,
                &taken,
                Room { edges: (0.0, 900.0), bottom: 356.0 },
            )
            .expect("room for six names around a point");
            assert!(taken.iter().all(|other| other.overlap(&area) == 0.0));
            taken.push(area);
        }
    }

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
