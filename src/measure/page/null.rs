//! The reference against itself: leads that only seeds make.

use super::model::{NullGames, Report};
use base::format::{counted, fixed};
use report::Format::{Count, Percent, Signed, Text};
use report::{Column, Finding, Mark, Section, Table};

/// `None` without such games.
pub(super) fn section(report: &Report) -> Option<Section> {
    report.null.as_ref().map(|null| Section::from(table(report, null)))
}

fn table(report: &Report, null: &NullGames) -> Table {
    Table::of("null", "The reference against itself", &null.pairings)
        .column(Column::new("first", "first", Text), |it| &it.first)
        .column(Column::new("second", "second", Text), |it| &it.second)
        .column(Column::new("limit", "", Text).for_programs(), |it| it.limit.slug())
        .column(Column::new("limit", "limit", Text).for_people(), |it| it.limit.to_string())
        .column(Column::new("games", "games", Count), |it| 2 * it.pairs.pairs())
        .column(Column::new("score", "points", Percent(1)), |it| it.games.score())
        .column(Column::estimate("elo", "Elo", Signed(1)), |it| it.pairs.elo())
        .caption(format!(
            "Nets of {} that differ in their seed alone, with the games per seed of a set. \
             A lead of this size is no evidence for features.",
            report.reference
        ))
        .table()
}

/// The size of leads that only seeds make, as a remark.
pub(super) fn finding(report: &Report) -> Option<Finding> {
    let null = report.null.as_ref()?;
    let (spread, by_games) = null.spread()?;
    let more = if spread > by_games { "more" } else { "no more" };
    let text = format!(
        "against each other: {} Elo (root mean square of {}), {more} than the noise of the games \
         alone, {}.",
        fixed(spread, 1),
        counted(null.pairings.len() as u64, "pairing"),
        fixed(by_games, 1)
    );
    Some(Finding { mark: Mark::Remark, subject: format!("Seeds of {}", report.reference), text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::SetPairing;
    use crate::page::tests::demo;
    use arena::Pentanomial;

    fn pairing(counts: [u64; 5]) -> SetPairing {
        let names = ["seed 1", "seed 2"].map(str::to_owned);
        SetPairing { pairs: Pentanomial { counts }, ..SetPairing::empty(names, demo::NODES) }
    }

    #[test]
    fn seeds_that_are_alike_differ_by_the_noise_of_the_games() {
        let mut report = demo::report();
        assert_eq!(finding(&report), None);
        let pairings = vec![pairing([10, 40, 100, 50, 10]), pairing([10, 50, 100, 40, 10])];
        report.null = Some(NullGames { pairings });
        let (spread, by_games) = report.null.as_ref().unwrap().spread().unwrap();
        assert!((spread - 8.3).abs() < 0.2 && (by_games - 11.0).abs() < 1.0, "{spread} {by_games}");
        let text = finding(&report).unwrap().text;
        assert!(text.contains("2 pairings"), "{text}");
        assert!(section(&report).is_some());
    }

    #[test]
    fn a_net_that_won_every_game_leaves_no_size() {
        let pairings = vec![pairing([0, 0, 0, 0, 50]), pairing([10, 50, 100, 40, 10])];
        assert_eq!(NullGames { pairings }.spread(), None);
    }
}
