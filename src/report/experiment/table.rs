//! The result table for a terminal, shown when a run ends.

use super::columns::{self, Column};
use super::factors;
use super::intervals;
use super::lineup::Lineup;
use super::model::Report;
use super::summary;
use crate::terminal::{self, Sheet};

/// The results, strongest set first, `width` characters wide at most (`None`:
/// as wide as it needs), followed by the findings. Measures that no set has
/// take no column.
pub fn results(report: &Report, width: Option<usize>) -> String {
    let lineup = Lineup::of(report);
    let columns = columns::of(report, &lineup);
    let mut out = format!("{}\n", table(&columns, &lineup).fitted(width));
    if let Some(factors) = factors::table(report, &lineup) {
        out.push_str(&format!("{}\n{}\n", factors.title, factors.sheet().fitted(width)));
    }
    for finding in summary::findings(report) {
        out.push_str(&format!("{} {} {}\n", finding.mark.sign(), finding.subject, finding.text));
    }
    for told in intervals::told(report, &lineup) {
        out.push_str(&format!("{told}\n"));
    }
    for warning in &report.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    out
}

fn table(columns: &[Column], lineup: &Lineup) -> Sheet {
    let headings = columns.iter().map(heading);
    let mut table = terminal::compact(["feature set".to_owned()].into_iter().chain(headings), 1);
    for (row, entry) in lineup.entries.iter().enumerate() {
        let name = crate::plot::text::clean(&entry.label);
        let numbers = columns.iter().map(|column| column.values[row].marked());
        table.add_row([name].into_iter().chain(numbers));
    }
    table
}

/// `Elo, 1,000 nodes` on two lines.
fn heading(column: &Column) -> String {
    column.title.replacen(", ", "\n", 1)
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
            assert!(widest.is_some_and(|wide| wide <= width), "{width}:\n{text}");
            for part in ["+41 ± 14 ▲", "reference", "rows/node", "ALL + pair("] {
                assert!(text.contains(part), "{part} at {width}:\n{text}");
            }
        }
    }
}
