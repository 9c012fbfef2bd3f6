//! Backward pass, of both layers at once.
//!
//! The gradient of a weight row is the sum of the gradients that reach the
//! rows its feature is active in, each times the feature's value there.
//! Scattering each row's gradient onto its features would write twenty times
//! what it reads, and threads would collide. So the index list is
//! inverted (`Inverted`) and every feature *gathers*. To keep what is gathered
//! in the second-level cache, the rows are taken in chunks and the columns in
//! tiles: a task computes what of the gradient passes the dense layer and the
//! activation, for a chunk and a tile, in a buffer of its own and sums from
//! there. The gradient between the two layers, as large as all activations,
//! never is in memory whole. The chunk grows with the feature set, because
//! each chunk also reads and writes the tile of every feature it touches.
//!
//! A task owns a tile and a *group* of consecutive chunks. The first group
//! sums into the gradient itself, others into partial gradients that are added
//! in order at the end. Their number depends on the sizes alone, never on the
//! threads, and so does the result.

use std::ops::Range;

use multiversion::multiversion;
use pulp::Arch;
use rayon::prelude::*;

use super::dense::{GradInput, GradWeights};
use super::inverted::Inverted;
use super::layout::{SLICE, blocks, blocks_mut, slice_values, with_tile};
use super::rows::{Rows, Value, Values};
use crate::buffer::zeros;
use nnue::Activation;

/// Sets up to this size get enough groups to keep many cores busy; beyond it
/// a partial gradient is too large to have several.
const SMALL_SET: usize = 4096;

/// Tiles times groups to aim at, for small and for large sets.
const TASKS: (usize, usize) = (16, 4);

/// Fewest and most slices in a chunk.
const CHUNK_SLICES: Range<usize> = 8..32;

/// Values that one parallel task adds.
const TASK_VALUES: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs<'a, V> {
    /// `[positions, outputs]`: gradient of the output.
    pub gradient: &'a [f32],
    /// Input of the dense layer, in the order of [`layout`](super::layout).
    pub activations: &'a [f32],
    /// `[2 × l1, outputs]`.
    pub dense: &'a [f32],
    /// Active features of each row, two rows per position.
    pub rows: Rows<'a, V>,
    /// Size of the feature set.
    pub features: usize,
    /// Columns of the first layer.
    pub l1: usize,
    /// Between the two layers.
    pub activation: Activation,
}

#[derive(Debug)]
pub(super) struct Gradients {
    /// `[features, l1]`.
    pub weights: Vec<f32>,
    /// `[l1]`.
    pub bias: Vec<f32>,
    /// `[2 × l1, outputs]`.
    pub dense: Vec<f32>,
}

/// Gradients of the parameters of both layers.
pub(super) fn backward<V: Values>(inputs: Inputs<'_, V>) -> Gradients {
    with_tile!(inputs.l1, |T| backward_tiled::<T, V>(inputs))
}

/// A run of slices and where its features are.
struct Chunk<V: Values> {
    start: usize,
    len: usize,
    /// Rows are numbered as they lie in the buffer of a task: by slice, side
    /// and position.
    inverted: Inverted<V::Value>,
}

/// Sums one tile of the gradients over one group of chunks.
struct Task<'a, const T: usize, V: Values> {
    chunks: &'a [Chunk<V>],
    column: usize,
    /// This tile of the weight gradient, a piece per feature.
    weights: Vec<&'a mut [f32; T]>,
}

/// One tile of the smaller gradients.
struct Tile<const T: usize> {
    bias: [f32; T],
    /// `[outputs, T]`, for the half of the dense layer that reads the side to
    /// move, and for the other.
    dense: [Vec<[f32; T]>; 2],
}

/// Gradients of the weights that are in memory at once for a batch of so many positions.
pub fn gradient_copies(features: usize, l1: usize, positions: usize) -> usize {
    let chunks = positions.div_ceil(chunk_size(features));
    let tiles = with_tile!(l1, |T| l1 / T);
    chunks.div_ceil(per_group(features, tiles, chunks)).max(1)
}

