//! Names beside the points of a plot.

use super::canvas::{Anchor, Canvas, Drawn};
use super::text::{fit, width};
use super::theme::{PAPER, Style};

const LABEL: f64 = 12.0;

/// Longest name, in CSS pixels.
const WIDEST: f64 = 260.0;

/// From where to where, in CSS pixels.
pub(super) type Stroke = [(f64, f64); 2];

/// A point with its name.
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    /// On the canvas.
    pub(super) at: (f64, f64),
}

/// The part of the canvas where names may stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Left and right.
    pub(super) edges: (f64, f64),
    pub(super) bottom: f64,
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

    fn along([a, b]: Stroke) -> Area {
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

/// Each name takes a place around its point where it covers none of the points
/// and of the names placed before; further off rather than across an interval,
/// and across one, on paper, rather than nowhere. A name without any free place
/// is left out: marker and colour tell it, and the table names all.
pub(super) fn draw(
    canvas: &Canvas,
    points: &[Named<'_>],
    intervals: &[Stroke],
    room: Room,
) -> Drawn {
    let intervals: Vec<Area> = intervals.iter().copied().map(Area::along).collect();
    let mut taken: Vec<Area> = points.iter().map(|point| Area::around(point.at, 6.0)).collect();
    for Named { name, style, at } in points {
        let label = fit(name, LABEL, WIDEST);
        let wide = width(&label, LABEL);
        let crossed_or_taken: Vec<Area> = taken.iter().chain(&intervals).copied().collect();
        let free = free_place(*at, wide, &crossed_or_taken, room)
            .or_else(|| free_place(*at, wide, &taken, room));
        let Some((area, from)) = free else { continue };
        taken.push(area);
        if let Some(to) = from {
            canvas.line(*at, to, &style.colour, 1.0)?;
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
}
