//! The plots of a search.

use super::{DiscoveryReport, RoundReport, ScreenedRow};
use crate::figure::Figure;
use crate::plot::axis::Axis;
use crate::plot::cost::{self, Point};
use crate::plot::rows::{self, Cell, Panel, Row};
use crate::plot::theme::Style;
use crate::plot::{DrawError, Svg};
use base::estimate::Estimate;
use base::format::{fixed, grouped};

pub(super) struct Figures {
    /// Elo against speed.
    pub(super) front: Option<Figure>,
    /// What was screened, by round.
    pub(super) screened: Vec<Option<Figure>>,
}

/// Candidates in a plot of a round.
const DRAWN: usize = 20;

pub(super) fn all(report: &DiscoveryReport) -> Result<Figures, DrawError> {
    let rounds = report.rounds.iter().enumerate();
    let screened = rounds.map(|(at, round)| screened(at + 1, round)).collect::<Result<_, _>>()?;
    Ok(Figures { front: front(report)?, screened })
}

fn front(report: &DiscoveryReport) -> Result<Option<Figure>, DrawError> {
    let point = |(at, point): (usize, &super::FrontPoint)| Point {
        label: point.set.clone(),
        style: if at == 0 { Style::REFERENCE } else { Style::nth(at - 1) },
        speed: point.speed,
        elo: point.elo,
    };
    let points: Vec<Point> = report.front.iter().enumerate().map(point).collect();
    let svg = cost::draw(&points, "Elo at fixed nodes")?;
    Ok(svg.map(|svg| Figure {
        id: "front".to_owned(),
        title: "What sets cost and bring".to_owned(),
        caption: format!(
            "Every set that was tested over the board: speed, and Elo over {} at fixed nodes. Of \
             later rounds it is what the round before had won and what the set won over that; \
             tests end when they are clear, so figures lean towards their decisions.",
            report.start
        ),
        svg,
    }))
}

fn screened(number: usize, round: &RoundReport) -> Result<Option<Figure>, DrawError> {
    let drawn = &round.screened[..round.screened.len().min(DRAWN)];
    if drawn.is_empty() {
        return Ok(None);
    }
    let svg = candidates(drawn)?;
    let all = round.screened.len();
    let found = round.screened.iter().filter(|row| row.is_discovery).count();
    Ok(Some(Figure {
        id: format!("screened-{number}"),
        title: format!("What {} leaves unsaid", round.base),
        caption: format!(
            "The first {} of {} candidates, {found} of which are discoveries (coloured): by how \
             much one weight for each of their features lowers the loss on games that were not \
             fitted on, and what they cost for every move.",
            drawn.len(),
            grouped(all as u64)
        ),
        svg,
    }))
}

/// Gains and costs of candidates, a row each; discoveries are coloured.
pub(super) fn candidates(drawn: &[ScreenedRow]) -> Result<Svg, DrawError> {
    let colour = |is_discovery: bool| if is_discovery { Style::nth(0) } else { Style::REFERENCE };
    let rows: Vec<Row> = drawn
        .iter()
        .map(|row| Row { label: row.candidate.clone(), style: colour(row.is_discovery) })
        .collect();
    let measured =
        |estimate: Estimate, text: String| Cell::Measured { estimate, seeds: Vec::new(), text };
    let gains = drawn.iter().flat_map(|row| [row.gain.low, row.gain.high]).chain([0.0]);
    let gain = Panel {
        title: "gain".to_owned(),
        unit: "% of the loss".to_owned(),
        from_zero: true,
        axis: Axis::linear(gains, 5),
        cells: drawn.iter().map(|row| measured(row.gain, fixed(row.gain.value, 2))).collect(),
    };
    let cost = Panel {
        title: "cost".to_owned(),
        unit: "ns a move".to_owned(),
        from_zero: true,
        axis: Axis::linear(drawn.iter().map(|row| row.ns).chain([0.0]), 4),
        cells: drawn
            .iter()
            .map(|row| measured(Estimate::new(row.ns, row.ns, row.ns), grouped(row.ns as u64)))
            .collect(),
    };
    rows::draw("Gains and costs of candidates", &rows, &[gain, cost])
}
