//! Learning curves: extrapolation of a measurement over numbers of positions, with its
//! uncertainty.
//!
//! Losses and strength follow powers of the number of positions, a + b·N^−c, but three or four
//! sizes do not determine the exponent. So the fit averages over a range of exponents: each gives
//! a curve by weighted least squares, and its weight is the likelihood of its fit. Between the
//! sizes the curves agree; beyond them they diverge, and the interval widens.
//!
//! The basis is (x^−c − 1) / c with x = N / N_largest, which becomes −ln x where c is 0: steady
//! gains per doubling. Positive exponents level off, negative ones gather speed.

use base::Estimate;
use statrs::distribution::{ContinuousCDF, Normal};

/// A quantity measured at some number of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Number of positions, above 0.
    pub(crate) positions: f64,
    /// A measured point.
    pub(crate) value: f64,
    /// Its standard error, above 0.
    pub(crate) error: f64,
}

/// Range of exponents, in tenths. Published ones of losses over data lie from 0.1 to 0.6.
const EXPONENTS: std::ops::RangeInclusive<i32> = -2..=10;

/// Curves through the same points.
#[derive(Clone, Debug)]
pub(crate) struct LearningCurve {
    /// The largest number of positions.
    largest: f64,
    members: Vec<Member>,
}

/// The curve of one exponent.
#[derive(Clone, Copy, Debug)]
struct Member {
    exponent: f64,
    /// Weight in the mixture.
    weight: f64,
    /// Value at the largest size, and factor of the basis.
    level: f64,
    slope: f64,
    /// Variances of both, and their covariance.
    variances: [f64; 2],
    covariance: f64,
    chi_squared: f64,
}

impl LearningCurve {
    /// Through points of two sizes at least; `None` of fewer, or of points without errors.
    pub(crate) fn through(points: &[Point]) -> Option<Self> {
        let is_sound = |point: &Point| {
            let Point { positions, value, error } = *point;
            positions > 0.0
                && error > 0.0
                && [positions, value, error].iter().all(|v| v.is_finite())
        };
        let largest = points.iter().map(|point| point.positions).fold(0.0, f64::max);
        let has_sizes = points.iter().any(|point| point.positions < largest);
        if !has_sizes || !points.iter().all(is_sound) {
            return None;
        }
        let mut members: Vec<Member> = EXPONENTS
            .map(|tenths| Member::through(points, largest, f64::from(tenths) / 10.0))
            .collect();
        let best = members.iter().map(|member| member.chi_squared).fold(f64::INFINITY, f64::min);
        // Points that no curve goes through are less sure than they say.
        let freedom = points.len() as f64 - 2.0;
        let inflation = if freedom > 0.0 { (best / freedom).max(1.0) } else { 1.0 };
        for member in &mut members {
            member.weight = (-(member.chi_squared - best) / (2.0 * inflation)).exp();
            member.variances = member.variances.map(|variance| variance * inflation);
            member.covariance *= inflation;
        }
        let sum: f64 = members.iter().map(|member| member.weight).sum();
        members.iter_mut().for_each(|member| member.weight /= sum);
        Some(Self { largest, members })
    }

    /// The largest number of positions that it goes through.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Where it is at a number of positions, with its 95 % interval.
    pub(crate) fn at(&self, positions: f64) -> Estimate {
        self.with_error(positions, 0.0)
    }

    /// A measurement with this standard error there, with its 95 % interval.
    pub(crate) fn predicts(&self, positions: f64, error: f64) -> Estimate {
        self.with_error(positions, error)
    }

    fn with_error(&self, positions: f64, error: f64) -> Estimate {
        let predictions: Vec<(f64, Normal)> = self
            .members
            .iter()
            .filter_map(|member| {
                let (mean, variance) = member.at(positions / self.largest);
                let deviation = (variance + error * error).sqrt().max(f64::MIN_POSITIVE);
                Some((member.weight, Normal::new(mean, deviation).ok()?))
            })
            .collect();
        let quantile = |share| quantile(&predictions, share);
        Estimate::new(quantile(0.5), quantile(0.025), quantile(0.975))
    }
}

