//! The error of the evaluation itself, in which errors of pieces may cancel.
//!
//! The cost is δᵀΣδ with all second moments ([`Occupancy`]), so squares and tables are no longer
//! independent. The steps stay exact: the best set of components for one square, all others fixed,
//! out of all 2ⁿ; then all weights and offsets together as one problem of least squares.

use super::factors::{Factors, OFFSET_STEP, RANGE};
use super::lattice::Quadratic;
use super::occupancy::{CELLS, cell};
use super::search::SearchClock;
use super::target::FactorTarget;
use super::{Occupancy, SQUARES, TABLES};

/// Least gain of a round, in cp².
const LEAST: f64 = 1e-3;

/// Takes both steps in turn until neither helps, or the budget is spent.
pub(crate) fn descend(
    target: &FactorTarget,
    occupancy: &Occupancy,
    factors: &mut Factors,
    watch: &mut SearchClock<'_>,
) {
    let error = |factors: &Factors| occupancy.evaluation_error(&target.errors(factors)).powi(2);
    let mut cost = error(factors);
    while watch.share().is_some() {
        best_masks(target, occupancy, factors);
        best_weights(target, occupancy, factors);
        let now = error(factors);
        watch.advance(1, now);
        if now > cost - LEAST {
            return;
        }
        cost = now;
    }
}

/// Σδ for all cells.
fn pull(target: &FactorTarget, occupancy: &Occupancy, factors: &Factors) -> Vec<f64> {
    let errors: Vec<f64> = target.errors(factors).iter().flatten().map(|&e| f64::from(e)).collect();
    let of_row = |row: usize| occupancy.row(row).zip(&errors).map(|(s, error)| s * error).sum();
    (0..CELLS).map(of_row).collect()
}

/// Square after square, the best set of components.
fn best_masks(target: &FactorTarget, occupancy: &Occupancy, factors: &mut Factors) {
    let mut pull = pull(target, occupancy, factors);
    for square in 0..SQUARES {
        let metric: [[f64; TABLES]; TABLES] = std::array::from_fn(|a| {
            std::array::from_fn(|b| occupancy.between(cell(square, a), cell(square, b)))
        });
        let slope: [f64; TABLES] = std::array::from_fn(|table| pull[cell(square, table)]);
        let (mask, gain) = best_mask(factors, factors.masks[square], &metric, &slope);
        if gain <= LEAST {
            continue;
        }
        let before = factors.row(square);
        factors.masks[square] = mask;
        let after = factors.row(square);
        for table in 0..TABLES {
            let step = f64::from(after[table] - before[table]);
            if step != 0.0 {
                let row = occupancy.row(cell(square, table));
                pull.iter_mut().zip(row).for_each(|(pull, s)| *pull += s * step);
            }
        }
    }
}

/// The mask that lowers the cost most from `now`, and its change of the cost.
fn best_mask(
    factors: &Factors,
    now: u32,
    metric: &[[f64; TABLES]; TABLES],
    slope: &[f64; TABLES],
) -> (u32, f64) {
    let mut mask = now;
    let mut shift = [0.0; TABLES];
    let mut best = (now, 0.0);
    for step in 1..1u32 << factors.count() {
        let switched = step.trailing_zeros() as usize;
        mask ^= 1 << switched;
        let sign = if mask >> switched & 1 == 1 { 1.0 } else { -1.0 };
        let row = &factors.weights[switched];
        shift.iter_mut().zip(row).for_each(|(shift, &w)| *shift += sign * f64::from(w));
        let mut change = 0.0;
        for a in 0..TABLES {
            let curve: f64 = metric[a].iter().zip(&shift).map(|(m, shift)| m * shift).sum();
            change += shift[a] * (2.0 * slope[a] + curve);
        }
        if -change > best.1 {
            best = (mask, -change);
        }
    }
    best
}

/// All weights and offsets together.
fn best_weights(target: &FactorTarget, occupancy: &Occupancy, factors: &mut Factors) {
    let rows = factors.count() + 1;
    // Row i and table j of weights are number `i·TABLES + j`; offsets come last.
    let covers = |row: usize, square: usize| match row < factors.count() {
        true => f64::from(factors.masks[square] >> row & 1),
        false => f64::from(OFFSET_STEP),
    };
    // Σ times each column, `[numbers][cells]`.
    let columns: Vec<Vec<f64>> = (0..rows * TABLES)
        .map(|number| {
            let (row, table) = (number / TABLES, number % TABLES);
            let mut column = vec![0.0; CELLS];
            for square in (0..SQUARES).filter(|&square| covers(row, square) != 0.0) {
                let weight = covers(row, square);
                let moments = occupancy.row(cell(square, table));
                column.iter_mut().zip(moments).for_each(|(sum, s)| *sum += weight * s);
            }
            column
        })
        .collect();
    let mut quadratic = Quadratic::new(rows * TABLES);
    for (number, column) in columns.iter().enumerate() {
        for other in 0..rows * TABLES {
            let (row, table) = (other / TABLES, other % TABLES);
            let product =
                (0..SQUARES).map(|square| covers(row, square) * column[cell(square, table)]).sum();
            quadratic.gram_mut()[(number, other)] = product;
        }
        let wanted = target.cells.iter().flatten().zip(column);
        quadratic.linear_mut()[number] = wanted.map(|(&cell, s)| f64::from(cell) * s).sum();
    }
    let mut x: Vec<i32> =
        factors.weights.iter().flatten().chain(&factors.offsets).copied().collect();
    quadratic.solve(&mut x, &RANGE);
    let (weights, offsets) = x.split_at(factors.count() * TABLES);
    for (row, found) in factors.weights.iter_mut().zip(weights.chunks_exact(TABLES)) {
        row.copy_from_slice(found);
    }
    factors.offsets.copy_from_slice(offsets);
}
