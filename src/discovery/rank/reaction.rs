//! Gradient norm of each row.
//!
//! The gradient of a row is the slope of the loss over the first-layer sums, in every position with
//! the feature. Finite differences of each sum work for all layers.

use rayon::prelude::*;

use super::{RankedNet, Seen};

/// Positions, evenly spread.
const SAMPLES: usize = 1_000;

/// Step of the finite differences: large enough for 32 bits, small against kinks.
const STEP: f32 = 1e-2;

/// Share of each feature in the sum of gradient norms.
pub(super) fn pulls(net: &RankedNet<'_>, seen: &[Seen]) -> Vec<f64> {
    let step = (seen.len() / SAMPLES).max(1);
    let some: Vec<&Seen> = seen.iter().step_by(step).collect();
    let norms: Vec<[f64; 2]> = some.par_iter().map(|seen| slopes(net, seen)).collect();
    let mut pulls = vec![0.0; net.set.size()];
    for (seen, norms) in some.into_iter().zip(norms) {
        for (active, norm) in seen.active.iter().zip(norms) {
            active.iter().for_each(|it| pulls[it.feature.0 as usize] += norm * f64::from(it.value));
        }
    }
    let all: f64 = pulls.iter().sum();
    pulls.iter_mut().for_each(|pull| *pull /= all.max(f64::MIN_POSITIVE));
    pulls
}

/// Gradient norm over the sums of each perspective.
fn slopes(net: &RankedNet<'_>, seen: &Seen) -> [f64; 2] {
    let mut sums = seen.sums.clone();
    [0, 1].map(|side| {
        let mut squares = 0.0;
        for at in 0..sums[side].neurons.len() {
            let here = sums[side].neurons[at];
            let mut loss_at = |value: f32| {
                sums[side].neurons[at] = value;
                net.loss(seen, sums.each_ref())
            };
            let difference = loss_at(here + STEP) - loss_at(here - STEP);
            sums[side].neurons[at] = here;
            squares += (difference / (2.0 * f64::from(STEP))).powi(2);
        }
        let bucket = seen.bucket;
        for at in (0..sums[side].head.len()).filter(|&at| at == bucket) {
            let here = sums[side].head[at];
            let mut loss_at = |value: f32| {
                sums[side].head[at] = value;
                net.loss(seen, sums.each_ref())
            };
            let difference = loss_at(here + 1.0) - loss_at(here - 1.0);
            sums[side].head[at] = here;
            squares += (difference / 2.0).powi(2);
        }
        squares.sqrt()
    })
}
