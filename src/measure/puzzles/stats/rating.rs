//! A rating for a solver's results on rated puzzles.
//!
//! A puzzle counts as an opponent: a solver of rating x solves one rated R with
//! probability 1 / (1 + 10^((R − x) / 400)). The estimate is the maximum of the
//! likelihood, its interval holds all x that a likelihood-ratio test does not
//! reject. A solver of everything (or nothing) is bounded from one side only.
//!
//! Programs do not follow the curve of people: they miss a few easy puzzles and find many hard
//! ones. So the number depends on the suite and compares solvers of the same one only.

use std::collections::BTreeMap;

use super::{Interval, Z_95};

/// Rating points over which the odds change tenfold.
const SCALE: f64 = 400.0;

/// The estimated rating of a solver, on the scale of the puzzles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuzzleRating {
    /// The most likely one; infinite if all puzzles or none were solved.
    pub value: f64,
    /// 95 %; open to one side if all puzzles or none were solved.
    pub interval: Interval,
}

impl PuzzleRating {
    /// From the ratings of puzzles and whether each was solved; `None` without any.
    pub fn estimate(results: impl IntoIterator<Item = (u32, bool)>) -> Option<Self> {
        let results = SolvedPuzzles::count(results);
        let (lowest, highest) = results.range()?;
        let value = results.most_likely(lowest, highest);
        let best = results.log_likelihood(value);
        let is_likely = |x: f64| 2.0 * (best - results.log_likelihood(x)) <= Z_95 * Z_95;
        let likely = match value {
            f64::INFINITY => walk(highest, SCALE, is_likely),
            f64::NEG_INFINITY => walk(lowest, -SCALE, is_likely),
            finite => finite,
        };
        let low = match value {
            f64::NEG_INFINITY => value,
            _ => bisect(walk(likely, -SCALE, |x| !is_likely(x)), likely, is_likely),
        };
        let high = match value {
            f64::INFINITY => value,
            _ => bisect(likely, walk(likely, SCALE, |x| !is_likely(x)), |x| !is_likely(x)),
        };
        Some(Self { value, interval: Interval { low, high } })
    }
}

/// Puzzles of one rating.
#[derive(Clone, Copy, Debug, Default)]
struct RatingCounts {
    solved: f64,
    missed: f64,
}

struct SolvedPuzzles(BTreeMap<u32, RatingCounts>);

impl SolvedPuzzles {
    fn count(results: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let mut by_rating = BTreeMap::<u32, RatingCounts>::new();
        for (rating, solved) in results {
            let counts = by_rating.entry(rating).or_default();
            *(if solved { &mut counts.solved } else { &mut counts.missed }) += 1.0;
        }
        Self(by_rating)
    }

    fn range(&self) -> Option<(f64, f64)> {
        let (lowest, _) = self.0.first_key_value()?;
        let (highest, _) = self.0.last_key_value()?;
        Some((f64::from(*lowest), f64::from(*highest)))
    }

    /// The root of the likelihood's slope, which falls all the way.
    fn most_likely(&self, lowest: f64, highest: f64) -> f64 {
        let sum = |of: fn(&RatingCounts) -> f64| self.0.values().map(of).sum::<f64>();
        let (solved, missed) = (sum(|counts| counts.solved), sum(|counts| counts.missed));
        if missed == 0.0 {
            return f64::INFINITY;
        }
        if solved == 0.0 {
            return f64::NEG_INFINITY;
        }
        // Were all puzzles as easy as the easiest, or as hard as the hardest,
        // the root would be at one of these ends.
        let shift = SCALE * (solved / missed).log10();
        bisect(lowest + shift, highest + shift, |x| self.expected(x) > solved)
    }

    /// Expected number of puzzles solved at that rating.
    fn expected(&self, x: f64) -> f64 {
        let of_rating = |(&rating, counts): (&u32, &RatingCounts)| {
            (counts.solved + counts.missed) * (-softplus(exponent(rating, x))).exp()
        };
        self.0.iter().map(of_rating).sum()
    }

    fn log_likelihood(&self, x: f64) -> f64 {
        if x.is_infinite() {
            // Called only where the results are certain then.
            return 0.0;
        }
        let of_rating = |(&rating, counts): (&u32, &RatingCounts)| {
            let z = exponent(rating, x);
            -counts.solved * softplus(z) - counts.missed * softplus(-z)
        };
        self.0.iter().map(of_rating).sum()
    }
}

/// The puzzle's lead over the solver, in powers of e.
fn exponent(rating: u32, x: f64) -> f64 {
    (f64::from(rating) - x) / SCALE * std::f64::consts::LN_10
}

