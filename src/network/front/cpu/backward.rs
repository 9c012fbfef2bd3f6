//! Backward pass, of both layers at once.
//!
//! The gradient of a weight row is the sum of the gradients that reach the
//! rows its feature is active in, each times the feature's value there.
//! Scattering each row's gradient onto its features would write twenty times
//! as much as it reads, and threads would collide. So the index list is
//! inverted (`Inverted`) and every feature *gathers*. To keep the gathered rows
//! in the second-level cache, the rows are taken in chunks and the columns in
//! tiles: a task computes the gradient behind the dense layer and the
//! activation, for a chunk and a tile, in a buffer of its own and sums from
//! there. The gradient between the two layers, as large as all activations,
//! never is in memory whole. The chunk grows with the feature set, because
//! each chunk also reads and writes the tile of every feature it touches.
//!
//! A task owns a tile and a *group* of consecutive chunks. The first group
//! sums into the gradient itself, others into partial gradients that are added
//! in order at the end. Their number depends on the sizes alone, never on the
//! threads, and so does the result.

mod task;

use std::ops::Range;

use rayon::prelude::*;

use super::inverted::Inverted;
use super::layout::{Columns, SLICE};
use super::rows::{Rows, Values};
use crate::buffer::zeros;
use crate::cpu::dense::{add_by_output, add_rows};
use crate::cpu::slices::Slices;
use crate::cpu::tile::with_tile;
use crate::front::Between;
use crate::vectorised;
use nnue::Activation;
use task::{Chunk, Task, Tile, block};

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
    /// Activation of each sum, in the order of [`layout`](super::layout).
    pub activations: &'a [f32],
    /// `[buckets, inputs, outputs]`.
    pub dense: &'a [f32],
    /// Outputs of the dense layer, per bucket.
    pub outputs: usize,
    /// Active features of each row, two rows per position.
    pub rows: Rows<'a, V>,
    /// The positions by bucket.
    pub slices: &'a Slices,
    pub features: usize,
    pub columns: Columns,
    pub between: Between,
}

#[derive(Debug)]
pub(super) struct Gradients {
    /// `[features, l1]`.
    pub weights: Vec<f32>,
    /// `[l1]`.
    pub bias: Vec<f32>,
    /// `[buckets, inputs, outputs]`.
    pub dense: Vec<f32>,
    /// `[buckets, outputs]`.
    pub dense_bias: Vec<f32>,
}

/// Gradients of the parameters of both layers.
pub(super) fn backward<V: Values>(inputs: Inputs<'_, V>) -> Gradients {
    let gradient = inputs.slices.arranged(inputs.gradient, inputs.outputs);
    let inputs = Inputs { gradient: &gradient, ..inputs };
    with_tile!(inputs.columns.inputs(), |T| backward_tiled::<T, V>(inputs))
}

/// Gradients of the weights that are in memory at once for a batch of `positions` positions.
pub fn gradient_copies(
    features: usize,
    l1: usize,
    activation: Activation,
    positions: usize,
) -> usize {
    let chunks = positions.div_ceil(SLICE).div_ceil(chunk_slices(features));
    let inputs = Columns::new(l1, activation).inputs();
    let tiles = with_tile!(inputs, |T| inputs / T);
    chunks.div_ceil(per_group(features, tiles, chunks)).max(1)
}

/// Chunks that sum into the same gradient.
fn per_group(features: usize, tiles: usize, chunks: usize) -> usize {
    let aim = if features <= SMALL_SET { TASKS.0 } else { TASKS.1 };
    chunks.div_ceil((aim / tiles).max(1)).max(1)
}

fn chunk_slices(features: usize) -> usize {
    let slices = features.next_power_of_two() / (8 * SLICE);
    slices.clamp(CHUNK_SLICES.start, CHUNK_SLICES.end)
}

