//! A single figure for a feature set from several training seeds.
//!
//! Two nets of the same set trained with different seeds differ in strength, so the games of one
//! net, in any number, hardly measure the set. The figure of a set is the mean over its seeds, and
//! its interval holds the noise of the games *and* the spread of the seeds.
//!
//! With estimates eᵢ ± sᵢ (standard errors from the games) of n seeds:
//!
//! - variance over seeds, seen: S² = Σ (eᵢ − ē)² / (n − 1), which holds the
//!   spread of the seeds τ² and the mean game noise g² = Σ sᵢ² / n;
//! - spread of the seeds: τ² = max(0, S² − g²);
//! - variance of the mean: τ²/n + Σ sᵢ²/n²;
//! - interval: ē ± t · √variance, with Student's t of the degrees of freedom
//!   of S² (13 times the standard error for two seeds of one set!).
//!
//! Two to four seeds are too few to estimate a spread. Then S² and g² are pooled
//! over all sets with several seeds, weighted by degrees of freedom Σ (n − 1),
//! on the assumption that seeds scatter alike in all of them. With five seeds
//! or more a set uses its own spread. With one seed everywhere the spread is
//! unknown, and the interval holds the games alone.
//!
//! All sets play the reference's net of the same seed, so the luck of the
//! reference's seeds is part of every set's S² and is shared between sets:
//! the mean of a set against the reference is covered, but pooling does not
//! get quite as many degrees of freedom as it counts.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use base::Estimate;
use base::estimate::{SEEDS_FOR_OWN_SPREAD, Variance, Z95};

/// Elo of one net, with the standard error that its games leave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeedEstimate {
    elo: f64,
    standard_error: f64,
}

impl SeedEstimate {
    /// `None` unless both are finite and the error is not negative.
    pub fn new(elo: f64, standard_error: f64) -> Option<Self> {
        let usable = elo.is_finite() && standard_error.is_finite() && standard_error >= 0.0;
        usable.then_some(Self { elo, standard_error })
    }

    /// From an estimate that is bounded on both sides.
    pub fn of(estimate: &Estimate) -> Option<Self> {
        Self::new(estimate.value, estimate.standard_error()?)
    }
}

/// The spread of seeds, and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum SeedSpread {
    /// One seed everywhere: the interval holds the games alone.
    Unknown,
    /// Estimated from all sets with several seeds.
    AllSets {
        /// Standard deviation between seeds, in Elo, game noise taken off.
        deviation: f64,
        /// Degrees of freedom of the estimate.
        freedom: usize,
    },
    /// Estimated from the set's own seeds.
    OwnSeeds {
        /// Standard deviation between seeds, in Elo, game noise taken off.
        deviation: f64,
        /// Degrees of freedom of the estimate.
        freedom: usize,
    },
}

/// A feature set over its seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PooledEstimate {
    /// Mean over the seeds, with its 95 % interval.
    pub elo: Estimate,
    pub seeds: usize,
    /// Half width of the interval without a spread of seeds.
    pub game_margin: f64,
    /// Half width of the interval with infinitely many games; 0 where the spread of seeds is
    /// unknown.
    pub seed_margin: f64,
    /// Source of the spread.
    pub spread: SeedSpread,
}

/// Pools the seeds of each set; `None` for a set without an estimate.
pub fn pool(sets: &[Vec<SeedEstimate>]) -> Vec<Option<PooledEstimate>> {
    let common = Scatter::pooled(sets);
    sets.iter().map(|seeds| pool_one(seeds, common)).collect()
}

fn pool_one(seeds: &[SeedEstimate], common: Option<Scatter>) -> Option<PooledEstimate> {
    if seeds.is_empty() {
        return None;
    }
    let n = seeds.len() as f64;
    let mean = mean(seeds);
    let games = seeds.iter().map(|s| s.standard_error.powi(2)).sum::<f64>() / n.powi(2);
    let own = Scatter::of(seeds).filter(|_| seeds.len() >= SEEDS_FOR_OWN_SPREAD);
    let (spread, margin, seed_margin) = match own.or(common) {
        None => (SeedSpread::Unknown, Z95 * games.sqrt(), 0.0),
        Some(scatter) => {
            let of_mean = scatter.between_seeds() / n;
            let margin = |variance: f64| scatter.t95() * variance.sqrt();
            (scatter.describe(own.is_some()), margin(of_mean + games), margin(of_mean))
        }
    };
    Some(PooledEstimate {
        elo: Estimate::symmetric(mean, margin),
        seeds: seeds.len(),
        game_margin: Z95 * games.sqrt(),
        seed_margin,
        spread,
    })
}

fn mean(seeds: &[SeedEstimate]) -> f64 {
    seeds.iter().map(|seed| seed.elo).sum::<f64>() / seeds.len() as f64
}

/// Mean of a figure over seeds with Student's interval. With one seed the interval is open; `None`
/// without any.
pub fn mean_of_seeds(values: &[f64]) -> Option<Estimate> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    match values.len() {
        0 => None,
        1 => Some(Estimate { value: mean, low: f64::NEG_INFINITY, high: f64::INFINITY }),
        _ => {
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
            Some(Estimate::symmetric(mean, student_t95(n - 1.0) * (variance / n).sqrt()))
        }
    }
}

