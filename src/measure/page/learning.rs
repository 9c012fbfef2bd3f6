//! Effect of more positions, set by set.

use super::model::{DataRow, LearningCurves};
use base::Estimate;
use report::Format::{Count, Signed, Text, Words};
use report::{Cell, Column, Mark, Table};

/// A row for each set and number of positions.
pub(super) fn table(curves: &LearningCurves) -> Table {
    let rows = curves.rows.iter().flat_map(|row| {
        let is_largest = |place: usize| place + 1 == row.leads.len();
        row.leads.iter().enumerate().map(move |(place, lead)| (row, *lead, is_largest(place)))
    });
    let verdict = |row: &DataRow| Cell::from(&row.verdict).marked(Mark::from(row.tone));
    type Size<'a> = (&'a DataRow, (f64, Estimate), bool);
    Table::of("learning", "More positions", rows)
        .column(Column::new("set", "feature set", Text), |(row, ..): Size<'_>| row.label.clone())
        .column(
            Column::new("different_positions", "distinct positions", Count),
            |(_, (positions, _), _)| positions as u64,
        )
        .column(Column::new("unit", "unit", Text), |(row, ..)| row.unit)
        .column(
            Column::estimate(
                "lead",
                format!("lead over {} on the same number of positions", curves.reference),
                Signed(1),
            ),
            |(_, (_, lead), _)| lead,
        )
        .column(
            Column::estimate("predicted", "predicted", Signed(1))
                .means("Prediction for the largest size from the smaller ones"),
            |(row, _, is_largest)| row.predicted.filter(|_| is_largest),
        )
        .column(Column::new("verdict", "more positions", Words), |(row, _, is_largest)| {
            is_largest.then(|| verdict(row))
        })
        .caption(caption(curves))
        .table()
}

/// Reliability of the verdicts: number of curves that predicted the largest size.
fn caption(curves: &LearningCurves) -> String {
    let tested: Vec<bool> = curves.rows.iter().filter_map(DataRow::came_true).collect();
    let held = tested.iter().filter(|held| **held).count();
    let accounted = match tested.is_empty() {
        true => "From three sizes on, the largest one tests the curves.".to_owned(),
        false => format!(
            "Back-test: fitted without the largest size, {held} of {} curves predict it \
             within their 95 % interval; the others have no verdict on more positions.",
            tested.len()
        ),
    };
    format!(
        "A lead is over {} trained on the same positions with the same seeds. Curves are extrapolated \
         to a hundred times the largest size. {accounted}",
        curves.reference
    )
}
