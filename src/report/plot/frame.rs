//! Axes, grid and labels of a plot with two continuous axes.

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::Polygon;
use plotters::series::LineSeries;
use plotters::style::{Color, RGBColor};

use super::DrawError;
use super::axis::PlotAxis;
use super::canvas::{Area, SUBPIXELS, font, stroke, sub};
use super::theme::{GRID, MUTED};

/// plotters' chart over two of our axes.
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<PlotAxis, PlotAxis>>;

/// Room for the labels of the vertical axis, in CSS pixels.
pub const LEFT: f64 = 52.0;
/// Room for half a label of the horizontal axis, which may stand below the end of the chart.
const RIGHT: f64 = 14.0;
/// Room for the labels of the horizontal axis.
pub const BELOW: f64 = 24.0;

/// Draws the axes into `area` and returns the chart over them.
pub fn chart<'a, 'b>(
    area: &'a Area<'b>,
    x: &PlotAxis,
    y: &PlotAxis,
) -> Result<Chart<'a, 'b>, DrawError> {
    let mut chart = ChartBuilder::on(area)
        .margin(sub(6.0))
        .margin_right(sub(RIGHT))
        .set_label_area_size(LabelAreaPosition::Left, sub(LEFT))
        .set_label_area_size(LabelAreaPosition::Bottom, sub(BELOW))
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .label_style(font(11.0, &MUTED, false))
        .bold_line_style(stroke(&GRID, 1.0))
        .axis_style(stroke(&GRID, 1.0))
        .set_all_tick_mark_size(sub(4.0))
        .draw()?;
    Ok(chart)
}

/// Draws a band from `lower` to `upper`, filled as densely as asked. Its edges are lines, since
/// the filling is too faint to be told from the paper.
pub fn band(
    chart: &mut Chart,
    lower: &[(f64, f64)],
    upper: &[(f64, f64)],
    colour: RGBColor,
    density: f64,
) -> Result<(), DrawError> {
    let outline: Vec<(f64, f64)> = lower.iter().chain(upper.iter().rev()).copied().collect();
    chart.draw_series([Polygon::new(outline, colour.mix(density).filled())])?;
    for edge in [lower, upper].into_iter().filter(|_| lower != upper) {
        chart.draw_series(LineSeries::new(edge.iter().copied(), stroke(&colour, 0.5)))?;
    }
    Ok(())
}

/// Where a point of the chart lies on the canvas, in CSS pixels.
pub fn on_canvas(chart: &Chart, x: f64, y: f64) -> (f64, f64) {
    let (x, y) = chart.backend_coord(&(x, y));
    (f64::from(x) / SUBPIXELS, f64::from(y) / SUBPIXELS)
}