/// Means of a loss over the seeds of each set. Only seeds make it noisy, so intervals hold their
/// spread alone, estimated as in [`pool`]; with one seed everywhere they are open. A loss is not
/// negative, and neither are its intervals.
pub fn mean_losses(sets: &[Vec<f64>]) -> Vec<Option<(Estimate, SeedSpread)>> {
    let exact = |values: &Vec<f64>| -> Vec<SeedEstimate> {
        values.iter().filter_map(|&value| SeedEstimate::new(value, 0.0)).collect()
    };
    let seeds: Vec<Vec<SeedEstimate>> = sets.iter().map(exact).collect();
    let of_loss = |PooledEstimate { elo: mean, spread, .. }: PooledEstimate| {
        let (low, high) = match spread {
            SeedSpread::Unknown => (f64::NEG_INFINITY, f64::INFINITY),
            _ => (mean.low.max(0.0), mean.high),
        };
        (Estimate { value: mean.value, low, high }, spread)
    };
    pool(&seeds).into_iter().map(|pooled| pooled.map(of_loss)).collect()
}

/// 97.5 % quantile of Student's t: half of a 95 % interval in standard errors.
pub fn student_t95(freedom: f64) -> f64 {
    // Location 0 and scale 1 are valid, and so is any positive freedom.
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

/// Scatter of estimates between seeds, and the part that games explain.
#[derive(Clone, Copy)]
struct Scatter {
    /// S².
    seen: f64,
    /// g².
    games: f64,
    freedom: usize,
}

impl Scatter {
    /// `None` with fewer than two seeds.
    fn of(seeds: &[SeedEstimate]) -> Option<Self> {
        let freedom = seeds.len().checked_sub(1).filter(|&f| f > 0)?;
        let mean = mean(seeds);
        let squares: f64 = seeds.iter().map(|seed| (seed.elo - mean).powi(2)).sum();
        let games: f64 = seeds.iter().map(|seed| seed.standard_error.powi(2)).sum();
        Some(Self { seen: squares / freedom as f64, games: games / seeds.len() as f64, freedom })
    }

    /// `None` if no set has two seeds.
    fn pooled(sets: &[Vec<SeedEstimate>]) -> Option<Self> {
        let scatters: Vec<Self> = sets.iter().filter_map(|seeds| Self::of(seeds)).collect();
        let pooled = |of: fn(&Self) -> f64| {
            let variance = |s: &Self| Variance { value: of(s), freedom: s.freedom as f64 };
            Variance::pooled(scatters.iter().map(variance))
        };
        let (seen, games) = (pooled(|s| s.seen)?, pooled(|s| s.games)?);
        Some(Self { seen: seen.value, games: games.value, freedom: seen.freedom as usize })
    }

    /// τ².
    fn between_seeds(self) -> f64 {
        (self.seen - self.games).max(0.0)
    }

    fn t95(self) -> f64 {
        student_t95(self.freedom as f64)
    }

    fn describe(self, own: bool) -> SeedSpread {
        let (deviation, freedom) = (self.between_seeds().sqrt(), self.freedom);
        if own {
            SeedSpread::OwnSeeds { deviation, freedom }
        } else {
            SeedSpread::AllSets { deviation, freedom }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn seeds(elos: &[f64], standard_error: f64) -> Vec<SeedEstimate> {
        elos.iter().map(|&elo| SeedEstimate::new(elo, standard_error).unwrap()).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3, "found {found}, expected {expected}");
    }

    #[test]
    fn one_seed_leaves_the_spread_unknown() {
        let pooled = pool(&[seeds(&[12.0], 5.0), Vec::new()]);
        let only = pooled[0].unwrap();
        assert_eq!(only.spread, SeedSpread::Unknown);
        close(only.elo.margin(), Z95 * 5.0);
        assert_eq!(pooled[1], None);
    }

    #[test]
    fn three_seeds_of_one_set_follow_students_t() {
        // No game noise: the textbook interval. t(0.975, 2) = 4.30265.
        let only = pool(&[seeds(&[10.0, 14.0, 18.0], 0.0)])[0].unwrap();
        close(only.elo.value, 14.0);
        close(only.elo.margin(), 4.30265 * 4.0 / 3f64.sqrt());
        assert_eq!(only.spread, SeedSpread::AllSets { deviation: 4.0, freedom: 2 });
    }

    #[test]
    fn means_of_seeds_follow_students_t() {
        let mean = mean_of_seeds(&[10.0, 14.0, 18.0]).unwrap();
        close(mean.value, 14.0);
        close(mean.margin(), 4.30265 * 4.0 / 3f64.sqrt());
        assert!(!mean_of_seeds(&[10.0]).unwrap().is_bounded());
        assert_eq!(mean_of_seeds(&[]), None);
    }

    #[test]
    fn losses_pool_the_spread_of_few_seeds_and_stay_positive() {
        let sets = [vec![0.5, 0.7], vec![0.4, 0.4, 0.4], vec![0.9]];
        let means = mean_losses(&sets).into_iter().map(Option::unwrap).collect::<Vec<_>>();
        // S² = (1 · 0.02 + 2 · 0) / 3; t(0.975, 3) = 3.18245.
        let spread = (0.02f64 / 3.0).sqrt();
        for ((mean, found), n) in means.iter().zip([2.0, 3.0, 1.0]) {
            assert!(matches!(found, SeedSpread::AllSets { freedom: 3, .. }));
            close(mean.high - mean.value, 3.18245 * spread / f64::sqrt(n));
        }
        let (alone, spread) = mean_losses(&[vec![0.3]])[0].unwrap();
        assert!(!alone.is_bounded() && spread == SeedSpread::Unknown);
        // Two seeds far apart: 12.7 standard errors would lead below nothing.
        let (apart, _) = mean_losses(&[vec![0.1, 0.5]])[0].unwrap();
        assert_eq!(apart.low, 0.0);
        close(apart.high, 0.3 + 12.7062 * 0.2);
        assert_eq!(mean_losses(&[Vec::new()]), [None]);
    }

    #[test]
    fn the_seed_margin_is_the_limit_of_many_games() {
        let noisy = pool(&[seeds(&[10.0, 14.0, 18.0], 3.0)])[0].unwrap();
        let t = student_t95(2.0);
        // S² = 16; the games' share is 9.
        close(noisy.seed_margin, t * (7f64 / 3.0).sqrt());
        close(noisy.elo.margin().powi(2), noisy.seed_margin.powi(2) + t.powi(2) * 3.0);
        assert_eq!(pool(&[seeds(&[12.0], 5.0)])[0].unwrap().seed_margin, 0.0);
    }

    #[test]
    fn few_seeds_are_pooled_over_the_sets() {
        // S² = (2 · 4 + 1 · 16) / 3 = 8, less g² = 3; t(0.975, 3) = 3.18245.
        let error = 3f64.sqrt();
        let sets = [seeds(&[-2.0, 0.0, 2.0], error), seeds(&[5.0, 5.0 + 32f64.sqrt()], error)];
        let pooled = pool(&sets);
        let variances = [5.0 / 3.0 + 1.0, 5.0 / 2.0 + 3.0 / 2.0];
        for (set, variance) in pooled.iter().flatten().zip(variances) {
            close(set.elo.margin(), 3.18245 * f64::sqrt(variance));
            let SeedSpread::AllSets { deviation, freedom } = set.spread else { panic!("{set:?}") };
            close(deviation, 5f64.sqrt());
            assert_eq!(freedom, 3);
        }
    }

    #[test]
    fn five_seeds_use_their_own_spread() {
        let sets = [seeds(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.0), seeds(&[-50.0, 50.0], 0.0)];
        let five = pool(&sets)[0].unwrap();
        // S² = 2.5; t(0.975, 4) = 2.77645.
        close(five.elo.margin(), 2.77645 * (2.5f64 / 5.0).sqrt());
        assert!(matches!(five.spread, SeedSpread::OwnSeeds { freedom: 4, .. }));
    }

    #[test]
    fn seeds_closer_than_games_explain_do_not_hide_the_games() {
        let only = pool(&[seeds(&[3.0, 3.0, 3.0], 6.0)])[0].unwrap();
        close(only.elo.margin(), 4.30265 * 6.0 / 3f64.sqrt());
        close(only.game_margin, Z95 * 6.0 / 3f64.sqrt());
    }

    #[test]
    fn unbounded_estimates_cannot_be_pooled() {
        assert_eq!(SeedEstimate::new(f64::INFINITY, 1.0), None);
        let at_least = Estimate { value: 300.0, low: 200.0, high: f64::INFINITY };
        assert_eq!(SeedEstimate::of(&at_least), None);
        close(SeedEstimate::of(&Estimate::symmetric(10.0, Z95)).unwrap().standard_error, 1.0);
    }

    /// Simulated grids: the interval must cover the truth at least at about its nominal rate, with
    /// noise of seeds or of games.
    #[test]
    fn intervals_cover_the_true_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (spread, games) in [(8.0, 4.0), (2.0, 8.0), (0.0, 5.0)] {
            let (mut covered, mut total) = (0, 0);
            for _ in 0..1000 {
                let sets: Vec<Vec<SeedEstimate>> = (0..4)
                    .map(|_| {
                        let draw = |_| 20.0 + spread * normal(&mut rng) + games * normal(&mut rng);
                        seeds(&(0..3).map(draw).collect::<Vec<f64>>(), games)
                    })
                    .collect();
                let pooled = pool(&sets);
                covered += pooled.iter().flatten().filter(|set| set.elo.covers(20.0)).count();
                total += pooled.len();
            }
            let share = covered as f64 / total as f64;
            // Sets of one grid share the estimated spread, hence the slack.
            assert!((0.935..0.99).contains(&share), "spread {spread}: {share}");
        }
    }

    /// Box and Muller (1958).
    fn normal(rng: &mut ChaCha8Rng) -> f64 {
        let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}
