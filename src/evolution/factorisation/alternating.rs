//! Exact steps in turn: the best squares for given weights, the best weights for given squares.
//!
//! Given the weights, squares do not depend on each other, and each can be tried in all 2ⁿ sets
//! of components, which a Gray code visits by switching one component at a time. Given the
//! squares, tables do not depend on each other, and each is a small problem of least squares in
//! whole numbers. Neither step raises the error, so they end in a place that no single mask or
//! weight improves.

use super::factors::{Factors, OFFSET_STEP, RANGE};
use super::lattice::Quadratic;
use super::target::{FactorTarget, cost_of_row};
use super::{SQUARES, TABLES};

/// Least gain of both steps together.
const LEAST: f64 = 1e-4;

/// Takes both steps in turn until neither helps.
pub(crate) fn descend(target: &FactorTarget, factors: &mut Factors) -> f64 {
    let mut cost = target.cost(factors);
    loop {
        best_masks(target, factors);
        best_weights(target, factors);
        let now = target.cost(factors);
        if now > cost - LEAST {
            return now;
        }
        cost = now;
    }
}

/// The best set of components for each square.
pub(crate) fn best_masks(target: &FactorTarget, factors: &mut Factors) {
    for square in 0..SQUARES {
        let now = cost_of_row(
            &errors_without(target, factors, square, factors.masks[square]),
            &target.importance[square],
        );
        let (mask, cost) = best_mask(target, factors, square);
        if cost < now {
            factors.masks[square] = mask;
        }
    }
}

/// The errors of a square with a set of components.
fn errors_without(
    target: &FactorTarget,
    factors: &Factors,
    square: usize,
    mask: u32,
) -> [i32; TABLES] {
    let mut errors: [i32; TABLES] = std::array::from_fn(|table| {
        factors.offsets[table] * OFFSET_STEP - target.cells[square][table]
    });
    for (_, row) in factors.weights.iter().enumerate().filter(|&(i, _)| mask >> i & 1 == 1) {
        errors.iter_mut().zip(row).for_each(|(error, weight)| *error += weight);
    }
    errors
}

/// The set of components with the smallest error on a square, and that error.
pub(crate) fn best_mask(target: &FactorTarget, factors: &Factors, square: usize) -> (u32, f32) {
    let importance = &target.importance[square];
    let mut errors = errors_without(target, factors, square, 0);
    let mut mask = 0u32;
    let mut best = (mask, cost_of_row(&errors, importance));
    for step in 1..1u32 << factors.count() {
        let switched = step.trailing_zeros() as usize;
        mask ^= 1 << switched;
        let sign = if mask >> switched & 1 == 1 { 1 } else { -1 };
        let row = &factors.weights[switched];
        errors.iter_mut().zip(row).for_each(|(error, weight)| *error += sign * weight);
        let cost = cost_of_row(&errors, importance);
        if cost < best.1 {
            best = (mask, cost);
        }
    }
    best
}

/// The best weights for each table, and its offset where that is free.
pub(crate) fn best_weights(target: &FactorTarget, factors: &mut Factors) {
    (0..TABLES).for_each(|table| best_weights_of(target, factors, table));
}

fn best_weights_of(target: &FactorTarget, factors: &mut Factors, table: usize) {
    let count = factors.count();
    let free = usize::from(target.fits_offsets);
    let mut quadratic = Quadratic::new(count + free);
    let mut coefficients = vec![f64::from(OFFSET_STEP); count + free];
    let fixed = if target.fits_offsets { 0 } else { factors.offsets[table] * OFFSET_STEP };
    for square in 0..SQUARES {
        let mask = factors.masks[square];
        (0..count).for_each(|i| coefficients[i] = f64::from(mask >> i & 1));
        let wanted = target.cells[square][table] - fixed;
        let weight = f64::from(target.importance[square][table]);
        quadratic.add(&coefficients, f64::from(wanted), weight);
    }
    let mut x: Vec<i32> = factors.weights.iter().map(|row| row[table]).collect();
    x.extend(target.fits_offsets.then_some(factors.offsets[table]));
    quadratic.solve(&mut x, &RANGE);
    factors.weights.iter_mut().zip(&x).for_each(|(row, &weight)| row[table] = weight);
    if target.fits_offsets {
        factors.offsets[table] = x[count];
    }
}
