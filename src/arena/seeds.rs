//! Elo of a feature set from several training seeds.
//!
//! Nets of one set differ by their seeds, so the games of one net, however many, say little about
//! the set. The Elo of seed j of set i over the reference's net of the same seed is
//!
//! e = μ(i) + a(i, j) − r(j) + g(i, j)
//!
//! - a and r: luck of the two nets, both N(0, τ²); all sets that meet a net share its luck r;
//! - g: noise of the games, N(0, s²) with s from the games.
//!
//! Games of the reference's nets against each other have the Elo r(j) − r(k) + g: they say more of
//! the luck, and nothing of a set.
//!
//! The spread between seeds τ is the one unknown beside the means μ. Its posterior is the restricted
//! likelihood of all sets (H. D. Patterson, R. Thompson, 1971) times a prior that is uniform in
//! ln(1 + τ / 1.2 Elo): flat for small spreads and scale-free above, since seeds may not matter at
//! all or by tens of Elo. The interval of a set is that of the mixture over τ of normal
//! distributions around its mean, with variance Σ (2τ² + s²) / n². Game noise is known and needs no
//! degrees of freedom; Student's t would take 4.3 of its standard errors with three seeds.
//!
//! One seed everywhere leaves the spread unknown, and intervals hold the games alone.
//! `cargo run --release --package oplus-arena --example intervals` counts false and missed verdicts.

#[cfg(test)]
mod simulated;

use std::collections::BTreeSet;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use serde::Serialize;
use statrs::function::erf::erfc;

use base::Estimate;
use base::estimate::Z95;

/// Spread in Elo from which on the prior is flat in the logarithm. Chosen by simulation: false
/// verdicts at spreads of 0 to 30 Elo against the power to find 25 Elo with three seeds.
const PRIOR_SCALE: f64 = 1.2;

/// Largest spread of the prior, in Elo.
const LARGEST_SPREAD: f64 = 600.0;

/// Points at which the posterior of the spread is computed.
const POINTS: usize = 96;

/// Probability outside an interval.
const OUTSIDE: f64 = 0.05;

/// A net that others meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Opponent {
    /// Its variant.
    pub variant: usize,
    /// Its place among the nets of the variant.
    pub net: usize,
}

/// Elo of one net over its opponent, with the standard error that the games leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeedEstimate {
    elo: f64,
    standard_error: f64,
    opponent: Opponent,
}

/// Elo of a net that others meet over another one of its set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullEstimate {
    pub net: Opponent,
    /// Over the other net.
    pub estimate: SeedEstimate,
}

/// Standard deviation between nets of one set, in Elo: median and 95 % interval of its posterior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeedSpread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// A feature set over its seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PooledEstimate {
    /// Mean over the seeds, with its 95 % interval.
    pub elo: Estimate,
    pub seeds: usize,
    /// Half width of the interval if seeds did not matter.
    pub game_margin: f64,
    /// Half width that would remain however many games were played; 0 where the spread is unknown.
    pub seed_margin: f64,
    /// `None` with one seed everywhere: the interval holds the games alone.
    pub spread: Option<SeedSpread>,
}

/// Pools the seeds of each set; `None` for a set without an estimate. Sets that are compared belong
/// in one call: they share the spread between seeds and the opponents' luck. Games of opponents
/// against each other, `null`, say more of both.
pub fn pool(sets: &[Vec<SeedEstimate>], null: &[NullEstimate]) -> Vec<Option<PooledEstimate>> {
    let posterior = SpreadPosterior::of(sets, null);
    sets.iter().map(|seeds| pool_one(seeds, posterior.as_ref())).collect()
}

fn pool_one(seeds: &[SeedEstimate], posterior: Option<&SpreadPosterior>) -> Option<PooledEstimate> {
    if seeds.is_empty() {
        return None;
    }
    let n = seeds.len() as f64;
    let mean = seeds.iter().map(|seed| seed.elo).sum::<f64>() / n;
    let of_games = seeds.iter().map(SeedEstimate::variance).sum::<f64>() / n.powi(2);
    let game_margin = Z95 * of_games.sqrt();
    let margin = |posterior: &SpreadPosterior, of_games: f64| {
        posterior.margin(|spread| 2.0 * spread.powi(2) / n + of_games)
    };
    Some(PooledEstimate {
        elo: Estimate::symmetric(mean, posterior.map_or(game_margin, |one| margin(one, of_games))),
        seeds: seeds.len(),
        game_margin,
        seed_margin: posterior.map_or(0.0, |one| margin(one, 0.0)),
        spread: posterior.map(SpreadPosterior::summary),
    })
}