/// ln(1 + e^z), for any z.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// The first point at which something `holds`, from `x` on in steps that double.
/// That ends: far off, the results are either certain or impossible.
fn walk(mut x: f64, mut step: f64, holds: impl Fn(f64) -> bool) -> f64 {
    while !holds(x) {
        x += step;
        step *= 2.0;
    }
    x
}

/// The point between `low` and `high` beyond which `is_beyond` holds.
fn bisect(mut low: f64, mut high: f64, is_beyond: impl Fn(f64) -> bool) -> f64 {
    // Halves a few thousand points down to less than a billionth of one.
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        *(if is_beyond(middle) { &mut high } else { &mut low }) = middle;
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn of_one_rating(rating: u32, solved: u32, missed: u32) -> PuzzleRating {
        let results = (0..solved + missed).map(|i| (rating, i < solved));
        PuzzleRating::estimate(results).unwrap()
    }

    /// With one rating the odds say it all.
    #[test]
    fn equal_puzzles_have_a_closed_form() {
        for (solved, missed) in [(5, 5), (30, 10), (1, 99), (999, 1)] {
            let odds = f64::from(solved) / f64::from(missed);
            let expected = 1_500.0 + 400.0 * odds.log10();
            let rating = of_one_rating(1_500, solved, missed);
            assert!((rating.value - expected).abs() < 1e-6, "{rating:?}");
            let Interval { low, high } = rating.interval;
            assert!(low < rating.value && rating.value < high);
            // Where the likelihood has fallen by half the quantile of χ².
            let share = |x: f64| 1.0 / (1.0 + 10f64.powf((1_500.0 - x) / 400.0));
            let ln = |p: f64| f64::from(solved) * p.ln() + f64::from(missed) * (1.0 - p).ln();
            let best = ln(f64::from(solved) / f64::from(solved + missed));
            for end in [low, high] {
                assert!((2.0 * (best - ln(share(end))) - Z_95 * Z_95).abs() < 1e-6, "{end}");
            }
        }
    }

    #[test]
    fn all_or_nothing_is_open_to_one_side() {
        let all = of_one_rating(1_000, 20, 0);
        assert_eq!((all.value, all.interval.high), (f64::INFINITY, f64::INFINITY));
        // p^20 = exp(−χ²/2) at the end.
        let share = (-Z_95 * Z_95 / 40.0).exp();
        let expected = 1_000.0 + 400.0 * (share / (1.0 - share)).log10();
        assert!((all.interval.low - expected).abs() < 1e-6, "{all:?} {expected}");
        let none = of_one_rating(1_000, 0, 20);
        assert_eq!((none.value, none.interval.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert!((none.interval.high - (2_000.0 - expected)).abs() < 1e-6, "{none:?}");
        assert_eq!(PuzzleRating::estimate([]), None);
    }

    #[test]
    fn moving_all_puzzles_moves_the_rating() {
        let results = [(800, true), (1_300, true), (1_700, false), (2_400, true), (2_900, false)];
        let here = PuzzleRating::estimate(results).unwrap();
        let there = PuzzleRating::estimate(results.map(|(r, s)| (r + 100, s))).unwrap();
        assert!((there.value - here.value - 100.0).abs() < 1e-6);
        assert!((there.interval.low - here.interval.low - 100.0).abs() < 1e-6);
    }

    /// Solvers that follow the curve are found again, 95 times in 100 within
    /// the interval.
    #[test]
    fn simulated_solvers_are_found_again() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (truth, trials) = (1_900.0, 1_000);
        let (mut covered, mut sum) = (0, 0.0);
        for _ in 0..trials {
            let results: Vec<(u32, bool)> = (0..300)
                .map(|_| {
                    let rating = rng.random_range(400..3_000u32);
                    let share = 1.0 / (1.0 + 10f64.powf((f64::from(rating) - truth) / 400.0));
                    (rating, rng.random::<f64>() < share)
                })
                .collect();
            let rating = PuzzleRating::estimate(results).unwrap();
            sum += rating.value;
            covered += i32::from((rating.interval.low..=rating.interval.high).contains(&truth));
        }
        let mean = sum / f64::from(trials);
        assert!((mean - truth).abs() < 5.0, "{mean}");
        // Four standard errors of a share of 0.95.
        assert!((f64::from(covered) / f64::from(trials) - 0.95).abs() < 0.03, "{covered}");
    }

    #[test]
    fn far_off_puzzles_do_no_harm() {
        let rating = PuzzleRating::estimate([(0, false), (u32::MAX, true)]).unwrap();
        assert!(rating.value.is_finite() && rating.interval.low < rating.interval.high);
    }
}
