//! Games of every two sets: a square table where sets met each other, besides the plain list.

use super::lineup::Lineup;
use super::model::{Report, SetPairing};
use crate::unique::unique;
use arena::Limit;
use report::Format::{self, Count, Percent, Signed, Text};
use report::plot::theme::Style;
use report::{Column, CrossScore, CrossTable, Part, Section, Table};

/// `None` if nothing was played.
pub(super) fn section(report: &Report, lineup: &Lineup<'_>) -> Option<Section> {
    let mut parts: Vec<Part> = crosses(report, lineup).into_iter().map(Part::Cross).collect();
    let pairings = Part::Table(table(report));
    parts.push(match parts.is_empty() {
        true => pairings,
        false => Part::Folded { summary: "All pairings".to_owned(), parts: vec![pairings] },
    });
    (!report.games.is_empty()).then(|| Section::new("games", "Games", parts))
}

/// A row for each pair of sets and limit, and one for the price of time.
fn table(report: &Report) -> Table {
    Table::of("games", "Games", report.games.iter().chain(&report.price_games))
        .column(Column::new("first", "first", Text), |it| &it.first)
        .column(Column::new("second", "second", Text), |it| &it.second)
        .column(Column::new("limit", "", Text).for_programs(), |it| it.limit.slug())
        .column(Column::new("limit", "limit", Text).for_people(), |it| it.limit.to_string())
        .column(Column::new("wins", "wins", Count).means("Of the first"), |it| it.games.wins)
        .column(Column::new("draws", "draws", Count), |it| it.games.draws)
        .column(Column::new("losses", "losses", Count), |it| it.games.losses)
        .column(Column::new("score", "points", Percent(1)).for_people(), |it| it.games.score())
        .column(Column::estimate("elo", "Elo", Signed(1)), |it| it.pairs.elo())
        .column(
            Column::new("pairs", "pairs 0 · ½ · 1 · 1½ · 2", Format::PAIRS)
                .means("Pairs of games by the points of the first"),
            |it| it.pairs.counts,
        )
        .column(Column::new("duplicates", "repeated", Count).means("Duplicate games"), |it| {
            it.duplicates
        })
        .column(Column::new("forfeits", "forfeits", Count), |it| it.forfeits)
        .table()
}

/// One for each limit with games between two sets other than the reference; a gauntlet against
/// the reference needs none.
fn crosses(report: &Report, lineup: &Lineup<'_>) -> Vec<CrossTable> {
    let is_between_others =
        |game: &&SetPairing| ![&game.first, &game.second].contains(&&report.reference);
    let limits = unique(report.games.iter().filter(is_between_others).map(|game| game.limit));
    limits.into_iter().map(|limit| cross(report, lineup, limit)).collect()
}

fn cross(report: &Report, lineup: &Lineup<'_>, limit: Limit) -> CrossTable {
    let games: Vec<&SetPairing> = report.games.iter().filter(|game| game.limit == limit).collect();
    // The reference may come from elsewhere.
    let played = games.iter().flat_map(|game| [game.first.as_str(), &game.second]);
    let mut names = unique(lineup.entries.iter().map(|it| it.label.as_str()).chain(played));
    names.retain(|name| games.iter().any(|game| game.first == *name || game.second == *name));
    let named = |name: &str| -> (String, Style) { (name.to_owned(), lineup.style_of(name)) };
    CrossTable {
        title: limit.to_string(),
        caption: "Row against column: share of the points, and Elo with the 95 % interval of the \
                  games alone."
            .to_owned(),
        ..CrossTable::of(&names, named, |row, column| score(&games, row, column))
    }
}

fn score(games: &[&SetPairing], row: &str, column: &str) -> Option<CrossScore> {
    games.iter().find_map(|game| {
        let score = CrossScore { share: game.games.score()?, elo: game.pairs.elo() };
        match (game.first.as_str(), game.second.as_str()) {
            names if names == (row, column) => Some(score),
            names if names == (column, row) => Some(score.turned()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;

    #[test]
    fn the_table_is_skew_symmetric() {
        let report = demo::report();
        let tables = crosses(&report, &Lineup::of(&report));
        assert_eq!(tables.len(), 1, "the demo has a round robin at one limit");
        let size = tables[0].players.len();
        let mut meetings = 0;
        for row in 0..size {
            assert_eq!(tables[0].cells[row][row], None);
            for column in 0..size {
                let there = tables[0].cells[row][column];
                let back = tables[0].cells[column][row];
                assert_eq!(there.is_some(), back.is_some());
                if let (Some(there), Some(back)) = (there, back) {
                    assert!((there.share + back.share - 1.0).abs() < 1e-9, "{there:?} + {back:?}");
                    assert_eq!(there.elo.map(|elo| elo.negated()), back.elo);
                    meetings += 1;
                }
            }
        }
        assert!(meetings > 0);
    }

    #[test]
    fn games_hold_every_pairing() {
        let report = demo::report();
        let rows = report::render::json::rows(&table(&report));
        assert_eq!(rows.len(), report.games.len() + 1);
        let all = report.games.iter().chain(&report.price_games);
        for (pairing, row) in all.zip(&rows) {
            assert_eq!(row["second"], pairing.second);
            assert_eq!(row["wins"], pairing.games.wins);
            assert_eq!(row["limit"], pairing.limit.slug());
            assert_eq!(row["pairs"], serde_json::json!(pairing.pairs.counts));
        }
    }

    #[test]
    fn a_gauntlet_needs_no_square_table() {
        let mut report = demo::report();
        let reference = report.reference.clone();
        report.games.retain(|game| game.first == reference || game.second == reference);
        assert!(!report.games.is_empty());
        assert!(crosses(&report, &Lineup::of(&report)).is_empty());
    }
}
