//! Ridge regression on slopes and curvatures of a loss.
//!
//! Minimises Σ slope·x + curvature·x²/2 over positions, x the weighted sum of a position's
//! columns, plus half a ridge times the squares of all weights. Conjugate gradients need no matrix,
//! only a dozen passes over the positions. Their weights grow from zero, well-supported ones first;
//! the caller's loss on other positions chooses the best iterate, which is early stopping.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rayon::prelude::*;

use crate::design::Design;
use crate::predictions::Derivatives;

/// Weights by design, then by column.
pub(crate) type Weights = Vec<Vec<f32>>;

/// The columns of several designs side by side, over the same positions.
pub(crate) struct Problem<'a> {
    pub(crate) designs: Vec<Ridged<'a>>,
    pub(crate) derivatives: &'a Derivatives,
    /// The solved problem of the first design, if it is small enough: that design is at its optimum
    /// and changes only with the others.
    pub(crate) served: Option<Served<'a>>,
}

/// A design with its ridge.
#[derive(Clone, Copy)]
pub(crate) struct Ridged<'a> {
    pub(crate) design: &'a Design,
    pub(crate) ridge: f64,
}

impl Ridged<'_> {
    fn nothing(&self) -> Vec<f64> {
        vec![0.0; self.design.columns()]
    }
}

/// A design at its optimum that adapts to others.
#[derive(Clone, Copy)]
pub(crate) struct Served<'a> {
    pub(crate) known: Option<&'a Known>,
}

/// The factorised matrix of one design.
pub(crate) struct Known(Cholesky<f64, Dyn>);

/// Columns of an explicit matrix at most.
const MOST_COLUMNS: usize = 2_000;

/// Rows of one partial sum; it is fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 16;

/// The matrix of one design, without ridge.
pub(crate) struct Gram(DMatrix<f64>);

impl Gram {
    /// `None` for a design with many columns.
    pub(crate) fn of(design: &Design, derivatives: &Derivatives) -> Option<Self> {
        let columns = design.columns();
        if columns > MOST_COLUMNS {
            return None;
        }
        let starts: Vec<usize> = (0..design.rows()).step_by(CHUNK).collect();
        let mut sum = DMatrix::zeros(columns, columns);
        // A few tasks at a time: each holds a whole matrix.
        for starts in starts.chunks(rayon::current_num_threads()) {
            let parts = starts.par_iter().map(|&start| {
                let end = (start + CHUNK).min(design.rows());
                lower_triangle(design, &derivatives.curvatures, start..end)
            });
            parts.collect::<Vec<_>>().into_iter().for_each(|part| sum += part);
        }
        Some(Self(sum))
    }

    /// Factorised, with a ridge.
    pub(crate) fn known(&self, ridge: f64) -> Option<Known> {
        let columns = self.0.ncols();
        // The factorisation reads only the lower triangle.
        Cholesky::new(&self.0 + DMatrix::identity(columns, columns) * ridge).map(Known)
    }
}

impl Known {
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        self.0.solve(&DVector::from_column_slice(right)).as_slice().to_vec()
    }
}

fn lower_triangle(
    design: &Design,
    curvatures: &[f32],
    rows: std::ops::Range<usize>,
) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(design.columns(), design.columns());
    let mut entries: Vec<(usize, f32)> = Vec::new();
    for row in rows {
        entries.clear();
        entries.extend(design.row(row));
        let curvature = f64::from(curvatures[row]);
        for &(a, of_a) in &entries {
            let times = curvature * f64::from(of_a);
            for &(b, of_b) in entries.iter().filter(|(b, _)| *b <= a) {
                matrix[(a, b)] += times * f64::from(of_b);
            }
        }
    }
    matrix
}

/// Passes over the positions at most.
const MOST_STEPS: usize = 40;

/// Halvings of a step at most.
const HALVINGS: usize = 4;

/// Consecutive steps without improvement that end the search.
const PATIENCE: usize = 3;

/// Relative residual that ends the steps; it leaves less than a thousandth of the possible gain.
const ENOUGH: f64 = 0.02;

