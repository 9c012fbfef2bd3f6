//! Least squares in whole numbers.
//!
//! Minimises xᵀGx − 2hᵀx over whole x within a range: the real solution is rounded one number after
//! the other, each given the rounded ones (Babai's nearest plane), then steps of one or two numbers
//! follow while they help. Steps of two matter: components overlap, so one number has to fall as
//! another rises.

use std::ops::RangeInclusive;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A sum of squares as a function of whole numbers.
#[derive(Clone, Debug)]
pub(crate) struct Quadratic {
    /// G, symmetric.
    gram: DMatrix<f64>,
    /// h
    linear: DVector<f64>,
}

/// Least gain of a step, so that rounding errors do not lead in circles.
const LEAST: f64 = 1e-7;

impl Quadratic {
    pub(crate) fn new(size: usize) -> Self {
        Self { gram: DMatrix::zeros(size, size), linear: DVector::zeros(size) }
    }

    /// Adds a squared error: `weight · (Σ coefficients·x − target)²`.
    pub(crate) fn add(&mut self, coefficients: &[f64], target: f64, weight: f64) {
        let active: Vec<usize> =
            (0..coefficients.len()).filter(|&i| coefficients[i] != 0.0).collect();
        for &i in &active {
            let scaled = weight * coefficients[i];
            self.linear[i] += scaled * target;
            active.iter().for_each(|&j| self.gram[(i, j)] += scaled * coefficients[j]);
        }
    }

    pub(crate) fn gram_mut(&mut self) -> &mut DMatrix<f64> {
        &mut self.gram
    }

    pub(crate) fn linear_mut(&mut self) -> &mut DVector<f64> {
        &mut self.linear
    }

    fn size(&self) -> usize {
        self.linear.len()
    }

    /// The value, up to a constant.
    fn value(&self, x: &[i32]) -> f64 {
        let x = DVector::from_iterator(x.len(), x.iter().map(|&x| f64::from(x)));
        (&self.gram * &x).dot(&x) - 2.0 * self.linear.dot(&x)
    }

    /// The best whole numbers found from `x` and from the real solution.
    pub(crate) fn solve(&self, x: &mut [i32], range: &RangeInclusive<i32>) {
        self.descend(x, range);
        let Some(mut rounded) = self.rounded(range) else { return };
        self.descend(&mut rounded, range);
        if self.value(&rounded) < self.value(x) - LEAST {
            x.copy_from_slice(&rounded);
        }
    }

    /// The real solution rounded number after number.
    fn rounded(&self, range: &RangeInclusive<i32>) -> Option<Vec<i32>> {
        let mut ridged = self.gram.clone();
        // The weights of a component without squares are undetermined.
        let ridge = 1e-6 * (1.0 + ridged.diagonal().max());
        (0..self.size()).for_each(|i| ridged[(i, i)] += ridge);
        let cholesky: Cholesky<f64, Dyn> = Cholesky::new(ridged)?;
        let upper = cholesky.l().transpose();
        let forward = cholesky.l().solve_lower_triangular(&self.linear)?;
        let mut x = vec![0; self.size()];
        for i in (0..x.len()).rev() {
            let others: f64 = (i + 1..x.len()).map(|j| upper[(i, j)] * f64::from(x[j])).sum();
            let real = (forward[i] - others) / upper[(i, i)];
            x[i] = (real.round() as i32).clamp(*range.start(), *range.end());
        }
        Some(x)
    }

    /// Steps of one or two numbers while they help.
    fn descend(&self, x: &mut [i32], range: &RangeInclusive<i32>) {
        let real = DVector::from_iterator(x.len(), x.iter().map(|&x| f64::from(x)));
        // Half the gradient.
        let mut slope = &self.gram * real - &self.linear;
        while self.step_one(x, &mut slope, range) || self.step_two(x, &mut slope, range) {}
    }