impl SeedEstimate {
    /// `None` unless both are finite and the error is positive.
    pub fn new(elo: f64, standard_error: f64, opponent: Opponent) -> Option<Self> {
        let usable = elo.is_finite() && standard_error.is_finite() && standard_error > 0.0;
        usable.then_some(Self { elo, standard_error, opponent })
    }

    /// From an estimate that is bounded on both sides.
    pub fn of(estimate: &Estimate, opponent: Opponent) -> Option<Self> {
        Self::new(estimate.value, estimate.standard_error()?, opponent)
    }

    /// A weighted sum of results of one net over one opponent, whose games are independent; `None`
    /// without results, or with those over several opponents.
    pub fn combined(parts: impl IntoIterator<Item = (f64, Self)>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let (weight, first) = parts.next()?;
        let (mut elo, mut variance) = (weight * first.elo, weight.powi(2) * first.variance());
        for (weight, part) in parts {
            if part.opponent != first.opponent {
                return None;
            }
            elo += weight * part.elo;
            variance += weight.powi(2) * part.variance();
        }
        Self::new(elo, variance.sqrt(), first.opponent)
    }

    /// Variance that the games leave, in Elo².
    pub fn variance(&self) -> f64 {
        self.standard_error.powi(2)
    }
}

/// Posterior of the spread between seeds, on points that are equally likely before.
#[derive(Clone, Debug)]
struct SpreadPosterior {
    /// Spread and its probability.
    points: Vec<(f64, f64)>,
}

impl SpreadPosterior {
    /// `None` if no set has two seeds.
    fn of(sets: &[Vec<SeedEstimate>], null: &[NullEstimate]) -> Option<Self> {
        if sets.iter().all(|seeds| seeds.len() < 2) {
            return None;
        }
        let layout = Layout::of(sets, null);
        let largest = (LARGEST_SPREAD / PRIOR_SCALE).ln_1p();
        let spreads: Vec<f64> = (0..POINTS)
            .map(|i| PRIOR_SCALE * (largest * i as f64 / (POINTS - 1) as f64).exp_m1())
            .collect();
        let logs: Vec<f64> =
            spreads.iter().map(|spread| layout.log_likelihood(spread.powi(2))).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let probabilities = weights.into_iter().map(|weight| weight / sum);
        Some(Self { points: spreads.into_iter().zip(probabilities).collect() })
    }

    /// Half width of the 95 % interval of a mean whose variance depends on the spread.
    fn margin(&self, variance: impl Fn(f64) -> f64) -> f64 {
        let deviations: Vec<(f64, f64)> =
            self.points.iter().map(|&(spread, p)| (variance(spread).sqrt(), p)).collect();
        let outside = |half: f64| -> f64 {
            let normal = |deviation: f64| match deviation > 0.0 {
                true => erfc(half / (deviation * std::f64::consts::SQRT_2)),
                false => 0.0,
            };
            deviations.iter().map(|&(deviation, p)| p * normal(deviation)).sum()
        };
        let largest = deviations.iter().map(|(deviation, _)| *deviation).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, Z95 * largest);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match outside(middle) > OUTSIDE {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }

    fn summary(&self) -> SeedSpread {
        let quantile = |q: f64| {
            let mut below = 0.0;
            let reached = self.points.iter().find(|(_, p)| {
                below += p;
                below >= q
            });
            reached.map_or(LARGEST_SPREAD, |(spread, _)| *spread)
        };
        let [low, median, high] = [OUTSIDE / 2.0, 0.5, 1.0 - OUTSIDE / 2.0].map(quantile);
        SeedSpread { median, low, high }
    }
}

/// All estimates as rows of a mixed linear model.
struct Layout {
    sets: usize,
    opponents: usize,
    rows: Vec<Row>,
}

/// Elo of a pairing.
struct Row {
    elo: f64,
    /// Variance of the games, in Elo².
    of_games: f64,
    /// The set whose mean and whose net's luck it has; `None` of the null.
    set: Option<usize>,
    /// Indices of the opponents' nets, with the signs of their luck.
    luck: Vec<(usize, f64)>,
}

