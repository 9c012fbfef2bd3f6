//! Results of game pairs, and their Elo.
//!
//! An opening is played twice with colours swapped, and the *pair* is the
//! unit of the statistics: the two games share an opening that may favour a
//! colour, so they are not independent, and counting them as if they were
//! makes intervals too wide on unbalanced books.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::elo::Moments;
use base::Estimate;

/// One side's score of a pair of games, in half points (0 to 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PairScore {
    LostBoth = 0,
    LossDraw = 1,
    /// Two draws, or a win and a loss.
    Even = 2,
    WinDraw = 3,
    WonBoth = 4,
}

impl PairScore {
    /// From the half points (0, 1 or 2) of each game.
    pub fn of_games(first: HalfPoints, second: HalfPoints) -> Self {
        match first as u8 + second as u8 {
            0 => Self::LostBoth,
            1 => Self::LossDraw,
            2 => Self::Even,
            3 => Self::WinDraw,
            _ => Self::WonBoth,
        }
    }
}

/// One side's scores of the two games of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PairResult {
    /// From the game in which it had White.
    pub as_white: HalfPoints,
    /// From the game in which it had Black.
    pub as_black: HalfPoints,
}

impl PairResult {
    #[must_use]
    pub fn of_opponent(self) -> Self {
        Self { as_white: self.as_black.of_opponent(), as_black: self.as_white.of_opponent() }
    }

    /// Both games together.
    pub fn score(self) -> PairScore {
        PairScore::of_games(self.as_white, self.as_black)
    }
}

/// One side's score of a game, in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HalfPoints {
    Loss = 0,
    Draw = 1,
    Win = 2,
}

impl HalfPoints {
    #[must_use]
    pub fn of_opponent(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// Counts of finished pairs by the first player's score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial {
    /// Pairs with LL, LD, WL or DD, WD, WW.
    pub counts: [u64; 5],
}

impl Pentanomial {
    pub fn add(&mut self, score: PairScore) {
        self.counts[score as usize] += 1;
    }

    /// The same pairs seen by the second player.
    pub fn inverted(&self) -> Self {
        let mut counts = self.counts;
        counts.reverse();
        Self { counts }
    }

    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Share of the points, in [0, 1]; `None` without a pair.
    pub fn score(&self) -> Option<f64> {
        Some(self.moments()?.mean)
    }

    /// Logistic Elo of the first player over the second; `None` without a pair.
    ///
    /// With mean score μ and variance v over N pairs the value is
    /// −400 log₁₀(1/μ − 1) and the interval is the image of μ ± 1.96 √(v/N).
    /// Where that passes 0 or 1, as with a perfect score, the side is
    /// unbounded (infinite). Where all pairs had the same score, v = 0 says
    /// nothing, and the interval is that of the worst unseen result of probability 1 − 0.025^(1/N)
    /// (Clopper-Pearson, conservative).
    pub fn elo(&self) -> Option<Estimate> {
        Some(self.moments()?.elo())
    }

    /// Normalised Elo, (μ − ½) / √(2v) · 800 / ln 10: comparable between
    /// books and time controls of different drawishness. `None` when there is
    /// no pair or no variance to normalise by.
    pub fn normalised_elo(&self) -> Option<Estimate> {
        self.moments()?.normalised_elo(2.0)
    }

    /// Likelihood that the first player is the stronger, in [0, 1].
    ///
    /// Without a pair it is ½; if all N pairs had the same winning score it is
    /// 1 − 2^−(N+1), the posterior of a coin from a uniform prior.
    pub fn superiority(&self) -> f64 {
        self.moments().map_or(0.5, |m| m.superiority())
    }

    fn moments(&self) -> Option<Moments> {
        Moments::of_histogram(&self.counts)
    }
}

impl FromIterator<PairScore> for Pentanomial {
    fn from_iter<T: IntoIterator<Item = PairScore>>(scores: T) -> Self {
        let mut all = Self::default();
        scores.into_iter().for_each(|score| all.add(score));
        all
    }
}

impl std::ops::AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
    }
}

