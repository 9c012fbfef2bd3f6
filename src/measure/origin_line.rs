//! A line through the origin, with errors in both directions.
//!
//! York, *Least-squares fitting of a straight line*, 1966, here through the origin: two variants
//! without a difference in one quantity have none in the other.

use arena::student_t95;
use base::Estimate;
use base::estimate::Z95;

/// Steps of the iterations. York's converges within ten on leads of games; bisection halves each time.
const STEPS: usize = 60;

/// End of the search by bisection.
const MOST: f64 = (1 << 24) as f64;

/// Two quantities of a variant, as differences from those of its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub x: Estimate,
    pub y: Estimate,
}

impl Point {
    /// Distance in the direction of y from the line of a slope.
    pub(crate) fn residual(&self, slope: f64) -> f64 {
        self.y.value - slope * self.x.value
    }

    /// Precision of that distance.
    fn weight(&self, slope: f64) -> f64 {
        1.0 / (variance(self.y) + slope * slope * variance(self.x))
    }
}

/// Square of the standard error.
pub(crate) fn variance(estimate: Estimate) -> f64 {
    (estimate.margin() / Z95).powi(2)
}

/// Sum of squared distances from the line, in their errors.
fn squares(points: &[Point], slope: f64) -> f64 {
    points.iter().map(|point| point.residual(slope).powi(2) * point.weight(slope)).sum()
}

/// The slope of least squares. The ends of its interval raise the sum of squares by 1.96². Where the
/// points scatter more than their errors, y has a scatter of its own, so large that the sum of squares
/// is that of its degrees of freedom, and the quantile is Student's. `None` with one point, or with x
/// of 0 alone.
pub(crate) fn slope(points: &[Point]) -> Option<Estimate> {
    let freedom = points.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let sum = |points: &[Point]| squares(points, least_squares(points));
    let scatters = sum(points) > freedom;
    let points = match scatters {
        true => widened(points, bisected(|scatter| sum(&widened(points, scatter)) > freedom)),
        false => points.to_vec(),
    };
    let slope = least_squares(&points);
    let quantile = if scatters { student_t95(freedom) } else { Z95 };
    let highest = squares(&points, slope) + quantile * quantile;
    let [low, high] = [-1.0, 1.0].map(|side| end(&points, slope, side, highest));
    slope.is_finite().then(|| Estimate::new(slope, low, high))
}

/// Points with a further variance of y.
fn widened(points: &[Point], scatter: f64) -> Vec<Point> {
    let y = |y: Estimate| Estimate::symmetric(y.value, Z95 * (variance(y) + scatter).sqrt());
    points.iter().map(|point| Point { y: y(point.y), ..*point }).collect()
}

/// York's iteration.
fn least_squares(points: &[Point]) -> f64 {
    let mut slope = start(points);
    for _ in 0..STEPS {
        let sum = |part: &dyn Fn(&Point) -> f64| -> f64 {
            // The adjusted abscissa: between x and that of the line at y.
            let at = |p: &Point| p.x.value * variance(p.y) + slope * p.y.value * variance(p.x);
            points.iter().map(|p| p.weight(slope).powi(2) * at(p) * part(p)).sum()
        };
        slope = sum(&|p| p.y.value) / sum(&|p| p.x.value);
    }
    slope
}

/// The largest value above 0 for which a falling condition holds, up to 2²⁴.
fn bisected(holds: impl Fn(f64) -> bool) -> f64 {
    let mut outside = 1e-3;
    while holds(outside) && outside < MOST {
        outside *= 2.0;
    }
    let mut inside = 0.0;
    for _ in 0..STEPS {
        let middle = (inside + outside) / 2.0;
        if holds(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// Least squares without errors of x.
fn start(points: &[Point]) -> f64 {
    let sum = |of: fn(&Point) -> f64| points.iter().map(of).sum::<f64>();
    sum(|p| p.x.value * p.y.value) / sum(|p| p.x.value.powi(2))
}

/// Slope on one side at which the sum of squares reaches `highest`; infinite if it never does.
fn end(points: &[Point], slope: f64, side: f64, highest: f64) -> f64 {
    let is_inside = |distance: f64| squares(points, slope + side * distance) < highest;
    let distance = bisected(is_inside);
    if distance < MOST / 2.0 { slope + side * distance } else { side * f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::Normal;

    #[test]
    fn steep_lines_without_noise_are_found_again() {
        for slope in [-30.0, 0.2, 1.5, 40.0] {
            let point = |x: f64| Point {
                x: Estimate::symmetric(x, 0.5),
                y: Estimate::symmetric(slope * x, 10.0),
            };
            let found = super::slope(&[-4.0, 1.0, 6.0].map(point)).unwrap();
            assert!((found.value - slope).abs() < 1e-6 * slope.abs(), "{slope}: {found:?}");
            assert!(found.low < slope && slope < found.high, "{slope}: {found:?}");
        }
    }

    /// Share of experiments whose interval holds the true slope, with errors as large as half of the
    /// points' spread, and a scatter of y that the errors do not have.
    fn share_held(points: usize, scatter: f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let noise = Normal::new(0.0, 10.0).unwrap();
        let other = Normal::new(0.0, scatter).unwrap();
        let trials = 2_000;
        let held = (0..trials).filter(|_| {
            let points: Vec<Point> = (0..points)
                .map(|_| {
                    let truth: f64 = rng.random_range(-40.0..40.0);
                    let x = truth + rng.sample(noise);
                    let y = 1.4 * truth + rng.sample(noise) + rng.sample(other);
                    let margin = Z95 * 10.0;
                    Point { x: Estimate::symmetric(x, margin), y: Estimate::symmetric(y, margin) }
                })
                .collect();
            let slope = super::slope(&points).unwrap();
            slope.low <= 1.4 && 1.4 <= slope.high
        });
        held.count() as f64 / f64::from(trials)
    }

    #[test]
    fn intervals_hold_the_slope_through_the_origin() {
        for points in [4, 7, 12] {
            let share = share_held(points, 0.0);
            assert!((0.93..0.99).contains(&share), "{points} points: {share}");
        }
        // The scatter of few points is hardly known: some 90 % where it is twice the errors.
        for points in [4, 7, 12] {
            let share = share_held(points, 20.0);
            assert!((0.88..0.98).contains(&share), "{points} points with a scatter: {share}");
        }
    }
}