impl Layout {
    fn of(sets: &[Vec<SeedEstimate>], null: &[NullEstimate]) -> Self {
        let filled: Vec<&Vec<SeedEstimate>> =
            sets.iter().filter(|seeds| !seeds.is_empty()).collect();
        let met = filled.iter().copied().flatten().map(|seed| seed.opponent);
        let of_null = null.iter().flat_map(|one| [one.net, one.estimate.opponent]);
        let opponents: BTreeSet<Opponent> = met.chain(of_null).collect();
        let opponents: Vec<Opponent> = opponents.into_iter().collect();
        let index = |opponent: Opponent| opponents.partition_point(|other| *other < opponent);
        let row = |estimate: &SeedEstimate, set, own: Option<Opponent>| {
            let luck = own.map(|net| (index(net), 1.0)).into_iter();
            let luck = luck.chain([(index(estimate.opponent), -1.0)]).collect();
            Row { elo: estimate.elo, of_games: estimate.variance(), set, luck }
        };
        let of_sets = filled.iter().enumerate();
        let of_sets = of_sets.flat_map(|(set, seeds)| seeds.iter().map(move |seed| (set, seed)));
        let of_sets = of_sets.map(|(set, seed)| row(seed, Some(set), None));
        let of_null = null.iter().map(|one| row(&one.estimate, None, Some(one.net)));
        Self {
            sets: filled.len(),
            opponents: opponents.len(),
            rows: of_sets.chain(of_null).collect(),
        }
    }

    /// Restricted log-likelihood of a variance between nets, up to a constant. The covariance is
    /// D + τ² Z Zᵀ with D diagonal and Z the opponents' luck in the rows; its inverse is that of a
    /// matrix as large as the number of opponents (M. A. Woodbury, 1950).
    fn log_likelihood(&self, between: f64) -> f64 {
        let (mut log_determinant, mut squares) = (0.0, 0.0);
        let mut information = DMatrix::<f64>::zeros(self.sets, self.sets);
        let mut weighted = DVector::<f64>::zeros(self.sets);
        // I + τ² Zᵀ D⁻¹ Z, and Zᵀ D⁻¹ times the means' design and the estimates.
        let mut inner = DMatrix::<f64>::identity(self.opponents, self.opponents);
        let mut of_sets = DMatrix::<f64>::zeros(self.opponents, self.sets);
        let mut of_elo = DVector::<f64>::zeros(self.opponents);
        for row in &self.rows {
            let own = row.weight(between);
            log_determinant -= own.ln();
            squares += own * row.elo.powi(2);
            if let Some(set) = row.set {
                information[(set, set)] += own;
                weighted[set] += own * row.elo;
            }
            for &(net, sign) in &row.luck {
                of_elo[net] += own * sign * row.elo;
                if let Some(set) = row.set {
                    of_sets[(net, set)] += own * sign;
                }
                for &(other, of_other) in &row.luck {
                    inner[(net, other)] += between * own * sign * of_other;
                }
            }
        }
        // Both are positive definite but for rounding: every set has an estimate.
        let Some(inner) = inner.cholesky() else { return f64::NEG_INFINITY };
        information -= between * of_sets.tr_mul(&inner.solve(&of_sets));
        weighted -= between * of_sets.tr_mul(&inner.solve(&of_elo));
        squares -= between * of_elo.dot(&inner.solve(&of_elo));
        let Some(information) = information.cholesky() else { return f64::NEG_INFINITY };
        let of_means = log_determinant_of(&information) + squares
            - weighted.dot(&information.solve(&weighted));
        -0.5 * (log_determinant + log_determinant_of(&inner) + of_means)
    }
}

impl Row {
    /// Reciprocal of the variance beside the opponents' luck.
    fn weight(&self, between: f64) -> f64 {
        let of_net = if self.set.is_some() { between } else { 0.0 };
        1.0 / (of_net + self.of_games)
    }
}

