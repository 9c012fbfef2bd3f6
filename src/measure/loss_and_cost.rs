//! Elo at equal time as a function of validation loss and time per node.
//!
//! elo = shift + a · loss reduction in per cent + b · log₂ of the time per node, by least squares with
//! the noise of the games. The shift includes the luck of the reference's nets, which all leads share.
//! Losses count as exact: their scatter between seeds has to be small beside the differences of the
//! sets. The nodes of a move follow from the measured time per node, so the latter is exact here.

use arena::student_t95;
use base::Estimate;

use crate::origin_line::variance;

/// Fewest sets beside the reference: three degrees of freedom.
const FEWEST_SETS: usize = 6;

/// Largest squared correlation of loss and cost; above it, the two effects are inseparable.
const MOST_ALIKE: f64 = 0.95;

/// Reduction of a loss in per cent of the reference's, which is positive for a better net.
pub(crate) fn loss_reduction(loss: f64, reference: f64) -> f64 {
    100.0 * (1.0 - loss / reference)
}

/// A set beside the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LossCostElo {
    /// Reduction of the reference's loss in per cent.
    pub reduction: f64,
    /// log₂ of the time per node, relative to the reference's.
    pub doublings: f64,
    /// With the noise of the games.
    pub elo: Estimate,
}

/// The plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LossAndCost {
    /// Elo of a loss lower by one per cent.
    pub per_percent: Estimate,
    /// Elo of a node of twice the time.
    pub per_doubling: Estimate,
    /// Reduction of the loss in per cent that makes up for twice the time; `None` where the loss has no
    /// gain or the time no price beyond their intervals.
    pub break_even: Option<Estimate>,
    /// Standard deviation of the sets from the plane, in Elo.
    pub off: f64,
    pub sets: usize,
    /// Elo of a set with the reference's loss and cost.
    pub shift: f64,
}

impl LossAndCost {
    /// `None` with few sets, with numbers that are not finite, or where loss and cost rise together.
    pub(crate) fn of(sets: &[LossCostElo]) -> Option<Self> {
        let weights: Vec<f64> = sets.iter().map(|set| 1.0 / variance(set.elo)).collect();
        let all: f64 = weights.iter().sum();
        if sets.len() < FEWEST_SETS || !all.is_finite() {
            return None;
        }
        let weighted = |of: &dyn Fn(&LossCostElo) -> f64| -> f64 {
            sets.iter().zip(&weights).map(|(set, weight)| of(set) * weight).sum()
        };
        let mean = |of: fn(&LossCostElo) -> f64| weighted(&of) / all;
        let centre = [mean(|it| it.reduction), mean(|it| it.doublings), mean(|it| it.elo.value)];
        let part = |it: &LossCostElo| {
            [it.reduction - centre[0], it.doublings - centre[1], it.elo.value - centre[2]]
        };
        let sum = |i: usize, j: usize| weighted(&|it| part(it)[i] * part(it)[j]);
        let (xx, zz, xz, xy, zy) = (sum(0, 0), sum(1, 1), sum(0, 1), sum(0, 2), sum(1, 2));
        let determinant = xx * zz - xz * xz;
        if determinant.is_nan() || determinant <= (1.0 - MOST_ALIKE) * xx * zz {
            return None;
        }
        let a = (zz * xy - xz * zy) / determinant;
        let b = (xx * zy - xz * xy) / determinant;
        let residual = |it: &LossCostElo| part(it)[2] - a * part(it)[0] - b * part(it)[1];
        let freedom = (sets.len() - 3) as f64;
        // Sets that scatter more than their games, by their nets, widen the intervals.
        let scatter = (weighted(&|it| residual(it).powi(2)) / freedom).max(1.0) / determinant;
        let quantile = student_t95(freedom);
        let estimate = |value, squares: f64| {
            Estimate::symmetric(value, quantile * (squares.max(0.0) * scatter).sqrt())
        };
        let (per_percent, per_doubling) = (estimate(a, zz), estimate(b, xx));
        let ratio = -b / a;
        let of_ratio = (ratio * ratio * zz + xx - 2.0 * ratio * xz) / (a * a);
        let has_both = per_percent.low > 0.0 && per_doubling.high < 0.0;
        let off = sets.iter().map(|it| residual(it).powi(2)).sum::<f64>() / freedom;
        Some(Self {
            per_percent,
            per_doubling,
            break_even: has_both.then(|| estimate(ratio, of_ratio)),
            off: off.sqrt(),
            sets: sets.len(),
            shift: centre[2] - a * centre[0] - b * centre[1],
        })
    }

