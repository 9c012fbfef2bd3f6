//! How much the loss pulls at each row.
//!
//! A row is pulled at in every position in which it is active, by the slope of the loss over
//! the sums that it is added to. Found by moving each sum a little: that works for all layers.

use rayon::prelude::*;

use super::{Asked, Seen};

/// Positions that are asked, spread over all.
const ASKED: usize = 1_000;

/// How far sums are moved: far enough for 32 bits, and no further than a kink is likely.
const STEP: f32 = 1e-2;

/// Of each feature, its share of all the pull; they add up to 1.
pub(super) fn pulls(asked: &Asked<'_>, seen: &[Seen]) -> Vec<f64> {
    let step = (seen.len() / ASKED).max(1);
    let some: Vec<&Seen> = seen.iter().step_by(step).collect();
    let norms: Vec<[f64; 2]> = some.par_iter().map(|seen| slopes(asked, seen)).collect();
    let mut pulls = vec![0.0; asked.set.size()];
    for (seen, norms) in some.into_iter().zip(norms) {
        for (active, norm) in seen.active.iter().zip(norms) {
            active.iter().for_each(|it| pulls[it.feature.0 as usize] += norm * f64::from(it.value));
        }
    }
    let all: f64 = pulls.iter().sum();
    pulls.iter_mut().for_each(|pull| *pull /= all.max(f64::MIN_POSITIVE));
    pulls
}

/// The length of the slope over the sums of each side.
fn slopes(asked: &Asked<'_>, seen: &Seen) -> [f64; 2] {
    let mut sums = seen.sums.clone();
    [0, 1].map(|side| {
        let mut squares = 0.0;
        for at in 0..sums[side].neurons.len() {
            let here = sums[side].neurons[at];
            let mut loss_at = |value: f32| {
                sums[side].neurons[at] = value;
                asked.loss(seen, sums.each_ref())
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
                asked.loss(seen, sums.each_ref())
            };
            let difference = loss_at(here + 1.0) - loss_at(here - 1.0);
            sums[side].head[at] = here;
            squares += (difference / 2.0).powi(2);
        }
        squares.sqrt()
    })
}
