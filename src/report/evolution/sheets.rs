//! The numbers of the page as CSV.

use super::EvolutionReport;
use crate::sheet::{Sheet, ends, triple};

/// One row per method.
pub(super) fn methods(report: &EvolutionReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["method", "seeds", "unit", "spent", "rounds", "seconds", "diversity"];
    let mut head: Vec<String> = head.map(String::from).into();
    head.extend(["with_white", "score_with_white", "score_with_black"].map(String::from));
    head.extend(triple("error"));
    head.extend(triple("error_held_out"));
    for trial in &report.trials {
        head.extend(triple(&format!("elo {trial}")));
        head.push(format!("white {trial}"));
        head.push(format!("games {trial}"));
    }
    sheet.write_record(&head)?;
    for row in &report.methods {
        let mut cells = vec![row.label.clone(), row.seeds.to_string(), row.unit.to_owned()];
        let figures = [row.spent, row.rounds, row.seconds, row.diversity];
        cells.extend(figures.map(|figure| figure.to_string()));
        cells.extend(row.colours.map_or([const { String::new() }; 3], |colours| {
            let [white, black] = colours.scores;
            [colours.with_white, white, black].map(|share| share.to_string())
        }));
        cells.extend(ends(row.errors.map(|errors| errors.judged_by)));
        cells.extend(ends(row.errors.and_then(|errors| errors.held_out)));
        for result in &row.trials {
            cells.extend(ends(result.map(|result| result.elo)));
            let told =
                |result: super::TrialResult| [result.white.to_string(), result.games.to_string()];
            cells.extend(result.map_or([const { String::new() }; 2], told));
        }
        sheet.write_record(&cells)?;
    }
    sheet.finished()
}

/// One row per point of a curve.
pub(super) fn curves(report: &EvolutionReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["quantity", "method", report.unit].map(String::from);
    sheet.write_record(head.into_iter().chain(triple("value")))?;
    for panel in &report.panels {
        for series in &panel.series {
            // Curves of many points are all line.
            let points = if series.points.is_empty() { &series.band } else { &series.points };
            for (spent, value) in points {
                let of_point = [panel.title.clone(), series.label.clone(), spent.to_string()];
                sheet.write_record(of_point.into_iter().chain(ends(Some(*value))))?;
            }
        }
    }
    sheet.finished()
}

/// One row per part of the search.
pub(super) fn ablations(report: &EvolutionReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["part", "evaluation", "games", "nodes", "depth", "nodes_without"];
    sheet.write_record(head.map(String::from).into_iter().chain(triple("elo")))?;
    for ablations in &report.ablations {
        for row in &ablations.rows {
            let numbers = [ablations.games, ablations.nodes, ablations.depth.into()];
            let mut cells = vec![row.part.clone(), ablations.evaluation.clone()];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.push(row.nodes.to_string());
            sheet.write_record(cells.into_iter().chain(ends(row.elo)))?;
        }
    }
    sheet.finished()
}
