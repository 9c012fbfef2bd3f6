//! Forward pass: sum the weight rows of the active features, each times the
//! feature's value, and multiply what the activation leaves with the dense
//! layer while it is still in the cache.
//!
//! The cost is reading `active × L1` weights per row, from the second-level
//! cache when the set is small; on two cores it runs at that cache's speed.

use multiversion::multiversion;
use pulp::Arch;
use rayon::prelude::*;

use super::dense::{Forward, OUTPUT_STEP};
use super::layout::{SLICE, blocks_mut, slice_values, with_tile};
use super::rows::{Row, Rows, Value, Values};
use crate::buffer::filled;
use nnue::Activation;

#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs<'a, V> {
    /// `[features, l1]`.
    pub weights: &'a [f32],
    /// `[l1]`.
    pub bias: &'a [f32],
    /// `[2 × l1, outputs]`.
    pub dense: &'a [f32],
    /// Active features of each row, two rows per position.
    pub rows: Rows<'a, V>,
    /// Between the two layers.
    pub activation: Activation,
}

#[derive(Debug)]
pub(super) struct Outputs {
    /// `[positions, outputs]`.
    pub output: Vec<f32>,
    /// Input of the dense layer, in the order of [`layout`](super::layout).
    pub activations: Vec<f32>,
}

/// Both layers, for all rows.
pub(super) fn forward<V: Values>(inputs: Inputs<'_, V>) -> Outputs {
    with_tile!(inputs.bias.len(), |T| forward_tiled::<T, V>(inputs))
}

fn forward_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>) -> Outputs {
    let l1 = inputs.bias.len();
    let positions = inputs.rows.len() / 2;
    let outputs = inputs.dense.len() / (2 * l1);
    let dense = Padded::new(inputs.dense, outputs);
    let mut output = vec![0.0; positions * outputs];
    let beside = output.par_chunks_mut(SLICE * outputs).enumerate();
    let piece = slice_values(l1);
    let activations =
        filled(positions * 2 * l1, piece, 0.0, beside, |activations, (slice, output)| {
            let rows = inputs.rows.slice(2 * SLICE * slice, output.len() / outputs * 2);
            let sums = take_through::<T, V>(Inputs { rows, ..inputs }, &dense, activations);
            for (output, sums) in
                output.chunks_exact_mut(outputs).zip(sums.chunks_exact(dense.outputs))
            {
                output.copy_from_slice(&sums[..outputs]);
            }
        });
    Outputs { output, activations }
}

/// The dense layer with columns of zeros up to a whole vector.
struct Padded {
    /// `[2 × l1, outputs]`.
    weights: Vec<f32>,
    outputs: usize,
}

impl Padded {
    fn new(dense: &[f32], outputs: usize) -> Self {
        let padded = outputs.next_multiple_of(OUTPUT_STEP);
        let mut weights = vec![0.0; dense.len() / outputs * padded];
        for (to, row) in weights.chunks_exact_mut(padded).zip(dense.chunks_exact(outputs)) {
            to[..outputs].copy_from_slice(row);
        }
        Self { weights, outputs: padded }
    }
}

/// Takes the rows of one slice through both layers; the padded outputs.
fn take_through<const T: usize, V: Values>(
    inputs: Inputs<'_, V>,
    dense: &Padded,
    activations: &mut [f32],
) -> Vec<f32> {
    let arch = Arch::new();
    let outputs = dense.outputs;
    let positions = inputs.rows.len() / 2;
    let mut sums = vec![0.0; positions * outputs];
    let sides = dense.weights.chunks_exact(inputs.bias.len() * outputs);
    for column in (0..inputs.bias.len()).step_by(T) {
        let blocks = blocks_mut::<T>(activations, column / T, positions);
        for (side, (block, weights)) in blocks.into_iter().zip(sides.clone()).enumerate() {
            transform(inputs, column, side, block);
            let weights = &weights[column * outputs..][..T * outputs];
            arch.dispatch(Forward { output: &mut sums, a: block, weights, outputs });
        }
    }
    sums
}

/// The activations of one tile for all positions, seen from one side.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn transform<const T: usize, V: Values>(
    inputs: Inputs<'_, V>,
    column: usize,
    side: usize,
    block: &mut [[f32; T]],
) {
    let Inputs { weights, bias, rows, activation, .. } = inputs;
    let Some(tile_bias) = bias[column..].first_chunk::<T>() else {
        unreachable!("tiles end with the row")
    };
    for (position, a) in block.iter_mut().enumerate() {
        let row = rows.row(2 * position + side);
        *a = sum(tile_bias, weights, bias.len(), column, row).map(|x| activation.of(x));
    }
}

/// One tile of one row, from column `column` of a matrix `l1` columns wide.
#[inline(always)]
fn sum<const T: usize, V: Values>(
    bias: &[f32; T],
    weights: &[f32],
    l1: usize,
    column: usize,
    active: Row<'_, V>,
) -> [f32; T] {
    let mut sum = *bias;
    for (feature, value) in active.features() {
        let Some(row) = weights[feature * l1 + column..].first_chunk::<T>() else {
            unreachable!("a row of weights holds every column")
        };
        for lane in 0..T {
            sum[lane] += value.times(row[lane]);
        }
    }
    sum
}