impl Problem<'_> {
    /// The weights of the only design at convergence, directly where its matrix is known.
    pub(crate) fn solve_fully(&self, known: Option<&Known>) -> Weights {
        if let (Some(known), [right]) = (known, self.right_side().as_slice()) {
            return floats(&[known.solve(right)]);
        }
        // A decreasing loss keeps the last iterate.
        let mut steps = 0.0;
        let later = |_: &Weights| {
            steps -= 1.0;
            steps
        };
        self.solve(later).unwrap_or_else(|| floats(&self.nothing()))
    }

    /// The iterate with the lowest `loss`, by design; `None` if none improves on zero.
    pub(crate) fn solve(&self, mut loss: impl FnMut(&Weights) -> f64) -> Option<Weights> {
        let mut residual = self.right_side();
        let mut solution = zeros(&residual);
        let diagonal = self.diagonal();
        let mut step = self.preconditioned(&residual, &diagonal);
        let mut energy = dot(&residual, &step);
        let enough = energy * ENOUGH * ENOUGH;
        let (mut least, mut best, mut in_vain) = (loss(&floats(&solution)), None, 0);
        let mut first = None;
        for _ in 0..MOST_STEPS {
            if energy <= enough || energy <= f64::MIN_POSITIVE || in_vain == PATIENCE {
                break;
            }
            let image = self.times(&step);
            let length = energy / dot(&step, &image);
            add(&mut solution, length, &step);
            add(&mut residual, -length, &image);
            let next = self.preconditioned(&residual, &diagonal);
            let next_energy = dot(&residual, &next);
            let kept = next_energy / energy;
            for (step, next) in step.iter_mut().flatten().zip(next.iter().flatten()) {
                *step = next + kept * *step;
            }
            energy = next_energy;
            let weights = floats(&solution);
            first.get_or_insert_with(|| weights.clone());
            let its = loss(&weights);
            in_vain += 1;
            if its < least {
                (least, best, in_vain) = (its, Some(weights), 0);
            }
        }
        // The first step may overshoot.
        for _ in 0..HALVINGS {
            let Some(halved) = best.as_ref().or(first.as_ref()).map(halved) else { break };
            let its = loss(&halved);
            if its < least {
                (least, best) = (its, Some(halved));
            } else if best.is_some() {
                break;
            } else {
                first = Some(halved);
            }
        }
        best
    }

    fn rows(&self) -> std::ops::Range<usize> {
        0..self.derivatives.slopes.len()
    }

    fn right_side(&self) -> Vec<Vec<f64>> {
        let mut sums = self.nothing();
        for row in self.rows() {
            let slope = self.derivatives.slopes[row];
            self.designs.iter().zip(&mut sums).for_each(|(ridged, sums)| {
                ridged.design.add(row, -slope, sums);
            });
        }
        if let (Some(_), Some(first)) = (self.served, sums.first_mut()) {
            first.fill(0.0);
        }
        sums
    }

    fn diagonal(&self) -> Vec<Vec<f64>> {
        let mut sums = self.nothing();
        let is_known = self.served.is_some_and(|served| served.known.is_some());
        for row in self.rows() {
            let curvature = f64::from(self.derivatives.curvatures[row]);
            for (ridged, sums) in self.designs.iter().zip(&mut sums).skip(usize::from(is_known)) {
                let add = |(column, value): (usize, f32)| {
                    sums[column] += curvature * f64::from(value * value);
                };
                ridged.design.row(row).for_each(add);
            }
        }
        for (ridged, sums) in self.designs.iter().zip(&mut sums) {
            sums.iter_mut().for_each(|sum| *sum += ridged.ridge);
        }
        sums
    }

    fn preconditioned(&self, residual: &[Vec<f64>], diagonal: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let divide = |(residual, diagonal): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            residual.iter().zip(diagonal).map(|(residual, diagonal)| residual / diagonal).collect()
        };
        let mut divided: Vec<Vec<f64>> = residual.iter().zip(diagonal).map(divide).collect();
        let known = self.served.and_then(|served| served.known);
        if let (Some(known), Some(first)) = (known, residual.first()) {
            divided[0] = known.solve(first);
        }
        divided
    }

    /// Product of the matrix and a vector.
    fn times(&self, vector: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let weights = floats(vector);
        let small = |(part, ridged): (&Vec<f64>, &Ridged<'_>)| -> Vec<f64> {
            part.iter().map(|weight| weight * ridged.ridge).collect()
        };
        let mut image: Vec<Vec<f64>> = vector.iter().zip(&self.designs).map(small).collect();
        for row in self.rows() {
            let designs = self.designs.iter().zip(&weights);
            let sum: f32 = designs.map(|(ridged, weights)| ridged.design.times(row, weights)).sum();
            let times = sum * self.derivatives.curvatures[row];
            for (ridged, sums) in self.designs.iter().zip(&mut image) {
                ridged.design.add(row, times, sums);
            }
        }
        image
    }

    fn nothing(&self) -> Vec<Vec<f64>> {
        self.designs.iter().map(Ridged::nothing).collect()
    }
}

fn zeros(like: &[Vec<f64>]) -> Vec<Vec<f64>> {
    like.iter().map(|part| vec![0.0; part.len()]).collect()
}

fn floats(weights: &[Vec<f64>]) -> Weights {
    weights.iter().map(|part| part.iter().map(|&weight| weight as f32).collect()).collect()
}

fn halved(weights: &Weights) -> Weights {
    weights.iter().map(|part| part.iter().map(|weight| weight / 2.0).collect()).collect()
}

fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [Vec<f64>], times: f64, what: &[Vec<f64>]) {
    to.iter_mut().flatten().zip(what.iter().flatten()).for_each(|(to, what)| *to += times * what);
}