    /// Elo on the plane.
    pub(crate) fn predicted(&self, set: &LossCostElo) -> f64 {
        let gain = self.per_percent.value * set.reduction;
        self.shift + gain + self.per_doubling.value * set.doublings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::estimate::Z95;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rand_distr::Normal;

    fn set(reduction: f64, doublings: f64, noise: f64) -> LossCostElo {
        let elo = 5.0 * reduction - 250.0 * doublings + noise;
        LossCostElo { reduction, doublings, elo: Estimate::symmetric(elo, Z95 * 10.0) }
    }

    #[test]
    fn a_plane_without_noise_is_found_again() {
        let sets = [(10.0, 0.05), (15.0, 0.2), (17.0, 0.6), (4.0, 0.9), (22.0, 0.8), (8.0, 0.3)];
        let sets = sets.map(|(reduction, doublings)| set(reduction, doublings, 7.0));
        let found = LossAndCost::of(&sets).unwrap();
        assert!((found.per_percent.value - 5.0).abs() < 1e-9, "{found:?}");
        assert!((found.per_doubling.value + 250.0).abs() < 1e-9, "{found:?}");
        let break_even = found.break_even.unwrap();
        assert!((break_even.value - 50.0).abs() < 1e-9 && found.off < 1e-9, "{found:?}");
        assert!(sets.iter().all(|set| (found.predicted(set) - set.elo.value).abs() < 1e-9));
    }

    #[test]
    fn few_sets_and_costs_in_step_with_losses_have_no_plane() {
        let mut sets = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|x| set(x, x / 10.0, 1.0));
        assert_eq!(LossAndCost::of(&sets), None);
        for (set, doublings) in sets.iter_mut().zip([0.1, 0.9, 0.3, 0.7, 0.2, 0.5]) {
            set.doublings = doublings;
        }
        assert!(LossAndCost::of(&sets).is_some());
        assert_eq!(LossAndCost::of(&sets[..5]), None);
        sets[0].reduction = f64::NAN;
        assert_eq!(LossAndCost::of(&sets), None);
    }

    #[test]
    fn costs_without_a_price_have_no_break_even() {
        let costs = [0.01, -0.01, 0.0, 0.01, -0.01, 0.0];
        let losses = [4.0, 8.0, 12.0, 16.0, 20.0, 24.0];
        let noise = [8.0, -6.0, 2.0, -5.0, 9.0, -8.0];
        let sets: Vec<LossCostElo> = (0..6).map(|i| set(losses[i], costs[i], noise[i])).collect();
        let found = LossAndCost::of(&sets).unwrap();
        assert!(found.per_percent.low > 0.0 && found.per_doubling.high > 0.0, "{found:?}");
        assert_eq!(found.break_even, None);
    }

    /// The intervals hold the truth in some 95 % of experiments, with luck of the reference that all
    /// leads share.
    #[test]
    fn intervals_hold_the_plane() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (noise, luck) = (Normal::new(0.0, 10.0).unwrap(), Normal::new(0.0, 8.0).unwrap());
        let trials = 2_000;
        let mut held = [0; 3];
        for _ in 0..trials {
            let shift = rng.sample(luck);
            let sets: Vec<LossCostElo> = (0..14)
                .map(|_| {
                    let (x, z) = (rng.random_range(-5.0..25.0), rng.random_range(0.0..1.0));
                    set(x, z, shift + rng.sample(noise))
                })
                .collect();
            let found = LossAndCost::of(&sets).unwrap();
            held[0] += u32::from(found.per_percent.covers(5.0));
            held[1] += u32::from(found.per_doubling.covers(-250.0));
            held[2] += u32::from(found.break_even.is_some_and(|it| it.covers(50.0)));
        }
        for held in held {
            let share = f64::from(held) / f64::from(trials);
            assert!((0.94..0.995).contains(&share), "{share}");
        }
    }
}
