//! Learning curves: something measured at several numbers of positions, and where its curve
//! goes on.

use plotters::series::{DashedLineSeries, LineSeries};

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, Canvas, Drawn, NAME_INDENT, font, stroke, sub};
use super::frame::{self, Chart};
use super::text::{fit, width};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};
use base::estimate::Estimate;

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 300.0;
const TITLE: f64 = 12.5;
/// From the top of a panel to its axes, without a remark.
const HEAD: f64 = 22.0;
/// Line of a remark.
const REMARK: f64 = 16.0;
const LABEL: f64 = 12.0;
const LABEL_STEP: f64 = 16.0;
const NOTE: f64 = 10.0;
/// From the middle of a point to its text, up and to the right.
const NOTE_OFFSET: (f64, f64) = (7.0, -6.0);
/// Room for the end of the line that ties a name to its curve.
const LABEL_LEFT: f64 = 5.0;

/// One quantity of all sets over the number of their positions.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningPanel {
    pub title: String,
    /// A line under the title; empty without one.
    pub remark: String,
    /// Its unit; of a quantity with one, 0 is drawn too.
    pub unit: String,
    /// Title of the horizontal axis.
    pub across: String,
    pub series: Vec<CurveSeries>,
}

/// One set's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveSeries {
    /// The set, without the number of its positions.
    pub label: String,
    /// Measurements by the number of different positions.
    pub points: Vec<(f64, Estimate)>,
    /// Texts at the points, in their order; empty without any.
    pub notes: Vec<String>,
    /// The curve through them, and beyond; empty if there is none.
    pub band: Vec<(f64, Estimate)>,
}

/// One panel below the other; `style` says how a series is drawn, `picture` is for readers who
/// cannot see it.
///
/// # Errors
/// As plots have them.
pub fn draw(
    picture: &str,
    panels: &[LearningPanel],
    style: impl Fn(&str) -> Style,
) -> Result<Svg, DrawError> {
    let labels = panels.iter().flat_map(|panel| &panel.series);
    let longest = labels.map(|series| width(&series.label, LABEL)).fold(0.0, f64::max);
    let names = (longest + LABEL_LEFT + NAME_INDENT + 4.0).clamp(90.0, 290.0);
    let most = panels.iter().map(|panel| panel.series.len()).max().unwrap_or(0);
    let height = HEIGHT.max(most as f64 * LABEL_STEP + 80.0);
    let x = PlotAxis::log_if_wide(panels.iter().flat_map(LearningPanel::sizes), 8);
    canvas::draw(WIDTH, height * panels.len() as f64, picture, |canvas| {
        for (i, panel) in panels.iter().enumerate() {
            let top = i as f64 * height;
            draw_panel(canvas, panel, &x, &style, (top, height, names))?;
        }
        Ok(())
    })
}

impl LearningPanel {
    fn sizes(&self) -> impl Iterator<Item = f64> + '_ {
        let of = |series: &CurveSeries| {
            let all = series.points.iter().chain(&series.band);
            all.map(|(positions, _)| *positions).collect::<Vec<_>>()
        };
        self.series.iter().flat_map(of)
    }
}

fn draw_panel(
    canvas: &Canvas,
    panel: &LearningPanel,
    x: &PlotAxis,
    style: &impl Fn(&str) -> Style,
    (top, height, names): (f64, f64, f64),
) -> Drawn {
    let muted = font(11.0, &MUTED, false);
    canvas.text(&panel.title, (10.0, top + 12.0), &font(TITLE, &INK, true), Anchor::Left)?;
    let corner = (WIDTH - names - 6.0, top + height - 9.0);
    canvas.text(&panel.across, corner, &muted, Anchor::Right)?;
    let y = value_axis(panel);
    let mut head = HEAD;
    if !panel.remark.is_empty() {
        canvas.text(&panel.remark, (10.0, top + 12.0 + REMARK), &muted, Anchor::Left)?;
        head += REMARK;
    }
    let area = canvas.part((0.0, top + head), (WIDTH - names, height - head - 18.0));
    let mut chart = frame::chart(&area, x, &y)?;
    for series in &panel.series {
        draw_curve(&mut chart, series, style(&series.label), &y)?;
    }
    for series in &panel.series {
        draw_points(canvas, &chart, series, style(&series.label), &y)?;
        draw_notes(canvas, &chart, series)?;
    }
    draw_names(canvas, &chart, panel, style, (top, height, names))
}

