//! The pictures: three kinds of Elo side by side, and speed against Elo.

use super::{BalanceReport, BalanceRow};
use crate::estimate::Estimate;
use crate::figure::Figure;
use crate::plot::DrawError;
use crate::plot::axis::Axis;
use crate::plot::cost::{self, Point};
use crate::plot::rows::{self, Cell, Panel, Row};
use crate::plot::theme::Style;

/// Pictures that the report has numbers for.
pub fn of(report: &BalanceReport) -> Result<Vec<Figure>, DrawError> {
    Ok([elo(report)?, speed(report)?].into_iter().flatten().collect())
}

/// The style of a set: the reference grey, the others by their place.
pub fn style(report: &BalanceReport, label: &str) -> Style {
    let place = report.rows.iter().position(|row| row.label == label);
    place.map_or(Style::REFERENCE, Style::nth)
}

fn elo(report: &BalanceReport) -> Result<Option<Figure>, DrawError> {
    type Measure = fn(&BalanceRow) -> Option<Estimate>;
    let measures: [(String, Measure); 3] = [
        (report.node_limit.clone(), |row| row.at_nodes.map(|(elo, _)| elo)),
        ("expected at fixed time".to_owned(), |row| row.expected),
        (report.time_limit.clone(), |row| row.at_time.map(|(elo, _)| elo)),
    ];
    let shown: Vec<_> = measures
        .into_iter()
        .filter(|(_, measure)| report.rows.iter().any(|row| measure(row).is_some()))
        .collect();
    if shown.is_empty() {
        return Ok(None);
    }
    // One axis for all three: they are to be compared.
    let ends = shown.iter().flat_map(|(_, measure)| {
        report.rows.iter().filter_map(measure).flat_map(|elo| [elo.low, elo.high])
    });
    let axis = Axis::linear(ends.chain([0.0]), 5);
    let panels: Vec<Panel> = shown
        .iter()
        .map(|(title, measure)| Panel {
            title: title.clone(),
            unit: format!("Elo over {}", report.reference.label),
            from_zero: false,
            axis: axis.clone(),
            cells: report.rows.iter().map(|row| cell(measure(row))).collect(),
        })
        .collect();
    let heads: Vec<Row> = report
        .rows
        .iter()
        .map(|row| Row { label: row.label.clone(), style: style(report, &row.label) })
        .collect();
    Ok(Some(Figure {
        id: "elo".into(),
        title: "What it brings, and whether it pays".into(),
        caption: format!(
            "Elo over {} with 95 % intervals: at fixed nodes, where only what the net knows \
             counts; as expected at fixed time, from that gain, the cost of a node and the price of \
             time; and as played at fixed time, which decides.",
            report.reference.label
        ),
        svg: rows::draw("Elo at fixed nodes and at fixed time", &heads, &panels)?,
    }))
}

fn cell(elo: Option<Estimate>) -> Cell {
    match elo {
        Some(estimate) => Cell::Measured { estimate, seeds: Vec::new(), text: estimate.signed() },
        None => Cell::Missing,
    }
}

fn speed(report: &BalanceReport) -> Result<Option<Figure>, DrawError> {
    let point = |row: &BalanceRow, elo: Option<Estimate>| {
        let style = style(report, &row.label);
        Some(Point { label: row.label.clone(), style, speed: row.nodes_per_second?, elo })
    };
    let others = report.rows.iter().filter_map(|row| point(row, Some(row.at_nodes?.0)));
    let points: Vec<Point> = point(&report.reference, None).into_iter().chain(others).collect();
    let svg = cost::draw(&points, &format!("Elo, {}", report.node_limit))?;
    Ok(svg.map(|svg| Figure {
        id: "speed".into(),
        title: "Speed against strength".into(),
        caption: "Up is a better evaluation, right is a faster one. All nets followed the same \
                  search tree, so that their times compare node for node."
            .into(),
        svg,
    }))
}
