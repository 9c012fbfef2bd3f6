//! Results of single games.
//!
//! The usual statistics, wrong for paired openings (see [`super::pentanomial`]); for data without
//! pairs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::elo::Moments;
use super::pentanomial::HalfPoints;
use base::Estimate;

/// Counts of games by the first player's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trinomial {
    /// Games the first player won.
    pub wins: u64,
    pub draws: u64,
    /// Games the first player lost.
    pub losses: u64,
}

impl Trinomial {
    pub fn add(&mut self, result: HalfPoints) {
        match result {
            HalfPoints::Win => self.wins += 1,
            HalfPoints::Draw => self.draws += 1,
            HalfPoints::Loss => self.losses += 1,
        }
    }

    /// The same from the second player's side.
    #[must_use]
    pub fn inverted(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Share of the points, in [0, 1]; `None` without a game.
    pub fn score(&self) -> Option<f64> {
        Some(self.moments()?.mean)
    }

    /// Logistic Elo of the first player; edges as in [`super::Pentanomial::elo`].
    pub fn elo(&self) -> Option<Estimate> {
        Some(self.moments()?.elo())
    }

    /// Normalised Elo, (μ − ½) / √v · 800 / ln 10; `None` without variance.
    pub fn normalised_elo(&self) -> Option<Estimate> {
        self.moments()?.normalised_elo(1.0)
    }

    /// Likelihood that the first player is the stronger; edges as in
    /// [`super::Pentanomial::superiority`].
    pub fn superiority(&self) -> f64 {
        self.moments().map_or(0.5, |m| m.superiority())
    }

    fn moments(&self) -> Option<Moments> {
        Moments::of_histogram(&[self.losses, self.draws, self.wins])
    }
}

impl std::ops::AddAssign for Trinomial {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl fmt::Display for Trinomial {
    /// `+41 =80 -39`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs of the unit tests of fastchess (`elo_wdl`), outputs refined
    /// with an independent implementation of its formulas.
    #[test]
    fn agrees_with_fastchess() {
        let vectors = [
            ([76, 123, 89], [-15.69352071, 30.45800072, -20.75644978, 40.12602556, 0.1553264349]),
            ([136, 111, 96], [40.70245819, 30.42721794, 49.76841538, 36.76845060, 0.9960102357]),
            ([34, 0, 356], [-407.98843237, 63.16451474, -508.43532504, 34.48181249, 0.0]),
        ];
        for ([wins, draws, losses], expected) in vectors {
            let games = Trinomial { wins, draws, losses };
            let (elo, nelo) = (games.elo().unwrap(), games.normalised_elo().unwrap());
            let found = [elo.value, elo.margin(), nelo.value, nelo.margin(), games.superiority()];
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{games}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn only_draws_have_an_interval() {
        let drawn = Trinomial { draws: 40, ..Trinomial::default() };
        assert_eq!(drawn.normalised_elo(), None);
        assert!(drawn.elo().unwrap().margin() > 10.0);
    }
}
