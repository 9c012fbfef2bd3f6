//! The sequential probability ratio test: stop a match as soon as it says
//! enough.
//!
//! The log-likelihood ratio (LLR) is that of the *generalised* SPRT: each
//! hypothesis is represented by the most likely outcome distribution that has
//! the hypothesised strength. The multinomial maximum is found exactly, as in
//! fastchess and fishtest (M. Van den Bergh, *Comments on Normalized Elo* and
//! *A practical introduction to the GSPRT*), whose unit-test vectors are the
//! tests of this file.

use serde::{Deserialize, Serialize};

use super::estimate::{NORMALISED_ELO_PER_SIGMA, score_of_elo};
use super::{Pentanomial, Trinomial};

/// The scale in which the two hypotheses are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EloModel {
    /// Logistic Elo: the expected score.
    Logistic,
    /// Normalised Elo: the expected score in standard deviations.
    Normalised,
}

/// A test of `elo0` (H0) against `elo1` (H1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// Elo under the null hypothesis.
    pub elo0: f64,
    /// Elo under the alternative; greater than `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
    /// The scale of both Elo values.
    pub model: EloModel,
}

/// What the test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Not enough games yet.
    Continue,
    /// H0 accepted: no gain of `elo1`.
    AcceptH0,
    /// H1 accepted: better than `elo0`.
    AcceptH1,
}

/// A test that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses do not differ, or in the wrong direction.
    #[error("elo1 ({elo1}) must be greater than elo0 ({elo0})")]
    Hypotheses {
        /// As given.
        elo0: f64,
        /// As given.
        elo1: f64,
    },
    /// An error probability out of range.
    #[error("alpha ({alpha}) and beta ({beta}) must lie between 0 and 0.5")]
    ErrorRates {
        /// As given.
        alpha: f64,
        /// As given.
        beta: f64,
    },
}

impl Sprt {
    /// A test with both error probabilities at 5 %.
    pub fn new(elo0: f64, elo1: f64, model: EloModel) -> Result<Self, SprtError> {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model }.checked()
    }

    /// The same test if its numbers make sense.
    pub fn checked(self) -> Result<Self, SprtError> {
        let Self { elo0, elo1, alpha, beta, .. } = self;
        let probability = |p: f64| p > 0.0 && p < 0.5;
        if elo0.is_nan() || elo1.is_nan() || elo1 <= elo0 {
            Err(SprtError::Hypotheses { elo0, elo1 })
        } else if !probability(alpha) || !probability(beta) {
            Err(SprtError::ErrorRates { alpha, beta })
        } else {
            Ok(self)
        }
    }

    /// LLR at which H0 and H1 are accepted: ln(β/(1−α)) and ln((1−β)/α).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// LLR of finished pairs; 0 without one.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        self.llr_of_counts(&pairs.counts, 2.0)
    }

    /// LLR of single games, for data without pairs; 0 without one.
    pub fn llr_of_games(&self, games: &Trinomial) -> f64 {
        self.llr_of_counts(&[games.losses, games.draws, games.wins], 1.0)
    }

    /// What an LLR says.
    pub fn decision(&self, llr: f64) -> Decision {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    fn llr_of_counts(&self, counts: &[u64], games_per_score: f64) -> f64 {
        if counts.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let observed = Observed::new(counts);
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => observed.likeliest_with_mean(score_of_elo(elo)),
            EloModel::Normalised => observed
                .likeliest_with_lead(games_per_score.sqrt() * elo / NORMALISED_ELO_PER_SIGMA),
        });
        let per_score: f64 = observed
            .shares
            .iter()
            .zip(h1.iter().zip(&h0))
            .map(|(p, (a, b))| p * (a / b).ln())
            .sum();
        observed.total * per_score
    }
}

/// Observed shares of the equally spaced scores from 0 to 1.
struct Observed {
    total: f64,
    scores: Vec<f64>,
    shares: Vec<f64>,
}

impl Observed {
    fn new(counts: &[u64]) -> Self {
        // fishtest's regularisation: an empty cell counts as a thousandth.
        let filled: Vec<f64> = counts.iter().map(|&n| (n as f64).max(1e-3)).collect();
        let total = filled.iter().sum::<f64>();
        let top = (counts.len() - 1) as f64;
        Self {
            total,
            scores: (0..counts.len()).map(|i| i as f64 / top).collect(),
            shares: filled.iter().map(|n| n / total).collect(),
        }
    }

    /// The likeliest distribution with mean `mean`.
    fn likeliest_with_mean(&self, mean: f64) -> Vec<f64> {
        let constraint: Vec<f64> = self.scores.iter().map(|score| score - mean).collect();
        self.likeliest_orthogonal_to(&constraint)
    }

    /// The likeliest distribution with (mean − ½) / deviation equal to `lead`.
    ///
    /// The constraint is not linear; linearised at the current distribution
    /// it is, and the iteration converges in a few steps.
    fn likeliest_with_lead(&self, lead: f64) -> Vec<f64> {
        let mut current = vec![1.0 / self.scores.len() as f64; self.scores.len()];
        for _ in 0..100 {
            let mean = dot(&self.scores, &current);
            let variance: f64 =
                self.scores.iter().zip(&current).map(|(a, q)| q * (a - mean).powi(2)).sum();
            let deviation = variance.sqrt();
            let constraint: Vec<f64> = self
                .scores
                .iter()
                .map(|a| {
                    a - 0.5 - 0.5 * lead * deviation * (1.0 + ((a - mean) / deviation).powi(2))
                })
                .collect();
            let next = self.likeliest_orthogonal_to(&constraint);
            let step = next.iter().zip(&current).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            current = next;
            if step < 1e-12 {
                break;
            }
        }
        current
    }

