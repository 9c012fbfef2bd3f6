//! The kernels. A unit finds its row and column from its place in the output.

#![allow(unreachable_pub, reason = "what the macro makes of a kernel is as public as the kernel")]

use cubecl::prelude::*;

use nnue::Activation;

/// [`Activation::of`].
#[cube]
fn activated(x: f32, #[comptime] activation: Activation) -> f32 {
    match activation {
        Activation::ClippedRelu => clamp_nan(x, 0.0, 1.0),
        Activation::SquaredClippedRelu => {
            let clipped = clamp_nan(x, 0.0, 1.0);
            clipped * clipped
        }
        Activation::Identity => x,
    }
}

/// What [`Activation::slope_at`] leaves of a gradient.
#[cube]
pub fn masked(gradient: f32, output: f32, #[comptime] activation: Activation) -> f32 {
    let open = output > 0.0 && output < 1.0;
    match activation {
        Activation::ClippedRelu => select(open, gradient, 0.0),
        Activation::SquaredClippedRelu => select(open, gradient * (2.0 * output.sqrt()), 0.0),
        Activation::Identity => gradient,
    }
}

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
    out[ABSOLUTE_POS] = activated(sum, activation);
}

/// Takes the gradient through the activation, in its place, and adds it up
/// over a block of rows. A unit per value of `blocks`, `[blocks, l1]`.
#[cube(launch)]
pub fn through_activation(
    activations: &[f32],
    gradient: &mut [f32],
    blocks: &mut [f32],
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
        let passed = masked(gradient[place], activations[place], activation);
        gradient[place] = passed;
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
