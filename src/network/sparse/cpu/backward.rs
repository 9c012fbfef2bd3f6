//! Backward pass: the gradient of a weight row is the sum of the output
//! gradients of the rows its feature is active in, each times the feature's
//! value there.
//!
//! Scattering each row's gradient onto its features would write twenty times
//! what it reads, and threads would collide. So the index list is turned
//! round ([`Inverted`]) and every feature *gathers*. To keep what is gathered
//! in the second-level cache, the rows are taken in chunks and the columns in
//! tiles: a task copies the masked gradient of a chunk and tile to a buffer of
//! its own and sums from there. The chunk grows with the feature set, because
//! each chunk also reads and writes the tile of every feature once.
//!
//! A task owns a tile and a *group* of consecutive chunks. The first group
//! sums into the gradient itself, others into partial gradients that are added
//! in order at the end. Their number depends on the sizes alone, never on the
//! threads, and so does the result.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::inverted::Inverted;
use super::rows::{Rows, Value, Values};
use super::{NARROW_TILE, TILE};

/// Sets up to this size get enough groups to keep many cores busy; beyond it
/// a partial gradient is too large to have several.
const SMALL_SET: usize = 4096;

/// Tiles times groups to aim at, for small and for large sets.
const TASKS: (usize, usize) = (16, 4);

/// Fewest and most rows in a chunk.
const CHUNK_ROWS: Range<usize> = 512..8192;

/// Values that one parallel task adds.
const TASK_VALUES: usize = 1 << 15;

/// What the backward pass works on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, V> {
    /// `[rows, l1]`: how the loss changes with the output.
    pub gradient: &'a [f32],
    /// `[rows, l1]`: the clipped output; a clipped value passes no gradient.
    pub output: &'a [f32],
    /// Active features of each row.
    pub rows: Rows<'a, V>,
    /// Size of the feature set.
    pub features: usize,
    /// Columns.
    pub l1: usize,
}

/// Gradients of the weights, `[features, l1]`, and of the bias, `[l1]`.
pub fn gradients<V: Values>(inputs: Inputs<'_, V>) -> (Vec<f32>, Vec<f32>) {
    if inputs.l1.is_multiple_of(TILE) {
        gradients_tiled::<TILE, V>(inputs)
    } else {
        gradients_tiled::<NARROW_TILE, V>(inputs)
    }
}

/// A run of rows and where its features are.
struct Chunk<V: Values> {
    start: usize,
    len: usize,
    inverted: Inverted<V::Value>,
}

/// Sums one tile of the gradients over one group of chunks.
struct Task<'a, const T: usize, V: Values> {
    chunks: &'a [Chunk<V>],
    column: usize,
    /// This tile of the weight gradient, a piece per feature.
    sums: Vec<&'a mut [f32; T]>,
}

fn gradients_tiled<const T: usize, V: Values>(inputs: Inputs<'_, V>) -> (Vec<f32>, Vec<f32>) {
    let tiles = inputs.l1 / T;
    let aim = if inputs.features <= SMALL_SET { TASKS.0 } else { TASKS.1 };
    let chunks = chunks_of(inputs);
    let per_group = chunks.len().div_ceil((aim / tiles).max(1)).max(1);
    let groups = chunks.chunks(per_group);
    let mut sums: Vec<Vec<f32>> =
        (0..groups.len().max(1)).map(|_| vec![0.0; inputs.features * inputs.l1]).collect();
    let tasks: Vec<Task<'_, T, V>> = groups
        .zip(&mut sums)
        .flat_map(|(chunks, sums)| {
            let columns = columns(sums, tiles).into_iter().enumerate();
            columns.map(move |(tile, sums)| Task { chunks, column: tile * T, sums })
        })
        .collect();
    let biases: Vec<[f32; T]> =
        tasks.into_par_iter().with_max_len(1).map(|task| task.run(inputs)).collect();
    (add_groups(sums), add_biases(&biases, tiles))
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
    let size = (inputs.features / 4).next_power_of_two().clamp(CHUNK_ROWS.start, CHUNK_ROWS.end);
    let rows = inputs.rows.len();
    (0..rows.div_ceil(size))
        .into_par_iter()
        .with_max_len(1)
        .map(|i| {
            let (start, len) = (i * size, size.min(rows - i * size));
            let inverted = Inverted::new(inputs.rows.slice(start, len), inputs.features);
            Chunk { start, len, inverted }
        })
        .collect()
}

impl<const T: usize, V: Values> Task<'_, T, V> {
    /// Returns this tile of the bias gradient.
    fn run(mut self, inputs: Inputs<'_, V>) -> [f32; T] {
        let mut bias = [0.0; T];
        let longest = self.chunks.iter().map(|chunk| chunk.len).max().unwrap_or(0);
        let mut buffer = vec![[0.0; T]; longest];
        for chunk in self.chunks {
            let masked = &mut buffer[..chunk.len];
            let at = chunk.start * inputs.l1 + self.column;
            mask(&inputs.gradient[at..], &inputs.output[at..], inputs.l1, masked, &mut bias);
            gather(masked, &chunk.inverted, &mut self.sums);
        }
        bias
    }
}

/// Copies a tile of the gradient to `masked`, zero where the output was
/// clipped, and adds its rows to `bias`.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn mask<const T: usize>(
    gradient: &[f32],
    output: &[f32],
    l1: usize,
    masked: &mut [[f32; T]],
    bias: &mut [f32; T],
) {
    let mut sum = *bias;
    for ((row, gradient), output) in
        masked.iter_mut().zip(gradient.chunks(l1)).zip(output.chunks(l1))
    {
        let (Some(gradient), Some(output)) =
            (gradient.first_chunk::<T>(), output.first_chunk::<T>())
        else {
            unreachable!("a row holds every column")
        };
        for lane in 0..T {
            let open = output[lane] > 0.0 && output[lane] < 1.0;
            row[lane] = if open { gradient[lane] } else { 0.0 };
            sum[lane] += row[lane];
        }
    }
    *bias = sum;
}

/// Adds to each feature the rows it is active in, times its value there.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn gather<const T: usize, V: Value>(
    masked: &[[f32; T]],
    inverted: &Inverted<V>,
    sums: &mut [&mut [f32; T]],
) {
    for (feature, total) in sums.iter_mut().enumerate() {
        let mut sum = **total;
        for (row, value) in inverted.rows_of(feature) {
            let row = &masked[row];
            for lane in 0..T {
                sum[lane] += value.times(row[lane]);
            }
        }
        **total = sum;
    }
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

/// The bias gradient of all columns, from tiles of all groups in order.
fn add_biases<const T: usize>(biases: &[[f32; T]], tiles: usize) -> Vec<f32> {
    let mut total = vec![0.0; tiles * T];
    for group in biases.chunks(tiles) {
        add(&mut total, group.as_flattened());
    }
    total
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn add(total: &mut [f32], more: &[f32]) {
    for (total, more) in total.iter_mut().zip(more) {
        *total += more;
    }
}