impl Member {
    fn through(points: &[Point], largest: f64, exponent: f64) -> Self {
        let (mut s0, mut s1, mut s2, mut t0, mut t1) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for Point { positions, value, error } in points {
            let (weight, g) = (1.0 / (error * error), basis(positions / largest, exponent));
            s0 += weight;
            s1 += weight * g;
            s2 += weight * g * g;
            t0 += weight * value;
            t1 += weight * g * value;
        }
        let determinant = s0 * s2 - s1 * s1;
        let (level, slope) = ((s2 * t0 - s1 * t1) / determinant, (s0 * t1 - s1 * t0) / determinant);
        let residual = |point: &Point| {
            let on_curve = level + slope * basis(point.positions / largest, exponent);
            ((point.value - on_curve) / point.error).powi(2)
        };
        Self {
            exponent,
            weight: 1.0,
            level,
            slope,
            variances: [s2 / determinant, s0 / determinant],
            covariance: -s1 / determinant,
            chi_squared: points.iter().map(residual).sum(),
        }
    }

    /// Mean and variance at a multiple of the largest size.
    fn at(&self, x: f64) -> (f64, f64) {
        let g = basis(x, self.exponent);
        let [level, slope] = self.variances;
        let variance = level + 2.0 * g * self.covariance + g * g * slope;
        (self.level + self.slope * g, variance.max(0.0))
    }
}

/// 0 at the largest size.
fn basis(x: f64, exponent: f64) -> f64 {
    if exponent == 0.0 { -x.ln() } else { (x.powf(-exponent) - 1.0) / exponent }
}

/// The value below which a mixture has that share.
fn quantile(mixture: &[(f64, Normal)], share: f64) -> f64 {
    let below = |value: f64| mixture.iter().map(|(weight, part)| weight * part.cdf(value)).sum();
    let ends = mixture.iter().map(|(_, part)| part.inverse_cdf(share));
    let (mut low, mut high) = ends
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| (low.min(end), high.max(end)));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let is_below: f64 = below(middle);
        if is_below < share { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn points(values: &[(f64, f64)], error: f64) -> Vec<Point> {
        values.iter().map(|&(positions, value)| Point { positions, value, error }).collect()
    }

    #[test]
    fn two_points_are_gone_through() {
        let curve = LearningCurve::through(&points(&[(1e6, 10.0), (4e6, 30.0)], 2.0)).unwrap();
        for (at, value) in [(1e6, 10.0), (4e6, 30.0)] {
            let there = curve.at(at);
            assert!((there.value - value).abs() < 1e-6, "{there:?}");
            assert!((there.margin() - 2.0 * 1.96).abs() < 0.01, "{there:?}");
        }
        // From a quarter of the gain of the last step to more than all of it.
        let beyond = curve.at(16e6);
        assert!(beyond.low < 35.0 && beyond.high > 50.0 && beyond.low > 20.0, "{beyond:?}");
    }

    #[test]
    fn beyond_the_points_less_is_known_the_farther_the_less() {
        let curve =
            LearningCurve::through(&points(&[(1e6, 0.0), (2e6, 9.0), (4e6, 17.0)], 1.0)).unwrap();
        let margins = [4e6, 8e6, 16e6, 64e6].map(|at| curve.at(at).margin());
        assert!(margins.is_sorted_by(|a, b| a < b), "{margins:?}");
        assert!(curve.predicts(8e6, 3.0).margin() > curve.at(8e6).margin() + 1.0);
    }

    #[test]
    fn one_size_is_no_curve() {
        assert!(LearningCurve::through(&points(&[(1e6, 1.0), (1e6, 2.0)], 1.0)).is_none());
        assert!(LearningCurve::through(&[]).is_none());
        assert!(LearningCurve::through(&points(&[(1e6, 1.0), (2e6, 2.0)], 0.0)).is_none());
        assert!(LearningCurve::through(&points(&[(1e6, f64::NAN), (2e6, 2.0)], 1.0)).is_none());
    }

    /// Coverage of the interval over many noisy curves of any exponent: about its nominal level.
    #[test]
    fn predictions_cover_the_truth() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut noise = move || {
            let sum: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum();
            sum - 6.0
        };
        let (mut held, mut all) = (0, 0);
        for round in 0..400 {
            let exponent = f64::from(round % 9) / 10.0;
            let truth = |at: f64| 40.0 - 30.0 * basis(at / 16e6, exponent) / basis(0.25, exponent);
            let sizes = [1e6, 4e6, 16e6];
            let measured = sizes.map(|at| (at, truth(at) + 3.0 * noise()));
            let curve = LearningCurve::through(&points(&measured, 3.0)).unwrap();
            held += u32::from(curve.predicts(64e6, 3.0).covers(truth(64e6) + 3.0 * noise()));
            all += 1;
        }
        let share = f64::from(held) / f64::from(all);
        assert!((0.90..=0.995).contains(&share), "{share}");
    }
}
