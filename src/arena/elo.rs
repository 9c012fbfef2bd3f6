//! Elo and its interval from the scores of games.
//!
//! Every figure of a match is a function of the mean and the variance of a
//! score in [0, 1]: a game's score for the trinomial view, a pair's score for
//! the pentanomial one. The formulas are those of fastchess, whose unit-test
//! vectors the two views reproduce; where fastchess returns NaN (a perfect score, no variance at
//! all), this module defines a result.

use std::f64::consts::LN_10;

use statrs::function::erf::erf;

use base::Estimate;
use base::estimate::Z95;

/// Normalised Elo per standard deviation of a game's score, 800 / ln 10.
///
/// Source: M. Van den Bergh, *Normalized Elo*, 2021 (used by fishtest and fastchess).
pub(crate) const NORMALISED_ELO_PER_SIGMA: f64 = 800.0 / LN_10;

/// Elo difference at which the expected score is `score`; infinite at (or
/// beyond) 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10()
}

/// Expected score at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Mean and variance of `count` scores in [0, 1].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    pub count: f64,
    pub mean: f64,
    pub variance: f64,
}

impl Moments {
    /// Moments of a histogram with cells at equal steps from 0 to 1; `None` when it is empty.
    pub(crate) fn of_histogram(counts: &[u64]) -> Option<Self> {
        let count = counts.iter().sum::<u64>() as f64;
        if count == 0.0 {
            return None;
        }
        let top = (counts.len() - 1) as f64;
        let cells = || counts.iter().enumerate().map(|(i, &n)| (i as f64 / top, n as f64 / count));
        let mean: f64 = cells().map(|(score, share)| score * share).sum();
        let variance = cells().map(|(score, share)| share * (score - mean).powi(2)).sum();
        // A single occupied cell has no variance; rounding must not invent one.
        let occupied = counts.iter().filter(|&&n| n > 0).count();
        Some(Self { count, mean, variance: if occupied == 1 { 0.0 } else { variance } })
    }

    /// Logistic Elo with its interval; see [`super::Pentanomial::elo`] for the edges.
    pub(crate) fn elo(&self) -> Estimate {
        let (low, high) = self.score_interval();
        Estimate {
            value: elo_of_score(self.mean),
            low: elo_of_score(low),
            high: elo_of_score(high),
        }
    }

    /// Normalised Elo; `games_per_score` is 2 when the scores are those of
    /// pairs, since a game's variance is then twice a pair's.
    pub(crate) fn normalised_elo(&self, games_per_score: f64) -> Option<Estimate> {
        if self.variance == 0.0 {
            return None;
        }
        let sigma = (games_per_score * self.variance).sqrt();
        let per_score = NORMALISED_ELO_PER_SIGMA / sigma;
        let margin = Z95 * self.standard_error() * per_score;
        Some(Estimate::symmetric((self.mean - 0.5) * per_score, margin))
    }

    /// Likelihood of superiority.
    pub(crate) fn superiority(&self) -> f64 {
        let lead = self.mean - 0.5;
        if self.variance > 0.0 {
            return 0.5 * (1.0 + erf(lead / (self.standard_error() * 2f64.sqrt())));
        }
        // All scores equal: posterior of a coin seen falling one way `count`
        // times, from a uniform prior.
        let surprise = 0.5f64.powf(self.count + 1.0);
        match lead.total_cmp(&0.0) {
            std::cmp::Ordering::Greater => 1.0 - surprise,
            std::cmp::Ordering::Less => surprise,
            std::cmp::Ordering::Equal => 0.5,
        }
    }

    fn standard_error(&self) -> f64 {
        (self.variance / self.count).sqrt()
    }

    fn score_interval(&self) -> (f64, f64) {
        if self.variance > 0.0 {
            let margin = Z95 * self.standard_error();
            return (self.mean - margin, self.mean + margin);
        }
        // No variance seen is not certainty. A result that never came up in n
        // tries has at most probability 1 - 0.025^(1/n) (Clopper-Pearson);
        // were all of those losses (or wins), the mean would lie here.
        let unseen = 1.0 - 0.025f64.powf(1.0 / self.count);
        let low = self.mean * (1.0 - unseen);
        (low, low + unseen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_elo_are_inverse() {
        for elo in [-1200.0, -35.5, 0.0, 7.25, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
    }

    #[test]
    fn scores_at_and_beyond_the_edge_are_unbounded_not_nan() {
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(1.3), f64::INFINITY);
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of_score(-0.1), f64::NEG_INFINITY);
    }
}
