//! The tables of a match or a tournament.

use arena::{PairingResult, PlayerId, Ratings, TournamentResult};
use base::Estimate;
use report::Format::{self, Count, Percent, Signed, Text, Words};
use report::plot::games::TestCurve;
use report::plot::theme::Style;
use report::{Cell, Column, CrossScore, CrossTable, Table};

use super::{forfeits, mark, too_many_forfeits};

/// Players from the strongest to the weakest.
pub fn players(result: &TournamentResult, ratings: &Ratings) -> Table {
    let forfeits = forfeits(result);
    let forfeited = |id: PlayerId| {
        let own = &forfeits[id.0];
        (own.total() > 0).then(|| own.to_string())
    };
    let of = |id: PlayerId| &ratings.standings[id.0];
    let reference = &of(ratings.reference).name;
    let ranked: Vec<(usize, PlayerId)> = ratings.ranking().into_iter().enumerate().collect();
    Table::of("players", "Ratings", ranked)
        .column(Column::new("player", "player", Text), |(_, id)| &of(id).name)
        .column(
            Column::estimate("elo", "Elo", Signed(1))
                .means("Maximum likelihood over all games, with its 95 % interval from a bootstrap over openings"),
            |(_, id)| of(id).rating,
        )
        .column(
            Column::estimate("elo_over_reference", format!("Elo over {reference}"), Signed(1))
                .means("From the direct games alone"),
            |(_, id)| of(id).direct,
        )
        .column(Column::new("score", "points", Percent(1)), |(_, id)| of(id).overall.score())
        .column(Column::new("games", "games", Count), |(_, id)| 2 * of(id).overall.pairs())
        .column(Column::new("forfeits", "forfeits", Words), |(_, id)| forfeited(id))
        .swatches(|(place, _)| Style::nth(place))
        .summary()
        .table()
}

/// Names and ratings for the plot, and the games that they are of.
pub(super) fn standings<'r>(
    result: &TournamentResult,
    ratings: &'r Ratings,
) -> (Vec<(&'r str, Estimate)>, u64) {
    let of = |PlayerId(id): PlayerId| {
        let standing = &ratings.standings[id];
        (standing.name.as_str(), standing.rating)
    };
    let games = result.pairings.iter().map(|pairing| pairing.games.games()).sum();
    (ratings.ranking().into_iter().map(of).collect(), games)
}

/// Cross table of scores, in the order of the ratings.
pub(super) fn scores(result: &TournamentResult, ratings: &Ratings) -> CrossTable {
    let ranked: Vec<(usize, PlayerId)> = ratings.ranking().into_iter().enumerate().collect();
    let name = |(place, id): (usize, PlayerId)| (result.players[id.0].clone(), Style::nth(place));
    let cross = CrossTable::of(&ranked, name, |(_, player), (_, opponent)| {
        let pairs = result.head_to_head(player, opponent)?;
        Some(CrossScore { share: pairs.score()?, elo: pairs.elo() })
    });
    CrossTable { is_summary: true, ..cross }
}

/// Pairings with their results.
pub fn meetings(result: &TournamentResult) -> Table {
    let name = |PlayerId(id): PlayerId| &result.players[id];
    let elo = |pairing: &PairingResult| {
        pairing.pentanomial.elo().map(|elo| Cell::from(elo).marked(mark(pairing)))
    };
    let drawn = |pairing: &PairingResult| {
        let games = pairing.games.games();
        (games > 0).then(|| pairing.games.draws as f64 / games as f64)
    };
    Table::of("meetings", "Games", &result.pairings)
        .column(Column::new("first", "first", Text), |it| name(it.pairing.first))
        .column(Column::new("second", "second", Text), |it| name(it.pairing.second))
        .column(Column::new("wins", "wins", Count).means("Of the first"), |it| it.games.wins)
        .column(Column::new("draws", "draws", Count), |it| it.games.draws)
        .column(Column::new("losses", "losses", Count), |it| it.games.losses)
        .column(Column::new("score", "points", Percent(1)), |it| it.pentanomial.score())
        .column(Column::estimate("elo", "Elo", Signed(1)), elo)
        .column(
            Column::estimate("normalised_elo", "normalised Elo", Signed(1)).means(
                "Lead in standard deviations of a game, independent of the draw rate of the \
                 openings",
            ),
            |it| it.pentanomial.normalised_elo(),
        )
        .column(Column::new("superiority", "superiority", Percent(1)).for_programs(), |it| {
            it.pentanomial.superiority()
        })
        .column(
            Column::new("pairs", "pairs 0 · ½ · 1 · 1½ · 2", Format::PAIRS)
                .means("Pairs of games by the points of the first"),
            |it| it.pentanomial.counts,
        )
        .column(Column::new("drawn", "drawn", Percent(1)).for_people(), drawn)
        .column(Column::new("white_score", "White", Percent(1)), |it| it.white.score())
        .column(
            Column::new("duplicates", "repeated", Count)
                .means("Duplicate games"),
            |it| it.duplicates,
        )
        .column(Column::new("forfeits_first", "", Count).for_programs(), |it| {
            it.forfeits[0].total()
        })
        .column(Column::new("forfeits_second", "", Count).for_programs(), |it| {
            it.forfeits[1].total()
        })
        .column(Column::new("no_verdict", "", Text).for_programs(), |it| {
            too_many_forfeits(it).map(|forfeits| forfeits.to_string())
        })
        .caption(
            "Each opening is played twice with colours swapped, and intervals (95 %) are over these \
             pairs.",
        )
        .table()
}

/// Elo by number of pairs.
pub(super) fn course(points: &[(u64, Estimate)]) -> Table {
    Table::of("course", "Elo pair by pair", points)
        .column(Column::new("pairs", "pairs", Count), |point| point.0)
        .column(Column::estimate("elo", "Elo", Signed(1)), |point| point.1)
        .table()
}

/// LLR by number of pairs.
pub(super) fn llr(test: &TestCurve) -> Table {
    Table::of("llr", "Log-likelihood ratio", &test.points)
        .column(Column::new("pairs", "pairs", Count), |point| point.0)
        .column(Column::new("llr", "LLR", Format::Fixed(2)).rounded(4), |point| point.1)
        .table()
}
