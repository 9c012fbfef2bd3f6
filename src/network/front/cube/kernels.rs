//! The kernels. A unit finds its row and column from its place in the output.

#![allow(unreachable_pub, reason = "what the macro makes of a kernel is as public as the kernel")]

use cubecl::prelude::*;

use crate::activation::cube::kernels::{masked, of};
use nnue::Activation;

/// Sums the weights of the active features of a row onto the bias, and
/// activates the sum. A unit per value of `out`, `[rows, l1]`.
#[cube(launch)]
pub fn transform(
    indices: &[i32],
    values: ComptimeOption<&[f32]>,
    weights: &[f32],
    bias: &[f32],
    out: &mut [f32],
    width: usize,
    l1: usize,
    #[comptime] activation: Activation,
) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    let row = ABSOLUTE_POS / l1;
    let column = ABSOLUTE_POS % l1;
    let start = row * width;
    let mut sum = bias[column];
    for place in start..start + width {
        let feature = indices[place];
        if feature < 0 {
            break;
        }
        let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
        sum += weights[feature as usize * l1 + column] * value.unwrap_or(1.0);
    }
    out[ABSOLUTE_POS] = of(sum, activation);
}

/// Multiplies the halves of each row. A unit per value of `out`,
/// `[rows, outputs]`.
#[cube(launch)]
pub fn multiply(activations: &[f32], out: &mut [f32], outputs: usize) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    let first = ABSOLUTE_POS / outputs * (2 * outputs) + ABSOLUTE_POS % outputs;
    out[ABSOLUTE_POS] = activations[first] * activations[first + outputs];
}

/// Takes the gradient through the activation and adds it up over a block of
/// rows. A unit per value of `blocks`, `[blocks, l1]`; `gradient` has as many
/// columns as the activation has outputs.
#[cube(launch)]
pub fn through_activation(
    activations: &[f32],
    gradient: &[f32],
    of_sums: &mut [f32],
    blocks: &mut [f32],
    penalty: f32,
    rows: usize,
    l1: usize,
    #[comptime] block_rows: usize,
    #[comptime] activation: Activation,
) {
    if ABSOLUTE_POS >= blocks.len() {
        terminate!();
    }
    let start = ABSOLUTE_POS / l1 * block_rows;
    let column = ABSOLUTE_POS % l1;
    let mut sum = 0.0f32;
    for row in start..min(start + block_rows, rows) {
        let place = row * l1 + column;
        let of_output = match activation {
            Activation::Pairwise => {
                let half = l1 / 2;
                let other = activations[row * l1 + (column + half) % l1];
                (gradient[row * half + column % half] + penalty) * other
            }
            _ => gradient[place] + penalty,
        };
        let passed = masked(of_output, activations[place], activation);
        of_sums[place] = passed;
        sum += passed;
    }
    blocks[ABSOLUTE_POS] = sum;
}

/// Sums the gradient over the rows of a part. A unit per value of `sums`,
/// `[parts, l1]`.
#[cube(launch)]
pub fn sum_parts(
    gradient: &[f32],
    rows: &[i32],
    values: ComptimeOption<&[f32]>,
    part_starts: &[i32],
    sums: &mut [f32],
    parts: usize,
    l1: usize,
) {
    let part = ABSOLUTE_POS / l1;
    let column = ABSOLUTE_POS % l1;
    if part >= parts {
        terminate!();
    }
    let mut sum = 0.0f32;
    for place in part_starts[part] as usize..part_starts[part + 1] as usize {
        let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
        sum += gradient[rows[place] as usize * l1 + column] * value.unwrap_or(1.0);
    }
    sums[ABSOLUTE_POS] = sum;
}

/// Adds up the parts of a feature, in order. A unit per value of `out`,
/// `[features, l1]`.
#[cube(launch)]
pub fn add_parts(sums: &[f32], first_parts: &[i32], out: &mut [f32], l1: usize) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    let feature = ABSOLUTE_POS / l1;
    let column = ABSOLUTE_POS % l1;
    let mut sum = 0.0f32;
    for part in first_parts[feature] as usize..first_parts[feature + 1] as usize {
        sum += sums[part * l1 + column];
    }
    out[ABSOLUTE_POS] = sum;
}
