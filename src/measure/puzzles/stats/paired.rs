//! Two solvers on the same puzzles.
//!
//! Most puzzles are solved by both or by neither; the difference lies in those that only one of
//! them solves.

use super::{Interval, Z_95};
use crate::puzzles::AttemptOutcome;

/// Contingency table of two solvers on the same puzzles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    pub both: u64,
    pub first_only: u64,
    pub second_only: u64,
    pub neither: u64,
}

impl Paired {
    /// Compares outcomes puzzle by puzzle; `None` if there are not equally many.
    pub fn compare(first: &[AttemptOutcome], second: &[AttemptOutcome]) -> Option<Self> {
        if first.len() != second.len() {
            return None;
        }
        let mut paired = Self::default();
        for (first, second) in first.iter().zip(second) {
            *match (first.solved, second.solved) {
                (true, true) => &mut paired.both,
                (true, false) => &mut paired.first_only,
                (false, true) => &mut paired.second_only,
                (false, false) => &mut paired.neither,
            } += 1;
        }
        Some(paired)
    }

    /// Adds the counts of other attempts.
    pub fn add(&mut self, other: &Self) {
        self.both += other.both;
        self.first_only += other.first_only;
        self.second_only += other.second_only;
        self.neither += other.neither;
    }

    pub fn trials(&self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }

    /// Share solved by the first less share solved by the second; 0 without trials.
    pub fn difference(&self) -> f64 {
        let difference = self.first_only as f64 - self.second_only as f64;
        difference / self.trials().max(1) as f64
    }

    /// 95 % interval of the difference: A. Agresti and Y. Min, "Simple improved
    /// confidence intervals for comparing matched proportions" (2005), which
    /// is Wald's with half a puzzle added to each of the four counts. Being
    /// drawn a little to zero, it need not be centred on the difference.
    pub fn interval(&self) -> Interval {
        let first = self.first_only as f64 + 0.5;
        let second = self.second_only as f64 + 0.5;
        let n = self.trials() as f64 + 2.0;
        let center = (first - second) / n;
        let half = Z_95 * (first + second - (first - second).powi(2) / n).sqrt() / n;
        Interval { low: (center - half).max(-1.0), high: (center + half).min(1.0) }
    }

    /// Two-sided p-value of McNemar's test, exact: the probability that fair coins divide the
    /// puzzles solved by one alone at least as unevenly.
    pub fn p_value(&self) -> f64 {
        let n = self.first_only + self.second_only;
        let fewer = self.first_only.min(self.second_only);
        (2.0 * coin_tail(n, fewer)).min(1.0)
    }
}

/// Probability of at most `k` heads in `n` throws of a fair coin, `k ≤ n`.
fn coin_tail(n: u64, k: u64) -> f64 {
    let n_real = n as f64;
    // The largest term as a logarithm, the others from it by their ratio.
    let ln_choose: f64 = (0..k).map(|i| ((n_real - i as f64) / (i as f64 + 1.0)).ln()).sum();
    let largest = (ln_choose - n_real * std::f64::consts::LN_2).exp();
    let mut term = 1.0;
    let mut sum = 1.0;
    for i in (1..=k).rev() {
        term *= i as f64 / (n_real - i as f64 + 1.0);
        sum += term;
    }
    largest * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn p_values_agree_with_statsmodels() {
        // statsmodels 0.15 mcnemar(exact=True); scipy 1.17 binomtest gives the same.
        for (first_only, second_only, expected) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (0, 5, 0.0625),
            (3, 10, 0.09228515625),
            (6, 5, 1.0),
            (40, 20, 0.013_489_293_731_191_9),
            (500, 430, 0.023_608_839_292_547_2),
            (3_000, 2_800, 0.008_969_436_001_193_57),
        ] {
            let p = Paired { first_only, second_only, ..Paired::default() }.p_value();
            assert!((p - expected).abs() < 1e-12, "{first_only} {second_only}: {p}");
        }
        let far = Paired { first_only: 0, second_only: 100_000, ..Paired::default() };
        assert_eq!(far.p_value(), 0.0);
    }

    #[test]
    fn intervals_agree_with_another_method() {
        // Tango's score interval (1998), solved for with scipy's brentq.
        for (both, first_only, second_only, neither, low, high) in [
            (70, 40, 20, 30, 0.030_864_533, 0.218_064_244),
            (800, 30, 20, 150, -0.004_000_458, 0.024_601_909),
            (4_000, 500, 430, 570, 0.001_863_153, 0.023_617_140),
        ] {
            let paired = Paired { both, first_only, second_only, neither };
            let interval = paired.interval();
            let one_puzzle = 1.0 / paired.trials() as f64;
            assert!((interval.low - low).abs() < one_puzzle, "{interval:?}");
            assert!((interval.high - high).abs() < one_puzzle, "{interval:?}");
        }
    }

    /// The truth lies inside about 95 times in 100.
    #[test]
    fn intervals_cover() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (share_first, share_second) = (0.12, 0.08);
        let covered = (0..2_000).filter(|_| {
            let mut paired = Paired::default();
            for _ in 0..400 {
                let u: f64 = rng.random();
                match u {
                    u if u < share_first => paired.first_only += 1,
                    u if u < share_first + share_second => paired.second_only += 1,
                    _ => paired.both += 1,
                }
            }
            let Interval { low, high } = paired.interval();
            (low..=high).contains(&(share_first - share_second))
        });
        let covered = covered.count() as f64 / 2_000.0;
        // Four standard errors of a share of 0.95.
        assert!((covered - 0.95).abs() < 0.02, "{covered}");
    }

    #[test]
    fn swapping_the_solvers_turns_the_sign() {
        let outcome = |solved| AttemptOutcome { solved, ..AttemptOutcome::default() };
        let first: Vec<AttemptOutcome> = [true, true, true, false].map(outcome).into();
        let second: Vec<AttemptOutcome> = [true, false, false, true].map(outcome).into();
        let there = Paired::compare(&first, &second).unwrap();
        let back = Paired::compare(&second, &first).unwrap();
        assert_eq!(there, Paired { both: 1, first_only: 2, second_only: 1, neither: 0 });
        assert_eq!((there.difference(), there.p_value()), (0.25, back.p_value()));
        assert_eq!(back.difference(), -0.25);
        assert_eq!(there.interval().low, -back.interval().high);
        assert_eq!(Paired::compare(&first, &second[1..]), None);
    }
}
