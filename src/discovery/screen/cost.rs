//! Cost of a set per move of an engine.

use std::hint::black_box;
use std::time::Instant;

use super::{Candidate, ScreeningError};
use features::FeatureSet;
use plan::Control;

/// Times of a move, as `ns_of_a_move`, of several sets.
///
/// # Errors
/// The stop flag.
pub fn ns_of_moves(
    sets: &[Candidate],
    width: usize,
    title: &str,
    control: &mut Control<'_>,
) -> Result<Vec<f64>, ScreeningError> {
    let mut costs = Vec::new();
    control.observer.begin(title, sets.len() as u64, "sets");
    for candidate in sets {
        control.check().map_err(|_| ScreeningError::Stopped)?;
        control.observer.advance(costs.len() as u64, &candidate.name);
        costs.push(ns_of_a_move(&candidate.set, width));
    }
    control.observer.end("");
    Ok(costs)
}

/// Nanoseconds of a set per move, on one idle core of this machine: changed features of both
/// perspectives, and updates of rows of `width` weights. Attack maps count in full, although other
/// sets may share them.
fn ns_of_a_move(set: &FeatureSet, width: usize) -> f64 {
    let cost = measure::bench::features::measure(set);
    cost.both_ns + 2.0 * cost.rows * ns_of_a_row(width)
}

const ROWS: usize = 256;
const ROUNDS: usize = 20;

/// Minimum over several rounds, since noise only adds.
fn ns_of_a_row(width: usize) -> f64 {
    let rows = vec![1i16; ROWS * width];
    let mut sums = vec![0i16; width];
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for row in rows.chunks_exact(width.max(1)) {
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*weight);
            }
            black_box(&mut sums);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / ROWS as f64);
    }
    best
}
