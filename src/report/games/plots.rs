//! The pictures of a page: how a test went, how Elo settled, where players stand.

use plotters::series::LineSeries;

use super::{CoursePoint, GamesReport, TestCurve};
use crate::figure::Figure;
use crate::plot::axis::Axis;
use crate::plot::canvas::{self, Anchor, font, stroke};
use crate::plot::rows::{self, Cell, Panel, Row};
use crate::plot::theme::{INK, MUTED, Style};
use crate::plot::{DrawError, Svg, frame};
use base::estimate::Estimate;
use base::format::grouped;

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 340.0;

/// Pictures that the report has numbers for.
pub(super) fn of(report: &GamesReport) -> Result<Vec<Figure>, DrawError> {
    let mut figures = Vec::new();
    if let Some(test) = report.test.as_ref().filter(|test| test.points.len() > 1) {
        figures.push(Figure {
            id: "llr".into(),
            title: "How the test went".into(),
            caption: format!(
                "Log-likelihood ratio after each pair of games. {}. The match ends where the line \
                 leaves the band between the dashed bounds: above, H1 is accepted, below, H0.",
                test.question
            ),
            svg: llr(test)?,
        });
    }
    if report.course.len() > 1 {
        figures.push(Figure {
            id: "course".into(),
            title: "How Elo settled".into(),
            caption: "Elo of the first player after ever more pairs, with its 95 % interval from \
                      those pairs. Looking at it until it says what one likes is not a test."
                .into(),
            svg: course(&report.course)?,
        });
    }
    if report.players.len() > 2 {
        figures.push(Figure {
            id: "ratings".into(),
            title: "Ratings with their intervals".into(),
            caption:
                "Maximum likelihood over all games, with 95 % intervals from a bootstrap over \
                      openings."
                    .into(),
            svg: ratings(report)?,
        });
    }
    Ok(figures)
}

fn llr(test: &TestCurve) -> Result<Svg, DrawError> {
    let (low, high) = test.bounds;
    let values = test.points.iter().map(|&(_, llr)| llr).chain([low, high, 0.0]);
    let y = Axis::linear(values, 7);
    let points: Vec<(f64, f64)> = test.points.iter().map(|&(x, llr)| (x as f64, llr)).collect();
    canvas::draw(WIDTH, HEIGHT, "Log-likelihood ratio", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("LLR", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("pairs", (WIDTH - 6.0, HEIGHT - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let x = Axis::linear(points.iter().map(|point| point.0), 8).within(0.0, f64::INFINITY);
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

fn course(course: &[CoursePoint]) -> Result<Svg, DrawError> {
    // The first few pairs say anything; their intervals would press the rest flat.
    let total = course.last().map_or(0, |point| point.pairs);
    let shown: Vec<&CoursePoint> =
        course.iter().filter(|point| point.elo.is_bounded() && point.pairs * 20 >= total).collect();
    let ends = shown.iter().flat_map(|point| [point.elo.low, point.elo.high]).chain([0.0]);
    let (x, y) = (
        Axis::linear(shown.iter().map(|point| point.pairs as f64), 8).within(0.0, f64::INFINITY),
        Axis::linear(ends, 7),
    );
    canvas::draw(WIDTH, HEIGHT, "Elo after ever more pairs", |canvas| {
        let muted = font(11.0, &MUTED, false);
        canvas.text("Elo", (10.0, 9.0), &muted, Anchor::Left)?;
        canvas.text("pairs", (WIDTH - 6.0, HEIGHT - 7.0), &muted, Anchor::Right)?;
        let area = canvas.part((0.0, 14.0), (WIDTH, HEIGHT - 28.0));
        let mut chart = frame::chart(&area, &x, &y)?;
        let colour = Style::nth(0).colour;
        let edge = |end: fn(&Estimate) -> f64| -> Vec<(f64, f64)> {
            shown.iter().map(|point| (point.pairs as f64, end(&point.elo))).collect()
        };
        frame::band(&mut chart, &edge(|elo| elo.low), &edge(|elo| elo.high), colour, 0.18)?;
        let zero = [x.low, x.high].map(|pairs| frame::on_canvas(&chart, pairs, 0.0));
        canvas.dashes(zero[0], zero[1], &MUTED, 1.25)?;
        let values = shown.iter().map(|point| (point.pairs as f64, point.elo.value));
        chart.draw_series(LineSeries::new(values, stroke(&colour, 1.75)))?;
        if let Some(last) = shown.last() {
            let end = frame::on_canvas(&chart, last.pairs as f64, last.elo.value);
            canvas.marker(end, Style::nth(0), 4.0)?;
        }
        Ok(())
    })
}

fn ratings(report: &GamesReport) -> Result<Svg, DrawError> {
    let ends = report.players.iter().flat_map(|player| [player.elo.low, player.elo.high]);
    let cells = report.players.iter().map(|player| Cell::Measured {
        estimate: player.elo,
        seeds: Vec::new(),
        text: player.elo.signed(),
    });
    let panel = Panel {
        title: format!("Elo, {} games", grouped(games(report))),
        unit: "Elo".to_owned(),
        from_zero: false,
        axis: Axis::linear(ends, 7),
        cells: cells.collect(),
    };
    let players = report.players.iter().enumerate();
    let heads: Vec<Row> = players
        .map(|(i, player)| Row { label: player.name.clone(), style: Style::nth(i) })
        .collect();
    rows::draw("Ratings", &heads, &[panel])
}

/// Games of the whole report.
fn games(report: &GamesReport) -> u64 {
    report.meetings.iter().flat_map(|meeting| meeting.games).sum()
}