/// Chunks that sum into the same gradient.
fn per_group(features: usize, tiles: usize, chunks: usize) -> usize {
    let aim = if features <= SMALL_SET { TASKS.0 } else { TASKS.1 };
    chunks.div_ceil((aim / tiles).max(1)).max(1)
}

/// Positions in a chunk.
fn chunk_size(features: usize) -> usize {
    let slices = features.next_power_of_two() / (8 * SLICE);
    slices.clamp(CHUNK_SLICES.start, CHUNK_SLICES.end) * SLICE
}

fn backward_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>) -> Gradients {
    let tiles = inputs.l1 / T;
    let chunks = chunks_of(inputs);
    let groups = chunks.chunks(per_group(inputs.features, tiles, chunks.len()));
    let mut weights: Vec<Vec<f32>> =
        (0..groups.len().max(1)).map(|_| zeros(inputs.features * inputs.l1)).collect();
    let tasks: Vec<Task<'_, T, V>> = groups
        .zip(&mut weights)
        .flat_map(|(chunks, weights)| {
            let columns = columns(weights, tiles).into_iter().enumerate();
            columns.map(move |(tile, weights)| Task { chunks, column: tile * T, weights })
        })
        .collect();
    let smaller: Vec<Tile<T>> =
        tasks.into_par_iter().with_max_len(1).map(|task| task.run(inputs)).collect();
    let (bias, dense) = put_together(&smaller, inputs);
    Gradients { weights: add_groups(weights), bias, dense }
}

/// A matrix cut into columns of tiles.
fn columns<const T: usize>(matrix: &mut [f32], tiles: usize) -> Vec<Vec<&mut [f32; T]>> {
    let (pieces, _) = matrix.as_chunks_mut::<T>();
    let rows = pieces.len() / tiles;
    let mut columns: Vec<Vec<_>> = (0..tiles).map(|_| Vec::with_capacity(rows)).collect();
    for (i, piece) in pieces.iter_mut().enumerate() {
        columns[i % tiles].push(piece);
    }
    columns
}

fn chunks_of<V: Values>(inputs: Inputs<'_, V>) -> Vec<Chunk<V>> {
    let size = chunk_size(inputs.features);
    let positions = inputs.rows.len() / 2;
    (0..positions.div_ceil(size))
        .into_par_iter()
        .with_max_len(1)
        .map(|i| {
            let (start, len) = (i * size, size.min(positions - i * size));
            let rows = inputs.rows.slice(2 * start, 2 * len);
            let inverted = Inverted::new(rows, inputs.features, |row| place(row, len));
            Chunk { start, len, inverted }
        })
        .collect()
}

/// Where the row of a chunk of `len` positions lies in the buffer of a task.
fn place(row: usize, len: usize) -> usize {
    let (position, side) = (row / 2, row % 2);
    let slice = position / SLICE;
    let positions = SLICE.min(len - slice * SLICE);
    2 * slice * SLICE + side * positions + position % SLICE
}

