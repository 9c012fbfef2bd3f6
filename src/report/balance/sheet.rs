//! All numbers of a comparison as CSV.

use super::{BalanceReport, BalanceRow};
use crate::estimate::Estimate;
use base::format::ascii;

/// The file.
pub const NAME: &str = "balance.csv";

/// Measures that have an interval: a column's name and how to find it.
type Measure = (&'static str, usize, fn(&BalanceRow) -> Option<Estimate>);

/// With the number of their decimals.
const MEASURES: [Measure; 8] = [
    ("elo_nodes", 2, |row| row.at_nodes.map(|(elo, _)| elo)),
    ("elo_time", 2, |row| row.at_time.map(|(elo, _)| elo)),
    ("elo_time_expected", 2, |row| row.expected),
    ("cost", 4, |row| row.cost),
    ("nodes_per_second", 0, |row| row.nodes_per_second),
    ("puzzles_solved", 4, |row| row.puzzles),
    ("puzzle_lead", 4, |row| row.puzzle_lead),
    ("validation_loss", 12, |row| row.validation_loss),
];

/// One line a set, the reference first; what was not measured is left empty.
pub fn of(report: &BalanceReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["set".to_owned(), "nets".to_owned()];
    for (name, _, _) in MEASURES {
        header.extend(["", "_low", "_high"].map(|end| format!("{name}{end}")));
    }
    let last = ["games_nodes", "games_time", "rows_per_node", "refreshed_rows_per_node", "verdict"];
    header.extend(last.map(str::to_owned));
    sheet.write_record(&header)?;
    for row in std::iter::once(&report.reference).chain(&report.rows) {
        sheet.write_record(line(row))?;
    }
    sheet.into_inner().map_err(|error| error.into_error().into())
}

fn line(row: &BalanceRow) -> Vec<String> {
    let mut line = vec![row.label.clone(), row.nets.to_string()];
    for (_, decimals, measure) in MEASURES {
        let ends = measure(row).map(|estimate| [estimate.value, estimate.low, estimate.high]);
        let number = |end: f64| match end.is_finite() {
            true => ascii(end, decimals),
            false => String::new(),
        };
        line.extend(ends.map_or_else(Default::default, |ends| ends.map(number)));
    }
    let games = |played: Option<(Estimate, u64)>| played.map(|(_, games)| games.to_string());
    let rows = |rows: Option<f64>| rows.map(|rows| format!("{rows:.3}"));
    let last = [
        games(row.at_nodes),
        games(row.at_time),
        rows(row.rows_per_node),
        rows(row.refreshed_rows_per_node),
        Some(row.verdict.clone()),
    ];
    line.extend(last.map(Option::unwrap_or_default));
    line
}
