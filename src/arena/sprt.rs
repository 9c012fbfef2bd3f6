//! The sequential probability ratio test: ends a match as soon as the result is significant.
//!
//! The log-likelihood ratio (LLR) is that of the *generalised* SPRT: each
//! hypothesis is represented by the most likely outcome distribution that has
//! the hypothesised strength. The multinomial maximum is found exactly, as in
//! fastchess and fishtest (M. Van den Bergh, *Comments on Normalized Elo* and
//! *A practical introduction to the GSPRT*), whose unit-test vectors are the
//! tests of this file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::elo::{NORMALISED_ELO_PER_SIGMA, score_of_elo};
use super::{Pentanomial, Trinomial};

/// Scale of the two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum EloModel {
    /// Logistic Elo: the expected score.
    Logistic,
    /// Normalised Elo: the expected score in standard deviations.
    #[value(alias = "normalized")]
    Normalised,
}

impl EloModel {
    /// The largest hypothesis. Beyond 230 normalised Elo no distribution of five scores near the
    /// uniform one, the start of the solver, satisfies it to first order.
    fn most(self) -> f64 {
        match self {
            Self::Logistic => 1_000.0,
            Self::Normalised => 200.0,
        }
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalised => "normalised",
        })
    }
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

/// State of the test.
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

/// Invalid parameters of a test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are equal, or in the wrong order.
    #[error("elo1 ({elo1}) must be greater than elo0 ({elo0})")]
    Hypotheses { elo0: f64, elo1: f64 },
    /// A hypothesis too large to need a match.
    #[error("elo0 ({elo0}) and elo1 ({elo1}) must lie within ±{most}")]
    FarOff {
        elo0: f64,
        elo1: f64,
        /// Largest hypothesis.
        most: f64,
    },
    /// An error probability out of range.
    #[error("alpha ({alpha}) and beta ({beta}) must lie between 0 and 0.5")]
    ErrorRates { alpha: f64, beta: f64 },
}

impl Sprt {
    /// A test with both error probabilities at 5 %.
    pub fn new(elo0: f64, elo1: f64, model: EloModel) -> Result<Self, SprtError> {
        Self { elo0, elo1, alpha: 0.05, beta: 0.05, model }.checked()
    }

