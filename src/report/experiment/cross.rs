//! Who played whom: a square table when sets met each other, besides the plain
//! list of pairings.

use super::lineup::Lineup;
use super::model::{Pairing, Report};
use crate::swatch::tint;
use arena::Limit;
use base::estimate::Estimate;
use base::format::{grouped, percentage};

/// All sets against all, under one limit.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossTable {
    pub limit: Limit,
    /// Names of rows and columns.
    pub names: Vec<String>,
    /// `cells[row][column]`: how the row's set did against the column's.
    pub cells: Vec<Vec<Option<Meeting>>>,
}

/// One set's line of a [`CrossTable`].
#[derive(Clone, Copy, Debug)]
pub struct CrossRow<'a> {
    /// Whose results.
    pub name: &'a String,
    /// Against each column.
    pub cells: &'a [Option<Meeting>],
}

impl CrossTable {
    /// Line by line.
    pub fn rows(&self) -> Vec<CrossRow<'_>> {
        self.names.iter().zip(&self.cells).map(|(name, cells)| CrossRow { name, cells }).collect()
    }
}

/// One set's result against another.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// Share of the points, in per cent.
    pub score: String,
    /// Elo with its interval; empty when none was estimated.
    pub elo: String,
    pub games: String,
    /// Background: blue above one half, orange below, deeper further off.
    pub tint: String,
}

/// One table for each limit under which two sets met neither of which is the
/// reference; a gauntlet against the reference needs none.
pub fn tables(report: &Report, lineup: &Lineup) -> Vec<CrossTable> {
    let mut limits: Vec<Limit> = Vec::new();
    for pairing in &report.games {
        let is_gauntlet = [&pairing.first, &pairing.second].contains(&&report.reference);
        if !is_gauntlet && !limits.contains(&pairing.limit) {
            limits.push(pairing.limit);
        }
    }
    limits.into_iter().map(|limit| table(report, lineup, limit)).collect()
}

fn table(report: &Report, lineup: &Lineup, limit: Limit) -> CrossTable {
    let games: Vec<&Pairing> = report.games.iter().filter(|game| game.limit == limit).collect();
    let mut names: Vec<String> = lineup.entries.iter().map(|entry| entry.label.clone()).collect();
    // The reference may come from elsewhere.
    for name in games.iter().flat_map(|game| [&game.first, &game.second]) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.retain(|name| games.iter().any(|game| [&game.first, &game.second].contains(&name)));
    let cells = names
        .iter()
        .map(|row| names.iter().map(|column| meeting(&games, row, column)).collect())
        .collect();
    CrossTable { limit, names, cells }
}

fn meeting(games: &[&Pairing], row: &str, column: &str) -> Option<Meeting> {
    games.iter().find_map(|game| {
        let (score, elo) = match (game.first.as_str(), game.second.as_str()) {
            names if names == (row, column) => (game.score(), game.elo),
            names if names == (column, row) => {
                (1.0 - game.score(), game.elo.map(|elo: Estimate| elo.negated()))
            }
            _ => return None,
        };
        Some(Meeting {
            score: percentage(score, 1),
            elo: elo.map_or(String::new(), |elo| elo.signed()),
            games: grouped(u64::from(game.games())),
            tint: tint(score),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::demo;

    #[test]
    fn the_table_is_skew_symmetric() {
        let report = demo::report();
        let tables = tables(&report, &Lineup::of(&report));
        assert_eq!(tables.len(), 1, "the demo has a round robin at one limit");
        let size = tables[0].names.len();
        let mut meetings = 0;
        for row in 0..size {
            assert_eq!(tables[0].cells[row][row], None);
            for column in 0..size {
                let percent = |cell: &Option<Meeting>| {
                    cell.as_ref()
                        .map(|m| m.score.trim_end_matches(" %").parse::<f64>().expect("a number"))
                };
                let there = percent(&tables[0].cells[row][column]);
                let back = percent(&tables[0].cells[column][row]);
                assert_eq!(there.is_some(), back.is_some());
                if let (Some(there), Some(back)) = (there, back) {
                    assert!((there + back - 100.0).abs() < 0.11, "{there} + {back}");
                    meetings += 1;
                }
            }
        }
        assert!(meetings > 0);
    }

    #[test]
    fn a_gauntlet_needs_no_square_table() {
        let mut report = demo::report();
        let reference = report.reference.clone();
        report.games.retain(|game| game.first == reference || game.second == reference);
        assert!(!report.games.is_empty());
        assert!(tables(&report, &Lineup::of(&report)).is_empty());
    }
}