impl fmt::Display for Pentanomial {
    /// `[1, 22, 50, 25, 3]`, in the order LL, LD, WL+DD, WD, WW.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within the last digit of a reference given with six.
    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "found {found}, expected {expected}");
    }

    /// Inputs of the unit tests of fastchess (`elo_pentanomial`), outputs
    /// refined with an independent implementation of its formulas.
    /// (LL, LD, WL, DD, WD, WW), Elo ±, normalised Elo ±, superiority.
    #[test]
    fn agrees_with_fastchess() {
        let vectors: [([u64; 6], [f64; 5]); 3] = [
            (
                [34, 54, 31, 32, 64, 75],
                [55.57978042, 27.65342951, 57.93559994, 28.27537624, 0.9999703930],
            ),
            (
                [332, 433, 457, 41, 333, 334],
                [-8.64266727, 10.33419442, -9.17291427, 10.96045888, 0.0504700670],
            ),
            (
                [7895, 8757, 5485, 200, 568, 9999],
                [-21.04352058, 2.94528087, -19.01283428, 2.65450192, 0.0],
            ),
        ];
        for ([ll, ld, wl, dd, wd, ww], [elo, margin, nelo, nmargin, los]) in vectors {
            let pairs = Pentanomial { counts: [ll, ld, wl + dd, wd, ww] };
            assert_close(pairs.elo().unwrap().value, elo);
            assert_close(pairs.elo().unwrap().margin(), margin);
            assert_close(pairs.normalised_elo().unwrap().value, nelo);
            assert_close(pairs.normalised_elo().unwrap().margin(), nmargin);
            assert_close(pairs.superiority(), los);
        }
    }

    #[test]
    fn inversion_negates_elo() {
        let pairs = Pentanomial { counts: [34, 54, 63, 64, 75] };
        let (ours, theirs) = (pairs.elo().unwrap(), pairs.inverted().elo().unwrap());
        assert_close(ours.value, -theirs.value);
        assert_close(ours.low, -theirs.high);
        assert_close(pairs.superiority(), 1.0 - pairs.inverted().superiority());
    }

    #[test]
    fn an_empty_match_has_no_elo() {
        let none = Pentanomial::default();
        assert_eq!(none.elo(), None);
        assert_eq!(none.normalised_elo(), None);
        assert_eq!(none.superiority(), 0.5);
    }

    #[test]
    fn a_perfect_score_is_bounded_from_below_only() {
        let swept = Pentanomial { counts: [0, 0, 0, 0, 50] };
        let elo = swept.elo().unwrap();
        assert_eq!((elo.value, elo.high), (f64::INFINITY, f64::INFINITY));
        // Clopper-Pearson lower limit for 50 of 50: 0.025^(1/50) = 0.92887.
        assert_close(elo.low, crate::elo_of_score(0.025f64.powf(0.02)));
        assert_eq!(swept.normalised_elo(), None);
        assert!(swept.superiority() < 1.0);
        assert_eq!(swept.inverted().elo().unwrap().value, f64::NEG_INFINITY);
    }

    #[test]
    fn all_pairs_even_is_not_certainty() {
        let elo = Pentanomial { counts: [0, 0, 100, 0, 0] }.elo().unwrap();
        assert_eq!(elo.value, 0.0);
        assert!(elo.low < -5.0 && elo.high > 5.0 && elo.is_bounded());
        let more = Pentanomial { counts: [0, 0, 1000, 0, 0] }.elo().unwrap();
        assert!(more.margin() < elo.margin());
    }

    #[test]
    fn pair_scores_add_up() {
        use HalfPoints::{Draw, Loss, Win};
        assert_eq!(PairScore::of_games(Win, Loss), PairScore::Even);
        assert_eq!(PairScore::of_games(Draw, Draw), PairScore::Even);
        assert_eq!(PairScore::of_games(Draw, Win), PairScore::WinDraw);
        let all: Pentanomial = [PairScore::WonBoth, PairScore::LossDraw].into_iter().collect();
        assert_eq!(all.counts, [0, 1, 0, 0, 1]);
        assert_eq!(all.score(), Some(0.625));
    }
}