fn log_determinant_of(factor: &Cholesky<f64, Dyn>) -> f64 {
    factor.l_dirty().diagonal().iter().map(|d| 2.0 * d.ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn seeds(elos: &[f64], standard_error: f64) -> Vec<SeedEstimate> {
        let estimate = |(net, &elo): (usize, &f64)| {
            SeedEstimate::new(elo, standard_error, Opponent { variant: 0, net }).unwrap()
        };
        elos.iter().enumerate().map(estimate).collect()
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "found {found}, expected {expected}");
    }

    #[test]
    fn one_seed_leaves_the_spread_unknown() {
        let pooled = pool(&[seeds(&[12.0], 5.0), Vec::new()], &[]);
        let only = pooled[0].unwrap();
        assert_eq!((only.spread, only.seed_margin), (None, 0.0));
        close(only.elo.margin(), Z95 * 5.0, 1e-9);
        assert_eq!(pooled[1], None);
    }

    /// Sums of squares of a balanced layout are sufficient: MS over seeds has the expectation
    /// (k + 1) τ² + s², MS of the rest τ² + s².
    #[test]
    fn likelihood_of_a_balanced_layout_follows_its_mean_squares() {
        let table = [[3.0, -8.0, 21.0], [14.0, -2.0, 5.0]];
        let sets: Vec<Vec<SeedEstimate>> = table.iter().map(|row| seeds(row, 6.0)).collect();
        // Means of seeds less their mean 3, −10.5, 7.5: 2 · (9 + 110.25 + 56.25) / 2 = 175.5. Rest
        // −5.33, −2.83, 8.17 and the negative of it: 2 · (28.44 + 8.03 + 66.69) / 2 = 103.17.
        let [of_seeds, rest] = [175.5, 103.166_666_666_666_67];
        let layout = Layout::of(&sets, &[]);
        let expected = |between: f64| {
            let [seeds, others] = [3.0 * between + 36.0, between + 36.0];
            -(seeds.ln() + of_seeds / seeds) - (others.ln() + rest / others)
        };
        let base = layout.log_likelihood(0.0) - expected(0.0);
        for between in [1.0, 20.0, 300.0] {
            close(layout.log_likelihood(between) - expected(between), base, 1e-9);
        }
    }

    #[test]
    fn wide_spreads_follow_the_seeds_and_narrow_ones_the_games() {
        let apart = pool(&[seeds(&[-60.0, 0.0, 60.0], 1.0)], &[])[0].unwrap();
        // Close to Student's t with two degrees of freedom: 4.30 · 60 / √3.
        close(apart.elo.margin(), 149.0, 25.0);
        let alike = pool(&[seeds(&[10.0, 11.0, 12.0], 8.0)], &[])[0].unwrap();
        assert!(alike.elo.margin() < 1.6 * alike.game_margin, "{alike:?}");
        assert!(alike.elo.margin() > alike.game_margin && alike.seed_margin > 0.0);
        let spread = apart.spread.unwrap();
        assert!(spread.low < spread.median && spread.median < spread.high, "{spread:?}");
        assert!(spread.covers_deviation(60.0 / 2f64.sqrt()));
    }

    impl SeedSpread {
        fn covers_deviation(self, deviation: f64) -> bool {
            (self.low..=self.high).contains(&deviation)
        }
    }

    #[test]
    fn sets_lend_each_other_their_seeds() {
        let own = seeds(&[10.0, 14.0, 18.0], 8.0);
        let margin = |sets: &[Vec<SeedEstimate>]| pool(sets, &[])[0].unwrap().elo.margin();
        let quiet = seeds(&[0.0, 1.0, 2.0], 8.0);
        let alone = margin(std::slice::from_ref(&own));
        assert!(margin(&[own.clone(), quiet.clone(), quiet]) < alone);
        let loud = seeds(&[-80.0, 90.0, 10.0], 8.0);
        assert!(margin(&[own, loud]) > 1.5 * alone);
    }

    /// Luck of the reference's nets, which all sets share, is no spread of their own.
    #[test]
    fn shared_luck_is_known_by_the_opponent() {
        let rows = [[40.0, -40.0, 5.0], [43.0, -38.0, 2.0], [38.0, -43.0, 9.0]];
        let sets: Vec<Vec<SeedEstimate>> = rows.iter().map(|row| seeds(row, 5.0)).collect();
        let shared = pool(&sets, &[])[0].unwrap();
        let apart: Vec<Vec<SeedEstimate>> = (0..)
            .zip(&sets)
            .map(|(variant, set)| {
                let of_own = |&seed: &SeedEstimate| SeedEstimate {
                    opponent: Opponent { variant, ..seed.opponent },
                    ..seed
                };
                set.iter().map(of_own).collect()
            })
            .collect();
        assert!(
            shared.spread.unwrap().median < pool(&apart, &[])[0].unwrap().spread.unwrap().median
        );
    }

    /// Games of opponents against each other.
    fn null(elos: &[(usize, usize, f64)], standard_error: f64) -> Vec<NullEstimate> {
        let opponent = |net| Opponent { variant: 0, net };
        let one = |&(net, other, elo): &(usize, usize, f64)| NullEstimate {
            net: opponent(net),
            estimate: SeedEstimate::new(elo, standard_error, opponent(other)).unwrap(),
        };
        elos.iter().map(one).collect()
    }

    /// The likelihood by the whole covariance of the estimates.
    #[test]
    fn likelihood_is_that_of_the_whole_covariance() {
        let sets = [seeds(&[3.0, -8.0, 21.0], 6.0), seeds(&[14.0, -2.0], 9.0)];
        let null = null(&[(0, 1, 12.0), (1, 2, -30.0), (2, 0, 7.0)], 7.0);
        let layout = Layout::of(&sets, &null);
        let elos = DVector::from_column_slice(&[3.0, -8.0, 21.0, 14.0, -2.0, 12.0, -30.0, 7.0]);
        let means =
            DMatrix::from_fn(8, 2, |row, set| f64::from([row < 3, (3..5).contains(&row)][set]));
        #[rustfmt::skip]
        let luck = DMatrix::from_row_slice(8, 3, &[
            -1.0, 0.0, 0.0,   0.0, -1.0, 0.0,   0.0, 0.0, -1.0,
            -1.0, 0.0, 0.0,   0.0, -1.0, 0.0,
            1.0, -1.0, 0.0,   0.0, 1.0, -1.0,   -1.0, 0.0, 1.0,
        ]);
        let expected = |between: f64| {
            let own = [36.0, 36.0, 36.0, 81.0, 81.0].map(|of_games| of_games + between);
            let own: Vec<f64> = own.into_iter().chain([49.0; 3]).collect();
            let covariance = DMatrix::from_diagonal(&DVector::from_vec(own))
                + between * &luck * luck.transpose();
            let determinant = covariance.determinant().ln();
            let inverse = covariance.try_inverse().unwrap();
            let information = means.transpose() * &inverse * &means;
            let fitted = information.clone().try_inverse().unwrap() * means.transpose() * &inverse;
            let rest = &elos - &means * fitted * &elos;
            let squares = (rest.transpose() * inverse * &rest)[0];
            -0.5 * (determinant + information.determinant().ln() + squares)
        };
        for between in [0.0, 1.0, 20.0, 300.0] {
            close(layout.log_likelihood(between), expected(between), 1e-9);
        }
    }

    /// The reference's nets tell by games of their own whether seeds matter.
    #[test]
    fn the_null_tells_whether_seeds_matter() {
        let own = [seeds(&[10.0, 14.0, 18.0], 8.0)];
        let margin = |null: &[NullEstimate]| pool(&own, null)[0].unwrap().elo.margin();
        let quiet = null(&[(0, 1, 1.0), (1, 2, -2.0), (2, 0, 3.0)], 8.0);
        let loud = null(&[(0, 1, 70.0), (1, 2, -40.0), (2, 0, -30.0)], 8.0);
        assert!(margin(&quiet) < margin(&[]) && margin(&loud) > 1.5 * margin(&[]));
    }

    #[test]
    fn unbounded_estimates_cannot_be_pooled() {
        let opponent = Opponent { variant: 0, net: 0 };
        assert_eq!(SeedEstimate::new(f64::INFINITY, 1.0, opponent), None);
        let at_least = Estimate { value: 300.0, low: 200.0, high: f64::INFINITY };
        assert_eq!(SeedEstimate::of(&at_least, opponent), None);
        let bounded = SeedEstimate::of(&Estimate::symmetric(10.0, Z95), opponent).unwrap();
        close(bounded.standard_error, 1.0, 1e-9);
    }

    /// Verdicts on equal sets are false in 5 % of cases at most, or close to it, and three seeds of
    /// 400 games find 25 Elo.
    #[test]
    fn verdicts_are_rarely_false_and_find_25_elo() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (sets, seeds, spread, at_most) in
            [(1, 3, 0.0, 0.03), (1, 3, 10.0, 0.06), (1, 3, 30.0, 0.10), (5, 3, 30.0, 0.08)]
        {
            let plan = simulated::Plan { sets, seeds, null: false };
            let found = simulated::share_found(&mut rng, plan, spread, 0.0, 1_500 / sets);
            assert!(found <= at_most, "{sets} sets, spread {spread}: {found}");
        }
        let plan = simulated::Plan { sets: 5, seeds: 3, null: false };
        let power = simulated::share_found(&mut rng, plan, 0.0, 25.0, 200);
        assert!(power > 0.74, "{power}");
    }
}
