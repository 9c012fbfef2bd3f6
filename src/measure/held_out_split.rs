//! Comparability of validation losses.

use serde::{Deserialize, Serialize};

use arena::SpreadSource;
use base::{Estimate, Key};

use crate::LossTarget;

/// Losses with the same split and targets are one function of the same positions and comparable;
/// others are different functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutSplit {
    /// The held-out split.
    pub held_out: Key,
    /// Targets, scale and exponent.
    pub loss_target: LossTarget,
}

/// Number of each variant's split; variants with equal splits share it.
pub(crate) fn numbers(held_out_splits: &[Option<&HeldOutSplit>]) -> Vec<usize> {
    let place = |own: &Option<&HeldOutSplit>| held_out_splits.iter().position(|other| other == own);
    held_out_splits.iter().map(|own| place(own).unwrap_or(0)).collect()
}

/// Means over the seeds of each set; sets with one split pool the spread of their seeds.
pub(crate) fn mean_losses(
    losses: &[Vec<f64>],
    held_out_splits: &[usize],
) -> Vec<Option<(Estimate, SpreadSource)>> {
    let mut means = vec![None; losses.len()];
    for (first, held_out_split) in held_out_splits.iter().enumerate() {
        if held_out_splits[..first].contains(held_out_split) {
            continue;
        }
        let alike: Vec<usize> =
            (0..losses.len()).filter(|&set| held_out_splits[set] == *held_out_split).collect();
        let of_alike: Vec<Vec<f64>> = alike.iter().map(|&set| losses[set].clone()).collect();
        for (set, mean) in alike.into_iter().zip(arena::mean_losses(&of_alike)) {
            means[set] = mean;
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;
    use training::TrainingConfig;

    fn held_out_split(held_out: &str, exponent: f64) -> HeldOutSplit {
        let training = TrainingConfig { loss_exponent: exponent, ..TrainingConfig::default() };
        let held_out = Key::of("positions", &held_out).unwrap();
        HeldOutSplit { held_out, loss_target: LossTarget::of(&training) }
    }

    #[test]
    fn targets_and_positions_make_losses_comparable() {
        let (usual, steeper, others) =
            (held_out_split("a", 2.0), held_out_split("a", 2.5), held_out_split("b", 2.0));
        let all = [Some(&usual), Some(&steeper), Some(&usual), Some(&others), None];
        assert_eq!(numbers(&all), [0, 1, 0, 3, 4]);
    }

    /// Losses ten times as large scatter ten times as much, and widen no other interval.
    #[test]
    fn sets_that_are_measured_otherwise_lend_no_spread() {
        let losses = [vec![0.10, 0.11], vec![0.0100, 0.0101]];
        let margin = |held_out_splits: &[usize]| {
            mean_losses(&losses, held_out_splits)[1].map_or(0.0, |(mean, _)| mean.margin())
        };
        assert!(margin(&[0, 0]) > 0.01, "{}", margin(&[0, 0]));
        assert!(margin(&[0, 1]) < 0.001, "{}", margin(&[0, 1]));
    }
}
