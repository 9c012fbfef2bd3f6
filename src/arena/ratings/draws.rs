//! Draw rate of equal players.
//!
//! Ratings give the expected score, not its share of draws. Draws become rarer as players lie
//! further apart; in the form of Davidson's law (1970) that keeps the expected score p, the draw
//! rate d solves a·d² + 2d − 4p(1 − p) = 0 with a = (1 − 2d₀)/d₀², where d₀ is the draw rate of
//! equals (p = ½). This is also Ordo's model. Given the ratings, d₀ is the one parameter, and it is
//! fitted by maximum likelihood.

use super::bradley_terry::{Fit, ResultTable, WhiteResults};
use crate::elo::score_of_elo;

/// The maximum-likelihood draw rate of equals, in [0, 1]; `None` without a game.
pub(super) fn draw_rate_of_equals(table: &ResultTable, fit: &Fit) -> Option<f64> {
    let meetings: Vec<(f64, WhiteResults)> = table
        .meetings()
        .map(|(white, black, results)| (expected_score(fit, white, black), *results))
        .collect();
    let drawn: f64 = meetings.iter().map(|(_, results)| results.draws).sum();
    let games: f64 = meetings.iter().map(|(_, results)| results.games()).sum();
    if games == 0.0 || drawn == 0.0 || drawn == games {
        return (games > 0.0).then(|| drawn / games);
    }
    let likelihood = |equals: f64| -> f64 {
        meetings.iter().map(|(score, results)| log_likelihood(*score, equals, results)).sum()
    };
    Some(maximum(likelihood))
}

fn expected_score(fit: &Fit, white: usize, black: usize) -> f64 {
    score_of_elo(fit.ratings[white] - fit.ratings[black] + fit.white_advantage)
}

/// Draw rate where White expects the score `expected`, if equals draw with
/// probability `equals`.
fn draw_rate(expected: f64, equals: f64) -> f64 {
    let a = (1.0 - 2.0 * equals) / equals.powi(2);
    let c = 4.0 * expected * (1.0 - expected);
    // The positive root, in the form that holds at a = 0 as well.
    c / (1.0 + (1.0 + a * c).max(0.0).sqrt())
}

fn log_likelihood(expected: f64, equals: f64, results: &WhiteResults) -> f64 {
    let draw = draw_rate(expected, equals);
    let (win, loss) = (expected - draw / 2.0, 1.0 - expected - draw / 2.0);
    let term = |count: f64, chance: f64| if count > 0.0 { count * chance.ln() } else { 0.0 };
    term(results.wins, win) + term(results.draws, draw) + term(results.losses, loss)
}

/// Position of the peak of a function with one in (0, 1), by golden section.
fn maximum(of: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut low, mut high) = (1e-6, 1.0 - 1e-6);
    while high - low > 1e-9 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) { low = left } else { high = right }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::RatingModel;

    #[test]
    fn the_law_holds_for_equals_and_keeps_chances_positive() {
        for equals in [0.05, 0.3, 0.5, 0.7, 0.95] {
            assert!((draw_rate(0.5, equals) - equals).abs() < 1e-12);
            for expected in [0.01, 0.2, 0.5, 0.9, 0.999] {
                let draw = draw_rate(expected, equals);
                assert!(draw > 0.0 && draw / 2.0 < expected.min(1.0 - expected), "{draw}");
                let a = (1.0 - 2.0 * equals) / equals.powi(2);
                let left = a * draw * draw + 2.0 * draw - 4.0 * expected * (1.0 - expected);
                assert!(left.abs() < 1e-9, "{left}");
            }
        }
    }

    /// Games of equals show the rate itself; from players far apart the fit recovers it.
    #[test]
    fn the_rate_is_found_again() {
        for (lead, equals) in [(0.0, 0.4), (200.0, 0.3), (-350.0, 0.6)] {
            let expected = score_of_elo(lead);
            let draw = draw_rate(expected, equals);
            let games = 1e4;
            let mut table = ResultTable::new(2);
            *table.of(0, 1) = WhiteResults {
                wins: games * (expected - draw / 2.0),
                draws: games * draw,
                losses: games * (1.0 - expected - draw / 2.0),
            };
            let fit = table.fit(&RatingModel::anchored_at(1), &table).unwrap();
            let found = draw_rate_of_equals(&table, &fit).unwrap();
            assert!((found - equals).abs() < 1e-4, "{found}, not {equals}");
        }
    }

    #[test]
    fn all_or_nothing() {
        let rate = |draws: f64, wins: f64| {
            let mut table = ResultTable::new(2);
            *table.of(0, 1) = WhiteResults { wins, draws, losses: wins };
            let fit = table.fit(&RatingModel::anchored_at(1), &table);
            fit.ok().and_then(|fit| draw_rate_of_equals(&table, &fit))
        };
        assert_eq!(rate(10.0, 0.0), Some(1.0));
        assert_eq!(rate(0.0, 10.0), Some(0.0));
        assert_eq!(rate(0.0, 0.0), None);
    }
}
