//! What a terminal shows of a page.

use comfy_table::{CellAlignment, Table, presets};

use super::GamesReport;
use super::generations::COLUMNS;

/// The generations, if there are any, what the games say, and what to know of them.
pub fn table(report: &GamesReport) -> String {
    let mut text = String::new();
    if !report.generations.is_empty() {
        text += &format!("{}\n", generations(report));
    }
    report.findings.iter().for_each(|finding| text += &format!("· {finding}\n"));
    report.warnings.iter().for_each(|warning| text += &format!("warning: {warning}\n"));
    text
}

fn generations(report: &GamesReport) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_header(COLUMNS);
    report.generations.iter().for_each(|generation| {
        table.add_row(generation.cells());
    });
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
