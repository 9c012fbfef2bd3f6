//! The tables of a suite of puzzles; ratings and themes have a column for each player.

use crate::puzzles::{Paired, Proportion, RatingBucket};
use report::Format::{Count, Fixed, Id, PValue, Percent, Points, Seconds, Text};
use report::{Cell, Column, Table, TableOf};

use super::{OutcomeRow, PlayerRow, PuzzleReport, difference, rating, share};

/// `60 of 60`.
fn counted(of: Proportion) -> String {
    format!("{} of {}", of.successes, of.trials)
}

pub(super) fn players(report: &PuzzleReport) -> Table {
    let programs = |key: &str| Column::new(key, "", Count).for_programs();
    let people = |title: &str| Column::new("", title, Text).for_people();
    let rows: Vec<(usize, &PlayerRow)> = report.players.iter().enumerate().collect();
    Table::of("players", "Results", rows)
        .column(Column::new("player", "player", Text), |(_, it)| &it.name)
        .column(Column::new("fingerprint", "", Text).for_programs(), |(_, it)| &it.fingerprint)
        .column(programs("puzzles"), |(_, it)| it.summary.solved.trials)
        .column(people("puzzles solved"), |(_, it)| counted(it.summary.solved))
        .column(
            Column::estimate("solved", "share", Percent(1))
                .means("All moves correct; any mate is correct"),
            |(_, it)| share(it.summary.solved),
        )
        .column(
            Column::estimate("moves_found", "moves found", Percent(1)).means(
                "Share of all moves of the solutions; after a wrong move the solution is played \
                 and the puzzle continues",
            ),
            |(_, it)| share(it.summary.moves),
        )
        .column(
            Column::estimate("puzzle_rating", "puzzle rating", Fixed(0)).means(
                "Maximum-likelihood rating of these results, for comparison on the same \
                 puzzles",
            ),
            |(_, it)| it.summary.rating.map(rating),
        )
        .column(Column::new("seconds", "time", Seconds).rounded(3), |(_, it)| it.seconds)
        .column(programs("unrated"), |(_, it)| it.summary.unrated.trials)
        .column(programs("unrated_solved"), |(_, it)| it.summary.unrated.successes)
        .swatches(|(place, _)| report.style(place))
        .caption(
            "Solved: all moves correct; any mate is correct. Moves found: share of all moves of the \
             solutions; after a wrong move the solution is played and the puzzle continues. Puzzle \
             rating: maximum-likelihood rating of these results, for comparison on the same \
             puzzles. 95 % intervals.",
        )
        .notes(report.search_note().into_iter().collect())
        .summary()
        .table()
}

/// The paired test of every player after the first against it.
pub(super) fn pairs(report: &PuzzleReport) -> Table {
    let against = report.players.first().map_or("", |first| &first.name);
    let compared: Vec<(&PlayerRow, &Paired)> = report.compared().collect();
    Table::of("pairs", "The same puzzles, two players", compared)
        .column(Column::new("", "pair", Text).for_people(), |(player, _)| {
            format!("{} − {against}", player.name)
        })
        .column(Column::new("player", "", Text).for_programs(), |(player, _)| &player.name)
        .column(Column::new("against", "", Text).for_programs(), |_| against)
        .column(Column::new("both", "both", Count), |(_, it)| it.both)
        .column(Column::new("only_player", "only first", Count), |(_, it)| it.first_only)
        .column(Column::new("only_against", "only second", Count), |(_, it)| it.second_only)
        .column(Column::new("neither", "neither", Count), |(_, it)| it.neither)
        .column(Column::estimate("difference", "difference", Points), |(_, it)| {
            Cell::judged(difference(it))
        })
        .column(Column::new("p_value", "p", PValue), |(_, it)| it.p_value())
        .caption(
            "McNemar's test, two-sided: only puzzles that exactly one of the players solved count. \
             Differences are in percentage points with their 95 % interval.",
        )
        .summary()
        .table()
}

/// Shares by range of ratings.
pub(super) fn ratings(report: &PuzzleReport) -> Table {
    let buckets = report.players.first().map_or(&[][..], |first| &first.summary.by_rating);
    let to = |bucket: &RatingBucket| bucket.from + RatingBucket::WIDTH;
    let rows: Vec<(usize, &RatingBucket)> = buckets.iter().enumerate().collect();
    let table = Table::of("ratings", "Shares by rating", rows)
        .column(Column::new("", "rating", Text).for_people(), |(_, it)| {
            format!("{}–{}", it.from, to(it) - 1)
        })
        .column(Column::new("rating_from", "", Id).for_programs(), |(_, it)| it.from)
        .column(Column::new("rating_to", "", Id).for_programs(), |(_, it)| to(it))
        .column(Column::new("puzzles", "puzzles", Count), |(_, it)| it.solved.trials);
    // All players have the same puzzles, and so the same ranges.
    by_player(table, report, |player, (at, _)| Some(player.summary.by_rating.get(at)?.solved))
}

/// Shares by theme.
pub(super) fn themes(report: &PuzzleReport) -> Table {
    let themes = report.players.first().map_or(&[][..], |first| &first.summary.by_theme);
    let rows: Vec<(usize, &(String, Proportion))> = themes.iter().enumerate().collect();
    let table = Table::of("themes", "Shares by theme", rows)
        .column(Column::new("theme", "theme", Text), |(_, (theme, _))| theme)
        .column(Column::new("puzzles", "puzzles", Count), |(_, (_, of))| of.trials);
    by_player(table, report, |player, (at, _)| Some(player.summary.by_theme.get(at)?.1))
}

/// With the share of each player, and for programs the puzzles solved.
fn by_player<R: Copy>(
    table: TableOf<R>,
    report: &PuzzleReport,
    solved: impl Fn(&PlayerRow, R) -> Option<Proportion>,
) -> Table {
    let with = |table: TableOf<R>, player: &PlayerRow| {
        let key = |what: &str| format!("{what} {}", player.name);
        table
            .column(Column::new(key("solved"), "", Count).for_programs(), |row| {
                solved(player, row).map(|of| of.successes)
            })
            .column(Column::estimate(key("share"), &player.name, Percent(1)), |row| {
                solved(player, row).and_then(share)
            })
    };
    report.players.iter().fold(table, with).summary().table()
}

/// Every puzzle, with the solver moves of each player and those found.
pub(super) fn outcomes(report: &PuzzleReport) -> Table {
    let mut table = Table::of("outcomes", "Outcomes", &report.outcomes)
        .column(Column::new("puzzle", "", Text), |row| &row.id)
        .column(Column::new("rating", "", Id), |row| row.rating);
    for (place, player) in report.players.iter().enumerate() {
        let key = |what: &str| format!("{} {what}", player.name);
        let of = |row: &OutcomeRow| row.moves.get(place).copied();
        table = table
            .column(Column::new(key("moves"), "", Count), |row| of(row).map(|it| it.0))
            .column(Column::new(key("found"), "", Count), |row| of(row).map(|it| it.1));
    }
    table.table()
}
