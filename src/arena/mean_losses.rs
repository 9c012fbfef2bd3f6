//! Means of validation losses over training seeds.
//!
//! Two to four seeds say too little about their spread. Their variance is then pooled over all sets
//! with several seeds, weighted by degrees of freedom, on the assumption that seeds scatter alike in
//! all of them. With five seeds or more a set has its own. With one seed everywhere the spread is
//! unknown and the interval open.

use base::Estimate;
use base::estimate::{SEEDS_FOR_OWN_SPREAD, Variance};

use super::student::{mean, student_t95, variance};

/// Origin of the spread between seeds in the intervals of some sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpreadSource {
    /// Five seeds or more: the own ones of each set.
    PerSet,
    /// Fewer: the seeds of all sets.
    Pooled,
    /// Some sets have their own, the others that of all together.
    Mixed,
    /// One seed everywhere.
    #[default]
    Unknown,
}

impl SpreadSource {
    /// Of these sets together with others.
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, source) | (source, Self::Unknown) => source,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }
}

/// Means of a loss over the seeds of each set; `None` of a set without one. A loss is not negative,
/// and neither are its intervals.
pub fn mean_losses(sets: &[Vec<f64>]) -> Vec<Option<(Estimate, SpreadSource)>> {
    let common = Variance::pooled(sets.iter().filter_map(|losses| variance(losses)));
    sets.iter().map(|losses| mean_loss(losses, common)).collect()
}

fn mean_loss(losses: &[f64], common: Option<Variance>) -> Option<(Estimate, SpreadSource)> {
    let n = losses.len() as f64;
    let mean = mean(losses)?;
    let Some(variance) = Variance::of_set(variance(losses), losses.len(), common) else {
        return Some((Estimate::of_unknown_spread(mean), SpreadSource::Unknown));
    };
    let margin = student_t95(variance.freedom) * (variance.value / n).sqrt();
    let source = match losses.len() >= SEEDS_FOR_OWN_SPREAD {
        true => SpreadSource::PerSet,
        false => SpreadSource::Pooled,
    };
    Some((Estimate::new(mean, (mean - margin).max(0.0), mean + margin), source))
}

/// Scatter of the losses of nets of one set, relative to the set's mean: standard deviation, pooled
/// over the sets; `None` without a set of several nets.
pub fn loss_scatter(sets: &[Vec<f64>]) -> Option<f64> {
    let relative = |losses: &Vec<f64>| {
        let mean = mean(losses).filter(|mean| *mean > 0.0)?;
        variance(&losses.iter().map(|loss| loss / mean).collect::<Vec<_>>())
    };
    Some(Variance::pooled(sets.iter().filter_map(relative))?.value.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-3, "found {found}, expected {expected}");
    }

    #[test]
    fn losses_pool_the_spread_of_few_seeds_and_stay_positive() {
        let sets = [vec![0.5, 0.7], vec![0.4, 0.4, 0.4], vec![0.9]];
        let means = mean_losses(&sets).into_iter().map(Option::unwrap).collect::<Vec<_>>();
        // S² = (1 · 0.02 + 2 · 0) / 3; t(0.975, 3) = 3.18245.
        let spread = (0.02f64 / 3.0).sqrt();
        for ((mean, found), n) in means.iter().zip([2.0, 3.0, 1.0]) {
            assert!(*found == SpreadSource::Pooled);
            close(mean.high - mean.value, 3.18245 * spread / f64::sqrt(n));
        }
        let (alone, spread) = mean_losses(&[vec![0.3]])[0].unwrap();
        assert!(!alone.is_bounded() && spread == SpreadSource::Unknown);
        // Two seeds far apart: 12.7 standard errors would lead below nothing.
        let (apart, _) = mean_losses(&[vec![0.1, 0.5]])[0].unwrap();
        assert_eq!(apart.low, 0.0);
        close(apart.high, 0.3 + 12.7062 * 0.2);
        assert_eq!(mean_losses(&[Vec::new()]), [None]);
    }

    #[test]
    fn losses_scatter_relative_to_their_sets() {
        // S² = (1 · 0.02 + 1 · 0.08) / 2 of 0.9, 1.1 and of 0.8, 1.2.
        let scatter = loss_scatter(&[vec![9.0, 11.0], vec![0.08, 0.12], vec![0.5], vec![0.0]]);
        close(scatter.unwrap(), 0.05f64.sqrt());
        assert_eq!(loss_scatter(&[vec![0.5], vec![0.7], Vec::new()]), None);
    }

    #[test]
    fn five_seeds_stand_for_themselves() {
        let sets = [vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![0.0, 100.0]];
        let (five, source) = mean_losses(&sets)[0].unwrap();
        // S² = 2.5; t(0.975, 4) = 2.77645.
        close(five.margin(), 2.77645 * (2.5f64 / 5.0).sqrt());
        assert_eq!(source, SpreadSource::PerSet);
    }
}
