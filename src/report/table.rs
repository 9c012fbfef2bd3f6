//! The result table for a terminal, shown when a run ends.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets::UTF8_HORIZONTAL_ONLY};

use super::columns::{self, Column};
use super::lineup::Lineup;
use super::model::Report;
use super::summary;

/// The results, strongest set first, `width` characters wide at most (`None`:
/// as wide as it needs), followed by the findings. Measures that no set has
/// take no column.
pub fn results(report: &Report, width: Option<u16>) -> String {
    let lineup = Lineup::of(report);
    let columns = columns::of(report, &lineup);
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        table.set_width(width);
    }
    table.set_header(["feature set"].into_iter().chain(columns.iter().map(|c| c.title.as_str())));
    for (row, entry) in lineup.entries.iter().enumerate() {
        let name = Cell::new(super::plot::text::clean(&entry.label));
        let numbers = columns.iter().map(|column| cell(column, row));
        table.add_row([name].into_iter().chain(numbers).collect::<Vec<_>>());
    }
    let mut out = format!("{table}\n");
    for finding in summary::findings(report) {
        out.push_str(&format!("{} {} {}\n", finding.mark(), finding.subject, finding.text));
    }
    out.push_str(&format!("{}\n", report.spread));
    for warning in &report.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    out
}

fn cell(column: &Column, row: usize) -> Cell {
    let value = &column.values[row];
    let text = match value.verdict {
        Some(verdict) => format!("{} {}", value.text, summary::mark(verdict)),
        None => value.text.clone(),
    };
    Cell::new(text).set_alignment(CellAlignment::Right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::demo;

    #[test]
    fn every_set_is_named_and_intervals_are_shown() {
        let report = demo::report();
        let text = results(&report, None);
        for set in &report.sets {
            assert!(text.contains(&set.label()), "{} is missing:\n{text}", set.label());
        }
        assert!(text.contains('±'), "{text}");
        assert!(text.contains("Elo, 1,000 nodes"), "{text}");
    }

    #[test]
    fn it_keeps_to_the_terminal() {
        let report = demo::report();
        let lineup_lines = |text: &str| {
            let table_end = text.rfind('─').unwrap_or(0);
            text[..table_end].lines().map(|line| line.chars().count()).max()
        };
        assert!(lineup_lines(&results(&report, Some(100))).is_some_and(|wide| wide <= 100));
    }
}