    fn step_one(
        &self,
        x: &mut [i32],
        slope: &mut DVector<f64>,
        range: &RangeInclusive<i32>,
    ) -> bool {
        let mut helped = false;
        for i in 0..x.len() {
            let curve = self.gram[(i, i)];
            if curve <= 0.0 {
                continue;
            }
            let wanted = x[i] + (-slope[i] / curve).round() as i32;
            let step = wanted.clamp(*range.start(), *range.end()) - x[i];
            let gain = -f64::from(step) * (2.0 * slope[i] + f64::from(step) * curve);
            if gain > LEAST {
                self.go(x, slope, i, step);
                helped = true;
            }
        }
        helped
    }

    fn step_two(
        &self,
        x: &mut [i32],
        slope: &mut DVector<f64>,
        range: &RangeInclusive<i32>,
    ) -> bool {
        const STEPS: [i32; 4] = [-2, -1, 1, 2];
        let mut helped = false;
        for i in 0..x.len() {
            for first in STEPS {
                if !range.contains(&(x[i] + first)) {
                    continue;
                }
                let step = f64::from(first);
                let alone = step * (2.0 * slope[i] + step * self.gram[(i, i)]);
                for j in 0..x.len() {
                    let curve = self.gram[(j, j)];
                    if j == i || curve <= 0.0 {
                        continue;
                    }
                    // Best change of the other number after the first step.
                    let slope_there = slope[j] + step * self.gram[(i, j)];
                    let wanted = x[j] + (-slope_there / curve).round() as i32;
                    let second = wanted.clamp(*range.start(), *range.end()) - x[j];
                    let step = f64::from(second);
                    let change = alone + step * (2.0 * slope_there + step * curve);
                    if change < -LEAST {
                        self.go(x, slope, i, first);
                        self.go(x, slope, j, second);
                        helped = true;
                        break;
                    }
                }
            }
        }
        helped
    }

    fn go(&self, x: &mut [i32], slope: &mut DVector<f64>, i: usize, step: i32) {
        x[i] += step;
        slope.axpy(f64::from(step), &self.gram.column(i), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By trying all whole numbers of a small range.
    fn best_of_all(quadratic: &Quadratic, range: &RangeInclusive<i32>) -> f64 {
        let mut least = f64::INFINITY;
        for a in range.clone() {
            for b in range.clone() {
                for c in range.clone() {
                    least = least.min(quadratic.value(&[a, b, c]));
                }
            }
        }
        least
    }

    proptest! {
        #[test]
        fn no_step_of_one_helps_and_nothing_leaves_the_range(
            rows in prop::collection::vec(((0u8..8), -60.0..60.0), 3..20),
        ) {
            let mut quadratic = Quadratic::new(3);
            for (mask, target) in &rows {
                let coefficients: Vec<f64> = (0..3).map(|i| f64::from(mask >> i & 1)).collect();
                quadratic.add(&coefficients, *target, 1.0);
            }
            let range = -20..=20;
            let mut x = [0; 3];
            quadratic.solve(&mut x, &range);
            let least = best_of_all(&quadratic, &range);
            let found = quadratic.value(&x);
            prop_assert!(x.iter().all(|x| range.contains(x)));
            prop_assert!(found >= least - 1e-6);
            for i in 0..3 {
                for step in [-1, 1] {
                    let mut beside = x;
                    beside[i] += step;
                    if range.contains(&beside[i]) {
                        prop_assert!(quadratic.value(&beside) >= found - 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn overlapping_columns_are_solved_too() {
        // Two nearly equal columns: one has to rise as the other falls.
        let mut quadratic = Quadratic::new(2);
        for (a, b, target) in [(1.0, 1.0, 10.0), (1.0, 0.0, 37.0), (1.0, 1.0, 10.0)] {
            quadratic.add(&[a, b], target, 1.0);
        }
        let mut x = [0, 0];
        quadratic.solve(&mut x, &(-128..=127));
        assert_eq!(x, [37, -27]);
    }
}
