//! The course of a match: its test, its Elo, and where the players stand.

use plotters::series::LineSeries;

use super::axis::PlotAxis;
use super::canvas::{self, Anchor, font, stroke};
use super::rows::{self, Panel, PlotCell, PlotRow};
use super::theme::{INK, MUTED, Style};
use super::{DrawError, Svg, frame};
use crate::figure::Figure;
use base::estimate::Estimate;
use base::format::grouped;

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 340.0;

/// A sequential test, pair by pair.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCurve {
    /// `H0: 0, H1: +5 normalised Elo`.
    pub question: String,
    /// LLR at which H0 and H1 are accepted.
    pub bounds: (f64, f64),
    /// Numbers of pairs, with the LLR after them.
    pub points: Vec<(u64, f64)>,
}

/// LLR after each pair; `None` of a test that has not begun.
///
/// # Errors
/// Errors of plotters.
pub fn test(test: &TestCurve) -> Result<Option<Figure>, DrawError> {
    if test.points.len() < 2 {
        return Ok(None);
    }
    Ok(Some(Figure {
        id: "llr".into(),
        title: "Log-likelihood ratio".into(),
        caption: format!(
            "Log-likelihood ratio after each pair of games. {}. The match ends at the dashed \
             bounds: H1 is accepted at the upper one, H0 at the lower one.",
            test.question
        ),
        svg: llr(test)?,
    }))
}

/// Elo over the number of pairs; `None` of fewer than two points.
///
/// # Errors
/// Errors of plotters.
pub fn course(points: &[(u64, Estimate)]) -> Result<Option<Figure>, DrawError> {
    if points.len() < 2 {
        return Ok(None);
    }
    Ok(Some(Figure {
        id: "course".into(),
        title: "Elo pair by pair".into(),
        caption:
            "Elo of the first player over the number of pairs, with the 95 % interval of these \
                  pairs. A match stopped at a high Elo is not a test."
                .into(),
        svg: elo_by_pairs(points)?,
    }))
}

/// Where more than two players stand.
///
/// # Errors
/// Errors of plotters.
pub fn ratings(players: &[(&str, Estimate)], games: u64) -> Result<Option<Figure>, DrawError> {
    if players.len() < 3 {
        return Ok(None);
    }
    Ok(Some(Figure {
        id: "ratings".into(),
        title: "Ratings with their intervals".into(),
        caption: "Maximum likelihood over all games, with 95 % intervals from a bootstrap over \
                  openings."
            .into(),
        svg: standings(players, games)?,
    }))
}

fn llr(test: &TestCurve) -> Result<Svg, DrawError> {
    let (low, high) = test.bounds;
    let values = test.points.iter().map(|&(_, llr)| llr).chain([low, high, 0.0]);
    let y = PlotAxis::linear(values, 7);
    let points: Vec<(f64, f64)> = test.points.iter().map(|&(x, llr)| (x as f64, llr)).collect();
    canvas::draw(WIDTH, HEIGHT, "Log-likelihood ratio", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("LLR", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("pairs", (WIDTH - 6.0, HEIGHT - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let x = PlotAxis::linear(points.iter().map(|point| point.0), 8).within(0.0, f64::INFINITY);
        let mut chart = frame::chart(&area, &x, &y)?;
        for (bound, name) in [(low, "H0"), (high, "H1")] {
            let (from, to) =
                (frame::on_canvas(&chart, x.low, bound), frame::on_canvas(&chart, x.high, bound));
            canvas.dashes(from, to, &MUTED, 1.25)?;
            let style = font(11.0, &INK, true);
            canvas.text(name, (to.0 - 4.0, to.1 - 8.0), &style, Anchor::Right)?;
        }
        let colour = Style::nth(0).colour;
        chart.draw_series(LineSeries::new(points.iter().copied(), stroke(&colour, 1.75)))?;
        if let Some(&(pairs, llr)) = points.last() {
            canvas.marker(frame::on_canvas(&chart, pairs, llr), Style::nth(0), 4.0)?;
        }
        Ok(())
    })
}

fn elo_by_pairs(points: &[(u64, Estimate)]) -> Result<Svg, DrawError> {
    // The first few pairs say anything; their intervals would press the rest flat.
    let total = points.last().map_or(0, |point| point.0);
    let shown: Vec<&(u64, Estimate)> =
        points.iter().filter(|(pairs, elo)| elo.is_bounded() && pairs * 20 >= total).collect();
    let ends = shown.iter().flat_map(|(_, elo)| [elo.low, elo.high]).chain([0.0]);
    let (x, y) = (
        PlotAxis::linear(shown.iter().map(|point| point.0 as f64), 8).within(0.0, f64::INFINITY),
        PlotAxis::linear(ends, 7),
    );
    canvas::draw(WIDTH, HEIGHT, "Elo over the number of pairs", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("Elo", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("pairs", (WIDTH - 6.0, HEIGHT - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let mut chart = frame::chart(&area, &x, &y)?;
        let colour = Style::nth(0).colour;
        let edge = |end: fn(&Estimate) -> f64| -> Vec<(f64, f64)> {
            shown.iter().map(|(pairs, elo)| (*pairs as f64, end(elo))).collect()
        };
        frame::band(&mut chart, &edge(|elo| elo.low), &edge(|elo| elo.high), colour, 0.18)?;
        let zero = [x.low, x.high].map(|pairs| frame::on_canvas(&chart, pairs, 0.0));
        canvas.dashes(zero[0], zero[1], &MUTED, 1.25)?;
        let values = shown.iter().map(|(pairs, elo)| (*pairs as f64, elo.value));
        chart.draw_series(LineSeries::new(values, stroke(&colour, 1.75)))?;
        if let Some((pairs, elo)) = shown.last() {
            let end = frame::on_canvas(&chart, *pairs as f64, elo.value);
            canvas.marker(end, Style::nth(0), 4.0)?;
        }
        Ok(())
    })
}

fn standings(players: &[(&str, Estimate)], games: u64) -> Result<Svg, DrawError> {
    let ends = players.iter().flat_map(|(_, elo)| [elo.low, elo.high]);
    let cells = players.iter().map(|(_, elo)| PlotCell::Measured {
        estimate: *elo,
        seeds: Vec::new(),
        text: elo.signed(),
    });
    let panel = Panel {
        title: format!("Elo, {} games", grouped(games)),
        unit: "Elo".to_owned(),
        from_zero: false,
        axis: PlotAxis::linear(ends, 7),
        cells: cells.collect(),
    };
    let row = |(place, (name, _)): (usize, &(&str, Estimate))| PlotRow {
        label: (*name).to_owned(),
        style: Style::nth(place),
    };
    let heads: Vec<PlotRow> = players.iter().enumerate().map(row).collect();
    rows::draw("Ratings", &heads, &[panel])
}
