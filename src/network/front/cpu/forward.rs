//! Forward pass: sum the weight rows of the active features, each times the
//! feature's value, and multiply the activations with the dense layer of the
//! position's bucket while they are still in the cache.
//!
//! The cost is reading `active × L1` weights per row, from the second-level
//! cache when the set is small; on two cores it runs at that cache's speed.

use pulp::Arch;
use rayon::prelude::*;

use super::between::inputs_of;
use super::layout::{Columns, SLICE};
use super::rows::{Row, Rows, Value, Values};
use crate::buffer::filled;
use crate::cpu::dense::{Dense, Padded};
use crate::cpu::products::Forward;
use crate::cpu::slices::{Slice, Slices};
use crate::cpu::tile::with_tile;
use crate::vectorised;
use nnue::Activation;

#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs<'a, V> {
    /// `[features, l1]`.
    pub weights: &'a [f32],
    /// `[l1]`.
    pub bias: &'a [f32],
    pub dense: Dense<'a>,
    /// Active features of each row, two rows per position.
    pub rows: Rows<'a, V>,
    /// The positions by bucket.
    pub slices: &'a Slices,
    /// Between the two layers.
    pub activation: Activation,
}

#[derive(Debug)]
pub(super) struct Outputs {
    /// `[positions, outputs]`.
    pub output: Vec<f32>,
    /// Activation of each sum, in the order of [`layout`](super::layout).
    pub activations: Vec<f32>,
}

pub(super) fn forward<V: Values>(inputs: Inputs<'_, V>) -> Outputs {
    let columns = Columns::new(inputs.bias.len(), inputs.activation);
    with_tile!(columns.inputs(), |T| forward_tiled::<T, V>(inputs, columns))
}

fn forward_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>, columns: Columns) -> Outputs {
    let Inputs { dense: Dense { outputs, .. }, slices, .. } = inputs;
    let dense = Padded::new(inputs.dense);
    let mut output = vec![0.0; slices.room() * outputs];
    let beside = slices.par_iter().zip(output.par_chunks_mut(SLICE * outputs));
    let piece = columns.slice_values();
    let activations =
        filled(slices.len() * piece, piece, 0.0, beside, |activations, (slice, output)| {
            let sums = take_through::<T, V>(inputs, columns, &dense, slice, activations);
            let rows = output.chunks_exact_mut(outputs);
            for (output, sums) in rows.zip(sums.chunks_exact(dense.outputs())) {
                output.copy_from_slice(&sums[..outputs]);
            }
        });
    Outputs { output: slices.restored(output, outputs), activations }
}

/// Takes the rows of one slice through both layers; the padded outputs.
fn take_through<const T: usize, V: Values>(
    inputs: Inputs<'_, V>,
    columns: Columns,
    dense: &Padded,
    slice: Slice<'_>,
    activations: &mut [f32],
) -> Vec<f32> {
    let arch = Arch::new();
    let Slice { bucket, positions } = slice;
    let outputs = dense.outputs();
    let mut sums = dense.start(bucket, positions.len());
    let mut products = [[0.0; T]; SLICE];
    for tile in 0..columns.inputs() / T {
        for (side, strips) in columns.tile_mut::<T>(activations, tile).into_iter().enumerate() {
            for (strip, block) in strips.chunks_exact_mut(SLICE).enumerate() {
                let column = strip * columns.inputs() + tile * T;
                transform(inputs, column, side, positions, block);
            }
            let a = inputs_of(strips, positions.len(), inputs.activation, &mut products);
            let weights = dense.tile::<T>(bucket, side * columns.inputs() + tile * T);
            arch.dispatch(Forward { output: &mut sums, a, weights, outputs });
        }
    }
    sums
}

/// The activations of one strip for the positions of a slice, seen from one side.
fn transform<const T: usize, V: Values>(
    inputs: Inputs<'_, V>,
    column: usize,
    side: usize,
    positions: &[u32],
    block: &mut [[f32; T]],
) {
    vectorised!({
        let Inputs { weights, bias, rows, activation, .. } = inputs;
        let Some(tile_bias) = bias[column..].first_chunk::<T>() else {
            unreachable!("tiles end with the row")
        };
        for (&position, a) in positions.iter().zip(block) {
            let row = rows.row(2 * position as usize + side);
            *a = sum(tile_bias, weights, bias.len(), column, row).map(|x| activation.of(x));
        }
    })
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
