//! Forward pass: sum the weight rows of the active features, each times the
//! feature's value, and multiply what the activation leaves with the dense
//! layer while it is still in the cache.
//!
//! The cost is reading `active × L1` weights per row, from the second-level
//! cache when the set is small; on two cores it runs at that cache's speed.

use rayon::prelude::*;

use multiversion::multiversion;

use super::buffer::filled;
use super::matrix::{Matrix, MatrixMut};
use super::rows::{Row, Rows, Value, Values};
use super::{NARROW_TILE, TILE};
use crate::nnue::Activation;

/// Positions that one task takes through both layers.
const SLICE: usize = 64;

/// What the forward pass works on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, V> {
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

/// What comes of it.
#[derive(Debug)]
pub struct Outputs {
    /// `[positions, outputs]`.
    pub output: Vec<f32>,
    /// `[rows, l1]`: what the dense layer was given.
    pub activations: Vec<f32>,
}

/// Both layers, for all rows.
pub fn forward<V: Values>(inputs: Inputs<'_, V>) -> Outputs {
    if inputs.bias.len().is_multiple_of(TILE) {
        forward_tiled::<TILE, V>(inputs)
    } else if inputs.bias.len().is_multiple_of(NARROW_TILE) {
        forward_tiled::<NARROW_TILE, V>(inputs)
    } else {
        forward_tiled::<1, V>(inputs)
    }
}

fn forward_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>) -> Outputs {
    let Inputs { bias, dense, rows, .. } = inputs;
    let inner = 2 * bias.len();
    let (positions, outputs) = (rows.len() / 2, dense.len() / inner);
    let mut output = vec![0.0; positions * outputs];
    let slices = output.par_chunks_mut(SLICE * outputs).enumerate();
    let activations =
        filled(positions * inner, SLICE * inner, slices, |activations, (slice, output)| {
            let size = activations.len() / inner;
            let rows = rows.slice(2 * SLICE * slice, 2 * size);
            transform::<T, V>(Inputs { rows, ..inputs }, activations);
            let activations = Matrix::new(activations, size, inner, inner);
            let dense = Matrix::new(dense, inner, outputs, outputs);
            MatrixMut::new(output, size, outputs, outputs).set_product(activations, dense);
        });
    Outputs { output, activations }
}

/// The first layer alone, of a few rows.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn transform<const T: usize, V: Values>(inputs: Inputs<'_, V>, activations: &mut [f32]) {
    let (bias, _) = inputs.bias.as_chunks::<T>();
    let (tiles, _) = activations.as_chunks_mut::<T>();
    for (row, out) in tiles.chunks_exact_mut(bias.len()).enumerate() {
        for (tile, (out, bias)) in out.iter_mut().zip(bias).enumerate() {
            let sum = sum(bias, inputs.weights, inputs.bias.len(), tile * T, inputs.rows.row(row));
            *out = sum.map(|x| inputs.activation.of(x));
        }
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
