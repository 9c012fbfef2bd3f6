//! Agreement of scores and results: mean results by score, and the curve of best fit.

use plotters::element::Circle;
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::Color;

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, font, stroke, sub};
use super::frame;
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;

/// Scores beyond this are not shown, in centipawns: there all games are won.
const LAST: f64 = 1_200.0;

/// Positions with about the same score, from White's side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreClass {
    /// Their mean score.
    pub centipawns: f64,
    /// White's mean points, 0 to 1.
    pub points: f64,
    pub positions: u64,
}

/// Mean points by score as dots, the larger the more positions, and the logistic curve of a scale
/// in centipawns.
pub fn draw(classes: &[ScoreClass], scale: f64) -> Result<Svg, DrawError> {
    let shown = classes.iter().filter(|class| class.centipawns.abs() <= LAST);
    let most = shown.clone().map(|class| class.positions).max().unwrap_or(1) as f64;
    let title = "Results by score";
    canvas::draw(WIDTH, HEIGHT, title, |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("White\u{2019}s points", (10.0, 9.0), &muted, Anchor::Left)?;
        let below = (WIDTH - 8.0, HEIGHT - 7.0);
        canvas.text("score, centipawns, White\u{2019}s view", below, &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let (x, y) = (PlotAxis::linear([-LAST, LAST], 9), PlotAxis::linear([0.0, 1.0], 6));
        let mut chart = frame::chart(&area, &x, &y)?;
        let zero = [(0.0, 0.0), (0.0, 1.0)].into_iter();
        let faint = stroke(&MUTED, 1.0);
        chart.draw_series(DashedLineSeries::new(zero, sub(4.0), sub(3.5), faint))?;
        let scores = (-120..=120).map(|step| f64::from(step) * LAST / 120.0);
        let curve = scores.map(|score| (score, 1.0 / (1.0 + (-score / scale).exp())));
        chart.draw_series(LineSeries::new(curve, stroke(&INK, 1.5)))?;
        let colour = Style::nth(0).colour;
        chart.draw_series(shown.map(|class| {
            let radius = 1.5 + 4.5 * (class.positions as f64 / most).sqrt();
            Circle::new((class.centipawns, class.points), sub(radius), colour.filled())
        }))?;
        let curve = format!("1 / (1 + exp(\u{2212}score / {scale:.0}))");
        canvas.text(&curve, (WIDTH - 20.0, HEIGHT - 70.0), &font(13.0, &INK, false), Anchor::Right)
    })
}