    /// The same test if its parameters are valid.
    pub fn checked(self) -> Result<Self, SprtError> {
        let Self { elo0, elo1, alpha, beta, .. } = self;
        let probability = |p: f64| p > 0.0 && p < 0.5;
        let most = self.model.most();
        if elo0.is_nan() || elo1.is_nan() || elo1 <= elo0 {
            Err(SprtError::Hypotheses { elo0, elo1 })
        } else if elo0.abs() > most || elo1.abs() > most {
            Err(SprtError::FarOff { elo0, elo1, most })
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

    /// Decision at an LLR.
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
        observed.llr([self.elo0, self.elo1].map(|elo| {
            match self.model {
                EloModel::Logistic => observed.likeliest_with_mean(score_of_elo(elo)),
                EloModel::Normalised => observed
                    .likeliest_with_lead(games_per_score.sqrt() * elo / NORMALISED_ELO_PER_SIGMA),
            }
        }))
    }
}

/// LLR of single games with both hypotheses in BayesElo, as in older tools: the observed draw rate
/// sets the scale. 0 until both have won.
///
/// In R. Coulom's BayesElo the first player wins a game with probability
/// 1 / (1 + 10^((e − b)/400)) and loses it with 1 / (1 + 10^((e + b)/400)) at a
/// lead of b, e being the "draw Elo".
pub fn bayes_elo_llr(elo0: f64, elo1: f64, games: &Trinomial) -> f64 {
    if games.wins == 0 || games.losses == 0 {
        return 0.0;
    }
    let observed = Observed::new(&[games.losses, games.draws, games.wins]);
    let odds_against = |share: f64| (1.0 - share) / share;
    let draw_elo =
        200.0 * (odds_against(observed.shares[0]) * odds_against(observed.shares[2])).log10();
    let score = |lead: f64| {
        let (win, loss) = (score_of_elo(lead - draw_elo), score_of_elo(-lead - draw_elo));
        win + (1.0 - win - loss) / 2.0
    };
    observed.llr([elo0, elo1].map(|elo| observed.likeliest_with_mean(score(elo))))
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

    /// Log-likelihood ratio of the second distribution over the first.
    fn llr(&self, [h0, h1]: [Vec<f64>; 2]) -> f64 {
        let ratios = h1.iter().zip(&h0).map(|(a, b)| (a / b).ln());
        self.total * self.shares.iter().zip(ratios).map(|(p, ratio)| p * ratio).sum::<f64>()
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
    fn bayes_elo_llr_agrees_with_fastchess() {
        for ([losses, draws, wins], elo0, elo1, expected) in [
            ([68526, 128429, 68965], 0.0, 2.0, -1.262156),
            ([21484, 41111, 21629], 0.5, 2.5, -1.130642),
        ] {
            assert_close(bayes_elo_llr(elo0, elo1, &Trinomial { wins, draws, losses }), expected);
        }
        let unbeaten = Trinomial { wins: 10, draws: 5, losses: 0 };
        assert_eq!(bayes_elo_llr(0.0, 5.0, &unbeaten), 0.0);
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
    fn invalid_tests_are_refused() {
        assert!(Sprt::new(5.0, 0.0, EloModel::Logistic).is_err());
        assert!(Sprt::new(f64::NAN, 0.0, EloModel::Logistic).is_err());
        for far in [300.0, f64::INFINITY] {
            let refused = Sprt::new(0.0, far, EloModel::Normalised);
            assert!(matches!(refused, Err(SprtError::FarOff { .. })));
        }
        // At the edge every result still has a finite ratio.
        let edge = Sprt::new(-200.0, 200.0, EloModel::Normalised).unwrap();
        for counts in [[0, 0, 9, 0, 0], [9, 0, 0, 0, 0], [1, 2, 3, 4, 5], [0, 0, 0, 0, 9]] {
            assert!(edge.llr(&Pentanomial { counts }).is_finite(), "{counts:?}");
        }
        let certain = Sprt { alpha: 0.0, ..sprt(0.0, 5.0, EloModel::Logistic) };
        assert!(matches!(certain.checked(), Err(SprtError::ErrorRates { .. })));
    }

    /// Probabilities of the five pair scores at a normalised Elo: those of a usual match, tilted.
    fn chances(normalised_elo: f64) -> [f64; 5] {
        let usual = [0.05, 0.2, 0.5, 0.2, 0.05];
        let tilted = |tilt: f64| {
            let weights = std::array::from_fn(|i| usual[i] * (tilt * i as f64).exp());
            let total: f64 = weights.iter().sum();
            weights.map(|weight: f64| weight / total)
        };
        let elo = |chances: [f64; 5]| {
            let mean: f64 = chances.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            let square = |(i, p): (usize, &f64)| p * (i as f64 / 4.0 - mean).powi(2);
            let variance: f64 = chances.iter().enumerate().map(square).sum();
            (mean - 0.5) / (2.0 * variance).sqrt() * NORMALISED_ELO_PER_SIGMA
        };
        let (mut low, mut high) = (-2.0, 2.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if elo(tilted(middle)) < normalised_elo { low = middle } else { high = middle }
        }
        tilted(low)
    }

    fn simulated_decision(test: &Sprt, chances: &[f64; 5], rng: &mut ChaCha8Rng) -> Decision {
        let mut pairs = Pentanomial::default();
        loop {
            let mut left = rng.random::<f64>();
            let cell = chances.iter().position(|chance| {
                left -= chance;
                left < 0.0
            });
            pairs.counts[cell.unwrap_or(4)] += 1;
            match test.decision(test.llr(&pairs)) {
                Decision::Continue => {}
                decided => return decided,
            }
        }
    }

    /// Simulated matches of players exactly as far apart as one hypothesis, tested after every
    /// pair: the rate at which the other one is accepted must not exceed the error rate of 5 %,
    /// with 1.5 % for chance.
    #[test]
    fn error_rates_are_at_most_those_of_the_test() {
        const RUNS: usize = 1_000;
        let test = sprt(0.0, 40.0, EloModel::Normalised);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut errors = |elo: f64, wrong: Decision| {
            let chances = chances(elo);
            let runs = (0..RUNS).map(|_| simulated_decision(&test, &chances, &mut rng));
            runs.filter(|&decision| decision == wrong).count()
        };
        let (alpha, beta) = (errors(0.0, Decision::AcceptH1), errors(40.0, Decision::AcceptH0));
        assert!(alpha <= 65 && beta <= 65, "{alpha} and {beta} errors in {RUNS} runs each");
        // A test that never errs would take too many games.
        assert!(alpha >= 15 && beta >= 15, "{alpha} and {beta} errors in {RUNS} runs each");
    }
}
