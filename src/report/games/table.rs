//! What a terminal shows of a page.

use super::GamesReport;
use super::generations::COLUMNS;
use crate::terminal::{self, Sheet};

/// The generations, if there are any, what the games say, and what to know of them, on lines of
/// so many characters.
pub fn table(report: &GamesReport, width: Option<usize>) -> String {
    let mut text = String::new();
    if !report.generations.is_empty() {
        text += &format!("{}\n", generations(report).fitted(width));
    }
    report.findings.iter().for_each(|finding| text += &format!("· {finding}\n"));
    report.warnings.iter().for_each(|warning| text += &format!("warning: {warning}\n"));
    text
}

fn generations(report: &GamesReport) -> Sheet {
    let mut table = terminal::table(COLUMNS, 2);
    table.add_rows(report.generations.iter().map(|generation| generation.cells()));
    table
}
