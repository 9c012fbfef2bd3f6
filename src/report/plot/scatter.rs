//! Two measurements of the members of some groups, with a line through them.
//!
//! Each member is a ring with the interval of its ordinate; each group has its marker and name at
//! the mean of its members.

use plotters::series::LineSeries;

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, font, stroke};
use super::frame::{self, Chart};
use super::labels::{self, Named, Room, Stroke};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;

const SIZE: (f64, f64) = (920.0, 400.0);

/// Places at which a line and its band are computed.
const STEPS: usize = 120;

/// Members of one kind, such as the nets of a set.
pub struct Group {
    pub label: String,
    pub style: Style,
    /// Abscissa, and ordinate with its interval.
    pub members: Vec<(f64, Estimate)>,
}

/// A line through a point; the interval of its slope is a band.
pub struct Line {
    pub through: (f64, f64),
    pub slope: Estimate,
}

/// Words on the sheet.
pub struct Titles<'a> {
    /// For readers who cannot see the picture.
    pub picture: &'a str,
    pub across: &'a str,
    pub up: &'a str,
}

/// Draws the groups, all of whose numbers are finite; `None` with fewer than two.
///
/// # Errors
/// As plots have them.
pub fn draw(
    groups: &[Group],
    line: Option<&Line>,
    titles: &Titles<'_>,
) -> Result<Option<Svg>, DrawError> {
    if groups.len() < 2 {
        return Ok(None);
    }
    let members = || groups.iter().flat_map(|group| &group.members);
    let x = PlotAxis::linear(members().map(|member| member.0).chain([0.0]), 9);
    let ends = members().flat_map(|(_, of)| [of.low, of.value, of.high]);
    let y = PlotAxis::linear(ends.chain([0.0]), 7);
    let (wide, high) = SIZE;
    let picture = canvas::draw(wide, high, titles.picture, |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text(titles.up, (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text(titles.across, (wide - 8.0, high - 8.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 16.0), (wide, high - 34.0));
        let mut chart = frame::chart(&area, &x, &y)?;
        if let Some(line) = line {
            draw_line(&mut chart, line, &x, &y)?;
        }
        let place = |x: f64, y: f64| frame::on_canvas(&chart, x, y);
        let zero = [place(x.low, 0.0), place(x.high, 0.0)];
        canvas.line(zero[0], zero[1], &MUTED, 1.25)?;
        let intervals = draw_members(canvas, groups, &place)?;
        let named: Vec<Named<'_>> = groups.iter().filter_map(|of| of.named(&place)).collect();
        for point in &named {
            canvas.marker(point.at, point.style, 5.5)?;
        }
        let room = Room { edges: (zero[0].0, zero[1].0), bottom: high - 44.0 };
        labels::draw(canvas, &named, &intervals, room)
    })?;
    Ok(Some(picture))
}

impl Group {
    /// At the mean of the members.
    fn named(&self, place: &impl Fn(f64, f64) -> (f64, f64)) -> Option<Named<'_>> {
        let count = self.members.len() as f64;
        let x = self.members.iter().map(|member| member.0).sum::<f64>() / count;
        let y = self.members.iter().map(|member| member.1.value).sum::<f64>() / count;
        let Self { label, style, .. } = self;
        (count > 0.0).then(|| Named { name: label, style: *style, at: place(x, y) })
    }
}

/// Rings over their intervals, which are returned.
fn draw_members(
    canvas: &Canvas,
    groups: &[Group],
    place: &impl Fn(f64, f64) -> (f64, f64),
) -> Result<Vec<Stroke>, DrawError> {
    let members = || {
        groups
            .iter()
            .flat_map(|group| group.members.iter().map(move |member| (group.style, member)))
    };
    let mut intervals = Vec::new();
    for (style, (x, of)) in members() {
        let interval = [place(*x, of.low), place(*x, of.high)];
        canvas.line(interval[0], interval[1], &style.colour, 0.75)?;
        intervals.push(interval);
    }
    for (style, (x, of)) in members() {
        canvas.ring(place(*x, of.value), style, 3.0)?;
    }
    Ok(intervals)
}

/// Line and band, cut where they leave the chart.
fn draw_line(chart: &mut Chart, line: &Line, x: &PlotAxis, y: &PlotAxis) -> Drawn {
    let steps = (0..=STEPS).map(|step| step as f64 / STEPS as f64);
    let across: Vec<f64> = steps.map(|share| x.low + share * (x.high - x.low)).collect();
    let height = |slope: f64, at: f64| line.through.1 + slope * (at - line.through.0);
    let edge = |choose: fn(f64, f64) -> f64| -> Vec<(f64, f64)> {
        let of = |&at: &f64| {
            let [low, high] = [line.slope.low, line.slope.high].map(|slope| height(slope, at));
            (at, choose(low, high).clamp(y.low, y.high))
        };
        across.iter().map(of).collect()
    };
    frame::band(chart, &edge(f64::min), &edge(f64::max), MUTED, 0.10)?;
    let middle = across.iter().map(|&at| (at, height(line.slope.value, at)));
    let inside = middle.filter(|(_, height)| (y.low..=y.high).contains(height));
    chart.draw_series(LineSeries::new(inside, stroke(&INK, 1.25)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(label: &str, members: &[(f64, f64)]) -> Group {
        let around = |&(x, y): &(f64, f64)| (x, Estimate::symmetric(y, 15.0));
        let members = members.iter().map(around).collect();
        Group { label: label.to_owned(), style: Style::nth(0), members }
    }

    const TITLES: Titles<'static> = Titles { picture: "scatter", across: "loss", up: "Elo" };

    #[test]
    fn every_member_has_a_ring_and_every_group_a_name() {
        let groups = [group("ALL", &[(0.1, 0.0), (-0.1, 0.0)]), group("PV", &[(-4.0, 31.0)])];
        let svg = draw(&groups, None, &TITLES).unwrap().unwrap().standalone();
        assert!(svg.contains("ALL") && svg.contains("PV"), "{svg}");
        // A ring is two circles, a marker of the first style is two more.
        assert_eq!(svg.matches("<circle").count(), 3 * 2 + 2 * 2);
    }

    #[test]
    fn steep_lines_stay_inside() {
        let groups = [group("ALL", &[(0.0, 0.0)]), group("PV", &[(4.0, 31.0)])];
        let line = Line { through: (2.0, 15.0), slope: Estimate::symmetric(500.0, 900.0) };
        let svg = draw(&groups, Some(&line), &TITLES).unwrap().unwrap().standalone();
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn one_group_is_no_comparison() {
        assert_eq!(draw(&[group("ALL", &[(0.0, 0.0)])], None, &TITLES).unwrap(), None);
    }
}
