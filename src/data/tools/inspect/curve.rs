//! Agreement of scores and results.

use serde::Serialize;

/// Fit of a logistic curve of the scores to the results: the expected result is
/// 1 / (1 + exp(−score / scale)).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The scale of best fit, in centipawns: `out_scaling` of training.
    pub scale: f64,
    /// Mean squared error of the results so expected.
    pub error: f64,
    /// The same if every result is taken to be the mean.
    pub error_of_mean: f64,
    /// Positions with both.
    pub positions: u64,
    /// Mean results of each class of scores, from the lowest.
    pub observed: Vec<Observed>,
}

/// Mean result of positions with about the same score, from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Observed {
    /// Mean score of its positions.
    pub centipawns: f64,
    /// White's mean points, 0 to 1.
    pub points: f64,
    pub positions: u64,
}

fn expected(centipawns: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-centipawns / scale).exp())
}

/// Results by score, in steps of [`STEP`] centipawns.
#[derive(Default)]
pub(super) struct Curve {
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Default)]
struct Step {
    count: f64,
    points: f64,
    squares: f64,
}

const STEP: i32 = 5;
/// Steps of a class that is shown: 50 centipawns.
const CLASS: usize = 10;
/// Larger scores mean a decided game, and no more.
const LAST: i32 = 2_000;

/// The score in the middle of a step.
fn centipawns(step: usize) -> f64 {
    f64::from(step as i32 * STEP - LAST)
}

impl Curve {
    /// Adds a position with its score and the half points of its game, both White's.
    pub(super) fn add(&mut self, centipawns: i32, half_points: u8) {
        let index = (centipawns.clamp(-LAST, LAST) + LAST + STEP / 2) / STEP;
        let index = index as usize;
        self.steps.resize(self.steps.len().max(index + 1), Step::default());
        let points = f64::from(half_points) / 2.0;
        let step = &mut self.steps[index];
        step.count += 1.0;
        step.points += points;
        step.squares += points * points;
    }

    /// The scale that fits best by squared error, found by golden-section search.
    pub(super) fn fit(&self) -> Option<Agreement> {
        let count: f64 = self.steps.iter().map(|step| step.count).sum();
        let points: f64 = self.steps.iter().map(|step| step.points).sum();
        let squares: f64 = self.steps.iter().map(|step| step.squares).sum();
        if count < 2.0 {
            return None;
        }
        let ratio = (5.0f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (10.0f64.ln(), 3_000.0f64.ln());
        while high - low > 1e-4 {
            let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
            match self.error(a.exp()) < self.error(b.exp()) {
                true => high = b,
                false => low = a,
            }
        }
        let scale = ((low + high) / 2.0).exp();
        Some(Agreement {
            scale,
            error: self.error(scale) / count,
            error_of_mean: squares / count - (points / count).powi(2),
            positions: count as u64,
            observed: self.observed(),
        })
    }

    /// Classes of scores that are wide enough to be read.
    fn observed(&self) -> Vec<Observed> {
        let classes = self.steps.chunks(CLASS);
        let class = |(number, steps): (usize, &[Step])| {
            let positions: f64 = steps.iter().map(|step| step.count).sum();
            let points: f64 = steps.iter().map(|step| step.points).sum();
            let scores = (number * CLASS..).zip(steps);
            let sum: f64 = scores.map(|(i, step)| step.count * centipawns(i)).sum();
            (positions > 0.0).then(|| Observed {
                centipawns: sum / positions,
                points: points / positions,
                positions: positions as u64,
            })
        };
        classes.enumerate().filter_map(class).collect()
    }

    /// Sum of the squared errors.
    fn error(&self, scale: f64) -> f64 {
        let of_step = |(i, step): (usize, &Step)| {
            let expected = expected(centipawns(i), scale);
            step.squares - 2.0 * expected * step.points + expected * expected * step.count
        };
        self.steps.iter().enumerate().map(of_step).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_of_a_logistic_curve_is_found() {
        let mut curve = Curve::default();
        for centipawns in (-1_500..=1_500).step_by(5) {
            let expected = 1.0 / (1.0 + (-f64::from(centipawns) / 250.0).exp());
            let won = (1_000.0 * expected).round() as u32;
            (0..won).for_each(|_| curve.add(centipawns, 2));
            (won..1_000).for_each(|_| curve.add(centipawns, 0));
        }
        let found = curve.fit().unwrap();
        assert!((found.scale - 250.0).abs() < 2.0, "{found:?}");
        assert!(found.error < 0.5 * found.error_of_mean, "{found:?}");
        for class in &found.observed {
            let expected = expected(class.centipawns, found.scale);
            assert!((class.points - expected).abs() < 0.01, "{class:?} {expected}");
        }
    }
}
