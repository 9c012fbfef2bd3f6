//! The result table for a terminal, shown when a run ends.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, TableComponent,
};

use super::columns::{self, Column};
use super::intervals;
use super::lineup::Lineup;
use super::model::Report;
use super::summary;
use crate::finding;
use base::format::counted;

/// A name may be wrapped to this many characters, a number never.
const NARROWEST_NAME: usize = 20;

/// The results, strongest set first, `width` characters wide at most (`None`:
/// as wide as it needs), followed by the findings. Measures that no set has
/// take no column; where the terminal is too narrow for all of them, the last
/// ones are left to the page, and the table says so.
pub fn results(report: &Report, width: Option<u16>) -> String {
    let lineup = Lineup::of(report);
    let columns = columns::of(report, &lineup);
    let shown = fitting(&columns, &lineup, width);
    let mut out = format!("{}\n", table(&columns[..shown], &lineup, width));
    if shown < columns.len() {
        let missing = counted((columns.len() - shown) as u64, "column");
        out.push_str(&format!("({missing} more in the report; this terminal is narrow)\n"));
    }
    for finding in summary::findings(report) {
        out.push_str(&format!("{} {} {}\n", finding.mark(), finding.subject, finding.text));
    }
    for told in intervals::told(report, &lineup) {
        out.push_str(&format!("{told}\n"));
    }
    for warning in &report.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    out
}

/// How many columns there is room for, beside the names.
fn fitting(columns: &[Column], lineup: &Lineup, width: Option<u16>) -> usize {
    let Some(width) = width.map(usize::from) else { return columns.len() };
    let padding = 3;
    let longest = lineup.entries.iter().map(|entry| entry.label.chars().count()).max();
    let mut used = longest.unwrap_or(0).clamp("feature set".len(), NARROWEST_NAME) + padding;
    let fits = |column: &&Column| {
        used += content_width(column) + padding;
        used <= width
    };
    columns.iter().take_while(fits).count().max(1).min(columns.len())
}

fn content_width(column: &Column) -> usize {
    let cells = (0..column.values.len()).map(|row| text(column, row));
    let lines = heading(column).lines().map(str::to_owned).chain(cells).collect::<Vec<_>>();
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn table(columns: &[Column], lineup: &Lineup, width: Option<u16>) -> Table {
    let mut table = Table::new();
    table
        .load_preset(UTF8_HORIZONTAL_ONLY)
        .remove_style(TableComponent::HorizontalLines)
        .remove_style(TableComponent::MiddleIntersections)
        .set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        table.set_width(width);
    }
    let headings =
        columns.iter().map(|c| Cell::new(heading(c)).set_alignment(CellAlignment::Right));
    table.set_header([Cell::new("feature set")].into_iter().chain(headings));
    for (row, entry) in lineup.entries.iter().enumerate() {
        let name = Cell::new(crate::plot::text::clean(&entry.label));
        let numbers = columns
            .iter()
            .map(|column| Cell::new(text(column, row)).set_alignment(CellAlignment::Right));
        table.add_row([name].into_iter().chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}

/// `Elo, 1,000 nodes` on two lines.
fn heading(column: &Column) -> String {
    column.title.replacen(", ", "\n", 1)
}

fn text(column: &Column, row: usize) -> String {
    let value = &column.values[row];
    match value.verdict {
        Some(verdict) => format!("{} {}", value.text, finding::mark(verdict)),
        None => value.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::demo;

    #[test]
    fn every_set_is_named_and_intervals_are_shown() {
        let report = demo::report();
        let text = results(&report, None);
        for set in &report.sets {
            assert!(text.contains(&set.label()), "{} is missing:\n{text}", set.label());
        }
        for shown in ["+43 ± 14 ▲", "−24 ± 16 ▼", "1,000 nodes", "reference", "rows/node"] {
            assert!(text.contains(shown), "{shown} is missing:\n{text}");
        }
    }

    #[test]
    fn it_keeps_to_the_terminal_without_breaking_numbers() {
        let mut report = demo::report();
        report.sets[1].features =
            "ALL + pair(FILES * PIECES * PIECES) + mirror(KING * ALL)".to_owned();
        for width in [60, 80, 100, 220] {
            let text = results(&report, Some(width));
            let end = text.rfind('─').expect("a table");
            let widest = text[..end].lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|wide| wide <= usize::from(width)), "{width}:\n{text}");
            assert!(text.contains("+41 ± 14 ▲"), "{width}:\n{text}");
            assert_eq!(text.contains("more in the report"), width < 220, "{width}:\n{text}");
        }
    }
}