/// Covers measurements and middles of the curves; a band that leaves it is cut.
fn value_axis(panel: &LearningPanel) -> PlotAxis {
    let measured = panel.series.iter().flat_map(|series| &series.points);
    let measured = measured.flat_map(|(_, estimate)| match estimate.is_bounded() {
        true => [estimate.low, estimate.high],
        false => [estimate.value; 2],
    });
    let middles = panel.series.iter().flat_map(|series| &series.band);
    let middles = middles.map(|(_, estimate)| estimate.value);
    let zero = (!panel.unit.is_empty()).then_some(0.0);
    PlotAxis::linear(measured.chain(middles).chain(zero), 6)
}

fn draw_curve(chart: &mut Chart, series: &CurveSeries, style: Style, y: &PlotAxis) -> Drawn {
    let cut = |value: f64| value.clamp(y.low, y.high);
    let edge = |end: fn(&Estimate) -> f64| -> Vec<(f64, f64)> {
        series.band.iter().map(|(at, estimate)| (*at, cut(end(estimate)))).collect()
    };
    frame::band(chart, &edge(|of| of.low), &edge(|of| of.high), style.colour, 0.13)?;
    // A curve without points was measured all along.
    let points = if series.points.is_empty() { &series.band } else { &series.points };
    let last = points.iter().map(|(at, _)| *at).fold(0.0, f64::max);
    let middle: Vec<(f64, f64)> =
        series.band.iter().map(|(at, estimate)| (*at, cut(estimate.value))).collect();
    // The two parts share a point.
    let beyond = middle.iter().position(|(at, _)| *at >= last).unwrap_or(middle.len());
    let measured = middle.iter().take(beyond + 1).copied();
    chart.draw_series(LineSeries::new(measured, stroke(&style.colour, 1.5)))?;
    let thin = stroke(&style.colour, 1.0);
    let predicted = middle.iter().skip(beyond).copied();
    chart.draw_series(DashedLineSeries::new(predicted, sub(4.0), sub(3.5), thin))?;
    Ok(())
}

fn draw_points(
    canvas: &Canvas,
    chart: &Chart,
    series: &CurveSeries,
    style: Style,
    y: &PlotAxis,
) -> Drawn {
    for (positions, estimate) in &series.points {
        let at = |value: f64| frame::on_canvas(chart, *positions, value.clamp(y.low, y.high));
        if estimate.is_bounded() {
            canvas.line(at(estimate.low), at(estimate.high), &style.colour, 1.5)?;
        }
        canvas.marker(at(estimate.value), style, 4.0)?;
    }
    Ok(())
}

fn draw_notes(canvas: &Canvas, chart: &Chart, series: &CurveSeries) -> Drawn {
    for ((across, estimate), note) in series.points.iter().zip(&series.notes) {
        let (x, y) = frame::on_canvas(chart, *across, estimate.value);
        canvas.label(note, (x + NOTE_OFFSET.0, y + NOTE_OFFSET.1), NOTE, Anchor::Left)?;
    }
    Ok(())
}

/// At the ends of the curves, moved apart where they would touch.
fn draw_names(
    canvas: &Canvas,
    chart: &Chart,
    panel: &LearningPanel,
    style: &impl Fn(&str) -> Style,
    (top, height, names): (f64, f64, f64),
) -> Drawn {
    let mut ends: Vec<(&CurveSeries, (f64, f64))> = panel
        .series
        .iter()
        .filter_map(|series| {
            let (positions, estimate) = series.band.last().or(series.points.last())?;
            Some((series, frame::on_canvas(chart, *positions, estimate.value)))
        })
        .collect();
    ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let wanted: Vec<f64> = ends.iter().map(|(_, end)| end.1).collect();
    let heights = super::losses::apart(&wanted, LABEL_STEP, (top + 28.0, top + height - 44.0));
    for ((series, end), label_y) in ends.into_iter().zip(heights) {
        let style = style(&series.label);
        let label_x = WIDTH - names + LABEL_LEFT;
        // In grey: a line in the curve's colour looks like a part of it.
        canvas.line(end, (label_x, label_y), &MUTED, 0.5)?;
        let label = fit(&series.label, LABEL, names - LABEL_LEFT - NAME_INDENT - 2.0);
        canvas.name(&label, (label_x, label_y), LABEL, style)?;
    }
    Ok(())
}