    /// Maximises the likelihood of the shares over distributions q with
    /// Σ q·φ = 0: q = p / (1 + θφ) with θ the root of Σ pφ / (1 + θφ).
    fn likeliest_orthogonal_to(&self, phi: &[f64]) -> Vec<f64> {
        let theta = self.multiplier(phi);
        self.shares.iter().zip(phi).map(|(p, f)| p / (1.0 + theta * f)).collect()
    }

    /// Bisects for θ; the sum falls monotonically between its two poles.
    fn multiplier(&self, phi: &[f64]) -> f64 {
        let largest = phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = phi.iter().copied().fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
        let off_the_poles = (high - low) * 1e-15;
        (low, high) = (low + off_the_poles, high - off_the_poles);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            let sum: f64 =
                self.shares.iter().zip(phi).map(|(p, f)| p * f / (1.0 + middle * f)).sum();
            if sum > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, model).unwrap()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "found {found}, expected {expected}");
    }

    /// Inputs of the unit tests of fastchess and of OpenBench's self-test,
    /// outputs refined with an independent implementation.
    #[test]
    fn pentanomial_llr_agrees_with_fastchess() {
        use EloModel::{Logistic, Normalised};
        let vectors = [
            ([365, 16618, 36229, 16974, 390], 0.0, 2.0, Normalised, 2.250368),
            ([127, 4883, 10712, 5150, 104], -1.75, 0.25, Normalised, 3.010154),
            ([0, 0, 0, 0, 5550], 0.0, 5.0, Normalised, 111.797555),
            ([39, 8843, 26675, 9240, 44], 0.5, 2.5, Normalised, 2.941675),
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, Logistic, -3.074126),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, Logistic, -4.978673),
        ];
        for (counts, elo0, elo1, model, expected) in vectors {
            assert_close(sprt(elo0, elo1, model).llr(&Pentanomial { counts }), expected);
        }
    }

    #[test]
    fn trinomial_llr_agrees_with_fastchess() {
        use EloModel::{Logistic, Normalised};
        let vectors = [
            ([36027, 68692, 36433], 0.0, 2.0, Normalised, 0.923293),
            ([10650, 20431, 10871], -1.75, 0.25, Normalised, 2.297500),
            ([0, 0, 4250], 0.0, 10.0, Normalised, 120.548268),
            ([21184, 40708, 21404], 0.5, 2.5, Logistic, -1.571889),
            ([57030, 106593, 57433], 0.0, 2.0, Logistic, -2.593024),
        ];
        for ([losses, draws, wins], elo0, elo1, model, expected) in vectors {
            let games = Trinomial { wins, draws, losses };
            assert_close(sprt(elo0, elo1, model).llr_of_games(&games), expected);
        }
    }

    #[test]
    fn bounds_and_decisions() {
        let test = sprt(0.0, 5.0, EloModel::Logistic);
        assert_close(test.bounds().1, 19f64.ln());
        assert_close(test.bounds().0, -(19f64.ln()));
        assert_eq!(test.decision(-3.0), Decision::AcceptH0);
        assert_eq!(test.decision(0.0), Decision::Continue);
        assert_eq!(test.decision(3.0), Decision::AcceptH1);
        assert_eq!(test.llr(&Pentanomial::default()), 0.0);
    }

    #[test]
    fn senseless_tests_are_refused() {
        assert!(Sprt::new(5.0, 0.0, EloModel::Logistic).is_err());
        assert!(Sprt::new(f64::NAN, 0.0, EloModel::Logistic).is_err());
        let certain = Sprt { alpha: 0.0, ..sprt(0.0, 5.0, EloModel::Logistic) };
        assert!(matches!(certain.checked(), Err(SprtError::ErrorRates { .. })));
    }

    /// Simulated matches between equals must not be accepted as gains more
    /// often than alpha says (with three standard errors of slack).
    #[test]
    fn equals_pass_no_more_often_than_alpha() {
        let test = sprt(0.0, 40.0, EloModel::Normalised);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let runs = 400;
        let passed = (0..runs).filter(|_| simulated_match_passes(&test, &mut rng)).count();
        let limit = 0.05 + 3.0 * (0.05f64 * 0.95 / f64::from(runs)).sqrt();
        assert!((passed as f64 / f64::from(runs)) < limit, "{passed} of {runs} passed");
    }

    fn simulated_match_passes(test: &Sprt, rng: &mut ChaCha8Rng) -> bool {
        let mut pairs = Pentanomial::default();
        loop {
            let cell = match rng.random_range(0..20) {
                0 => 0,
                1..=4 => 1,
                5..=14 => 2,
                15..=18 => 3,
                _ => 4,
            };
            pairs.counts[cell] += 1;
            if pairs.pairs() % 5 != 0 {
                continue;
            }
            match test.decision(test.llr(&pairs)) {
                Decision::Continue => {}
                decided => return decided == Decision::AcceptH1,
            }
        }
    }
}