impl<const T: usize, V: Values> Task<'_, T, V> {
    fn run(mut self, inputs: Inputs<'_, V>) -> Tile<T> {
        let outputs = inputs.dense.len() / (2 * inputs.l1);
        let mut tile = Tile { bias: [0.0; T], dense: [(); 2].map(|()| vec![[0.0; T]; outputs]) };
        let dense = self.dense_by_output(inputs);
        let longest = self.chunks.iter().map(|chunk| chunk.len).max().unwrap_or(0);
        let mut buffer = vec![[0.0; T]; 2 * longest];
        for chunk in self.chunks {
            let grad_input = &mut buffer[..2 * chunk.len];
            self.grad_activations(inputs, chunk, &dense, grad_input, &mut tile);
            gather(grad_input, &chunk.inverted, &mut self.weights);
        }
        tile
    }

    /// This tile of the dense layer, for either side, a row per output.
    fn dense_by_output(&self, inputs: Inputs<'_, V>) -> [Vec<[f32; T]>; 2] {
        let outputs = inputs.dense.len() / (2 * inputs.l1);
        [0, 1].map(|side| {
            let part = &inputs.dense[(side * inputs.l1 + self.column) * outputs..];
            let row = |output| std::array::from_fn(|column| part[column * outputs + output]);
            (0..outputs).map(row).collect()
        })
    }

    /// The gradient of the sums of a chunk, and what the chunk adds to the smaller
    /// gradients.
    fn grad_activations(
        &self,
        inputs: Inputs<'_, V>,
        chunk: &Chunk<V>,
        dense: &[Vec<[f32; T]>; 2],
        grad_input: &mut [[f32; T]],
        tile: &mut Tile<T>,
    ) {
        let arch = Arch::new();
        let outputs = dense[0].len();
        let gradient = &inputs.gradient[chunk.start * outputs..][..chunk.len * outputs];
        let activations = &inputs.activations[chunk.start * 2 * inputs.l1..];
        let slices = grad_input.chunks_mut(2 * SLICE);
        for ((grad_input, activations), gradient) in slices
            .zip(activations.chunks(slice_values(inputs.l1)))
            .zip(gradient.chunks(SLICE * outputs))
        {
            let positions = grad_input.len() / 2;
            let a = blocks(activations, self.column / T, positions);
            let grad_input = blocks_mut(grad_input.as_flattened_mut(), 0, positions);
            for (side, (a, grad_input)) in a.into_iter().zip(grad_input).enumerate() {
                let weights = &mut tile.dense[side];
                arch.dispatch(GradWeights { weights, gradient, a });
                arch.dispatch(GradInput { grad_input, gradient, weights: &dense[side] });
                through_activation(grad_input, a, inputs.activation, &mut tile.bias);
            }
        }
    }
}

/// Multiplies with the slope of the activation, which is zero where it
/// clipped, and adds the rows to `bias`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn through_activation<const T: usize>(
    grad_input: &mut [[f32; T]],
    a: &[[f32; T]],
    activation: Activation,
    bias: &mut [f32; T],
) {
    let mut sum = *bias;
    for (row, a) in grad_input.iter_mut().zip(a) {
        for lane in 0..T {
            row[lane] *= activation.slope_at(a[lane]);
            sum[lane] += row[lane];
        }
    }
    *bias = sum;
}

/// Adds to each feature the rows it is active in, times its value there.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn gather<const T: usize, V: Value>(
    gradient: &[[f32; T]],
    inverted: &Inverted<V>,
    weights: &mut [&mut [f32; T]],
) {
    for (feature, rows) in inverted.lists() {
        let total = &mut weights[feature];
        let mut sum = **total;
        for (row, value) in rows {
            let row = &gradient[row];
            for lane in 0..T {
                sum[lane] += value.times(row[lane]);
            }
        }
        **total = sum;
    }
}

/// Bias and dense gradients of all columns, from the tiles of all groups in
/// order.
fn put_together<const T: usize, V: Values>(
    smaller: &[Tile<T>],
    inputs: Inputs<'_, V>,
) -> (Vec<f32>, Vec<f32>) {
    let tiles = inputs.l1 / T;
    let outputs = inputs.dense.len() / (2 * inputs.l1);
    let (mut bias, mut dense) = (vec![0.0; inputs.l1], vec![0.0; inputs.dense.len()]);
    for (i, tile) in smaller.iter().enumerate() {
        let first = i % tiles * T;
        add(&mut bias[first..first + T], &tile.bias);
        for (side, by_output) in tile.dense.iter().enumerate() {
            let rows = &mut dense[(side * inputs.l1 + first) * outputs..];
            for (column, row) in rows.chunks_exact_mut(outputs).take(T).enumerate() {
                for (to, from) in row.iter_mut().zip(by_output) {
                    *to += from[column];
                }
            }
        }
    }
    (bias, dense)
}

/// The groups added up in order.
fn add_groups(groups: Vec<Vec<f32>>) -> Vec<f32> {
    let mut groups = groups.into_iter();
    let mut total = groups.next().unwrap_or_default();
    for group in groups {
        total
            .par_chunks_mut(TASK_VALUES)
            .zip(group.par_chunks(TASK_VALUES))
            .for_each(|(total, group)| add(total, group));
    }
    total
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn add(total: &mut [f32], more: &[f32]) {
    for (total, more) in total.iter_mut().zip(more) {
        *total += more;
    }
}
