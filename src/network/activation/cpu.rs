//! Activations of dense layers on the processor.

use burn::backend::TensorMetadata;
use burn::backend::tensor::FloatTensor;
use rayon::prelude::*;

use super::ActivationBackend;
use crate::buffer::filled;
use crate::host::HostBackend;
use crate::vectorised;
use nnue::Activation;

/// Sums that one parallel task takes, if rows are not longer.
const TASK_SUMS: usize = 1 << 15;

impl<B: HostBackend> ActivationBackend for B {
    fn activate(x: FloatTensor<B>, activation: Activation) -> FloatTensor<B> {
        let mut x = B::plain(x);
        if activation.copies() == 2 {
            let [rows, sums] = x.shape().dims();
            return B::tensor(dual(B::values(&x), sums), [rows, 2 * sums]);
        }
        let tasks = B::values_mut(&mut x).par_chunks_mut(TASK_SUMS);
        tasks.for_each(|x| activate_each(x, activation));
        x
    }

    fn activate_backward(
        gradient: FloatTensor<B>,
        output: FloatTensor<B>,
        activation: Activation,
    ) -> FloatTensor<B> {
        let (mut gradient, output) = (B::plain(gradient), B::plain(output));
        if activation.copies() == 2 {
            let [rows, outputs] = output.shape().dims();
            let gradient = dual_backward(B::values(&gradient), B::values(&output), outputs / 2);
            return B::tensor(gradient, [rows, outputs / 2]);
        }
        B::values_mut(&mut gradient)
            .par_chunks_mut(TASK_SUMS)
            .zip(B::values(&output).par_chunks(TASK_SUMS))
            .for_each(|(gradient, output)| slope_each(gradient, output, activation));
        gradient
    }
}

fn activate_each(values: &mut [f32], activation: Activation) {
    vectorised!({
        for x in values {
            *x = activation.of(*x);
        }
    })
}

fn slope_each(gradient: &mut [f32], output: &[f32], activation: Activation) {
    vectorised!({
        for (gradient, &output) in gradient.iter_mut().zip(output) {
            *gradient *= activation.slope_at(output);
        }
    })
}

/// Squares and clipped sums, of rows of `sums` sums.
fn dual(x: &[f32], sums: usize) -> Vec<f32> {
    let task = TASK_SUMS.div_ceil(sums) * sums;
    filled(2 * x.len(), 2 * task, 0.0, x.par_chunks(task), |outputs, x| {
        vectorised!({
            for (outputs, x) in outputs.chunks_exact_mut(2 * sums).zip(x.chunks_exact(sums)) {
                let (squares, clipped) = outputs.split_at_mut(sums);
                dual_row(x, squares, clipped);
            }
        });
    })
}

#[inline(always)]
fn dual_row(x: &[f32], squares: &mut [f32], clipped: &mut [f32]) {
    for ((x, square), clipped) in x.iter().zip(squares).zip(clipped) {
        // `clamp` keeps NaN; `min` does not.
        *square = (x * x).clamp(0.0, 1.0);
        *clipped = x.clamp(0.0, 1.0);
    }
}

/// The gradient of rows of `sums` sums from that of both outputs of each.
fn dual_backward(gradient: &[f32], output: &[f32], sums: usize) -> Vec<f32> {
    let task = TASK_SUMS.div_ceil(sums) * sums;
    let beside = gradient.par_chunks(2 * task).zip(output.par_chunks(2 * task));
    filled(output.len() / 2, task, 0.0, beside, |of_sums, (gradient, output)| {
        let rows = gradient.chunks_exact(2 * sums).zip(output.chunks_exact(2 * sums));
        vectorised!({
            for (of_sums, (gradient, output)) in of_sums.chunks_exact_mut(sums).zip(rows) {
                dual_row_backward(of_sums, gradient.split_at(sums), output.split_at(sums));
            }
        });
    })
}

/// The squares' part comes first in `gradient` and `output`.
#[inline(always)]
fn dual_row_backward(of_sums: &mut [f32], gradient: (&[f32], &[f32]), output: (&[f32], &[f32])) {
    let gradients = gradient.0.iter().zip(gradient.1);
    let outputs = output.0.iter().zip(output.1);
    for ((of_sum, (of_square, of_clipped)), (&square, &clipped)) in
        of_sums.iter_mut().zip(gradients).zip(outputs)
    {
        let sum = if clipped > 0.0 { clipped } else { -square.sqrt() };
        let square_slope = if square < 1.0 { 2.0 * sum } else { 0.0 };
        *of_sum = of_square * square_slope + of_clipped * Activation::Dual.slope_at(clipped);
    }
}