fn backward_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>) -> Gradients {
    let Columns { l1, strips } = inputs.columns;
    let tiles = l1 / strips / T;
    let chunks = chunks_of(inputs);
    let groups = chunks.chunks(per_group(inputs.features, tiles, chunks.len()));
    let mut weights: Vec<Vec<f32>> =
        (0..groups.len().max(1)).map(|_| zeros(inputs.features * l1)).collect();
    let tasks: Vec<Task<'_, T, V>> = groups
        .zip(&mut weights)
        .flat_map(|(chunks, weights)| {
            let tiles = tiles_of(weights, tiles, strips).into_iter().enumerate();
            tiles.map(move |(tile, weights)| Task { inputs, chunks, tile, weights })
        })
        .collect();
    let smaller: Vec<Tile<T>> = tasks.into_par_iter().with_max_len(1).map(Task::run).collect();
    let (bias, dense) = put_together(&smaller, inputs);
    let dense_bias = of_dense_bias(inputs);
    Gradients { weights: add_groups(weights), bias, dense, dense_bias }
}

/// A matrix cut into tiles, each of some strips, each of a piece per row.
fn tiles_of<const T: usize>(
    matrix: &mut [f32],
    tiles: usize,
    strips: usize,
) -> Vec<Vec<Vec<&mut [f32; T]>>> {
    let (pieces, _) = matrix.as_chunks_mut::<T>();
    let rows = pieces.len() / (tiles * strips);
    let tile = || (0..strips).map(|_| Vec::with_capacity(rows)).collect();
    let mut all: Vec<Vec<Vec<_>>> = (0..tiles).map(|_| tile()).collect();
    for (i, piece) in pieces.iter_mut().enumerate() {
        let column = i % (tiles * strips);
        all[column % tiles][column / tiles].push(piece);
    }
    all
}

fn chunks_of<V: Values>(inputs: Inputs<'_, V>) -> Vec<Chunk<V>> {
    let Inputs { slices, rows, features, .. } = inputs;
    let size = chunk_slices(features);
    (0..slices.len().div_ceil(size))
        .into_par_iter()
        .with_max_len(1)
        .map(|chunk| {
            let numbers = chunk * size..slices.len().min((chunk + 1) * size);
            let named = numbers.clone().enumerate().flat_map(|(place, number)| {
                let positions = slices.get(number).positions.iter().enumerate();
                positions.flat_map(move |(i, &position)| {
                    let row = move |side| rows.row(2 * position as usize + side);
                    [0, 1].map(|side| (block(place, side) + i, row(side)))
                })
            });
            let lists = named.map(|(place, row)| (place, row.features()));
            let inverted = Inverted::new(lists, features);
            Chunk { slices: numbers, inverted }
        })
        .collect()
}

/// Bias and dense gradients of all columns, from the tiles of all groups in
/// order.
fn put_together<const T: usize, V: Values>(
    smaller: &[Tile<T>],
    inputs: Inputs<'_, V>,
) -> (Vec<f32>, Vec<f32>) {
    let Inputs { outputs, columns, .. } = inputs;
    let width = columns.inputs();
    let (mut bias, mut dense) = (vec![0.0; columns.l1], vec![0.0; inputs.dense.len()]);
    for (i, tile) in smaller.iter().enumerate() {
        let first = i % (width / T) * T;
        for (strip, of_strip) in bias.chunks_exact_mut(width).zip(&tile.bias) {
            add(&mut strip[first..first + T], of_strip);
        }
        for (side, own) in tile.dense.chunks_exact(outputs).enumerate() {
            add_by_output(&mut dense, side * width + first, own);
        }
    }
    (bias, dense)
}

/// The gradient of the bias of the dense layer, `[buckets, outputs]`.
fn of_dense_bias<V: Values>(inputs: Inputs<'_, V>) -> Vec<f32> {
    let Inputs { gradient, dense, outputs, slices, columns, .. } = inputs;
    let mut bias = vec![0.0; dense.len() / (2 * columns.inputs())];
    for number in 0..slices.len() {
        let own = &mut bias[slices.get(number).bucket * outputs..][..outputs];
        add_rows(own, slices.part(gradient, number, outputs));
    }
    bias
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

fn add(total: &mut [f32], more: &[f32]) {
    vectorised!({
        for (total, more) in total.iter_mut().zip(more) {
            *total += more;
        }
    })
}
