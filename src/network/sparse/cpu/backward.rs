//! Backward pass: the gradient of a weight row is the sum of the output
//! gradients of the rows its feature is active in.
//!
//! Scattering each row's gradient onto its features would write twenty times
//! what it reads, and threads would collide. So the index list is turned
//! round ([`Inverted`]) and every feature *gathers*. To keep what is gathered
//! in the second-level cache, the rows are taken in chunks and the columns in
//! tiles: a task copies the masked gradient of a chunk and tile to a buffer of
//! its own and sums from there. The chunk grows with the feature set, because
//! each chunk also reads and writes the tile of every feature once.
//!
//! A task owns a tile and a *group* of consecutive chunks, and returns a whole
//! partial gradient; the groups are added in order at the end. Their number
//! depends on the sizes alone, never on the threads, and so does the result.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

use super::inverted::Inverted;
use super::{NARROW_TILE, Rows, TILE};

/// Sets up to this size get enough groups to keep many cores busy; beyond it
/// a partial gradient is too large to have several.
const SMALL_SET: usize = 4096;

/// Tiles times groups to aim at, for small and for large sets.
const TASKS: (usize, usize) = (16, 4);

/// Fewest and most rows in a chunk.
const CHUNK_ROWS: Range<usize> = 512..8192;

/// Tiles that one parallel task adds up at least.
const TASK_TILES: usize = 64;

/// What the backward pass works on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// `[rows, l1]`: how the loss changes with the output.
    pub gradient: &'a [f32],
    /// `[rows, l1]`: the clipped output; a clipped value passes no gradient.
    pub output: &'a [f32],
    /// Active features of each row.
    pub rows: Rows<'a>,
    /// Size of the feature set.
    pub features: usize,
    /// Columns.
    pub l1: usize,
}

/// Gradients of the weights, `[features, l1]`, and of the bias, `[l1]`.
pub fn gradients(inputs: Inputs<'_>) -> (Vec<f32>, Vec<f32>) {
    if inputs.l1.is_multiple_of(TILE) {
        gradients_tiled::<TILE>(inputs)
    } else {
        gradients_tiled::<NARROW_TILE>(inputs)
    }
}

/// A run of rows and where its features are.
struct Chunk {
    start: usize,
    len: usize,
    inverted: Inverted,
}

/// One tile of the gradients, over one group of chunks.
struct Partial<const T: usize> {
    weights: Vec<[f32; T]>,
    bias: [f32; T],
}

fn gradients_tiled<const T: usize>(inputs: Inputs<'_>) -> (Vec<f32>, Vec<f32>) {
    let tiles = inputs.l1 / T;
    let tasks = if inputs.features <= SMALL_SET { TASKS.0 } else { TASKS.1 };
    let chunks = chunks_of(inputs);
    let per_group = chunks.len().div_ceil((tasks / tiles).max(1)).max(1);
    let groups: Vec<&[Chunk]> = chunks.chunks(per_group).collect();
    let partials: Vec<Partial<T>> = (0..groups.len() * tiles)
        .into_par_iter()
        .with_max_len(1)
        .map(|i| partial(inputs, groups[i / tiles], i % tiles * T))
        .collect();
    (add_weights(&partials, inputs.features, tiles), add_bias(&partials, tiles))
}

fn chunks_of(inputs: Inputs<'_>) -> Vec<Chunk> {
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

/// The gradients of columns `column..column + T` over `chunks`.
fn partial<const T: usize>(inputs: Inputs<'_>, chunks: &[Chunk], column: usize) -> Partial<T> {
    let mut sums = Partial { weights: vec![[0.0; T]; inputs.features], bias: [0.0; T] };
    let longest = chunks.iter().map(|chunk| chunk.len).max().unwrap_or(0);
    let mut buffer = vec![[0.0; T]; longest];
    for chunk in chunks {
        let masked = &mut buffer[..chunk.len];
        let at = chunk.start * inputs.l1 + column;
        mask(&inputs.gradient[at..], &inputs.output[at..], inputs.l1, masked, &mut sums.bias);
        gather(masked, &chunk.inverted, &mut sums.weights);
    }
    sums
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

/// Adds to each feature the rows it is active in.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn gather<const T: usize>(masked: &[[f32; T]], inverted: &Inverted, sums: &mut [[f32; T]]) {
    for (feature, total) in sums.iter_mut().enumerate() {
        let mut sum = *total;
        for &row in inverted.rows_of(feature) {
            let row = &masked[row as usize];
            for lane in 0..T {
                sum[lane] += row[lane];
            }
        }
        *total = sum;
    }
}

/// The groups' partial gradients in order, tiles side by side.
fn add_weights<const T: usize>(partials: &[Partial<T>], features: usize, tiles: usize) -> Vec<f32> {
    (0..features * tiles)
        .into_par_iter()
        .with_min_len(TASK_TILES)
        .map(|i| {
            let (feature, tile) = (i / tiles, i % tiles);
            sum_of(partials[tile..].iter().step_by(tiles).map(|partial| &partial.weights[feature]))
        })
        .collect::<Vec<[f32; T]>>()
        .into_flattened()
}

fn add_bias<const T: usize>(partials: &[Partial<T>], tiles: usize) -> Vec<f32> {
    (0..tiles)
        .flat_map(|tile| {
            sum_of(partials[tile..].iter().step_by(tiles).map(|partial| &partial.bias))
        })
        .collect()
}

#[inline]
fn sum_of<'a, const T: usize>(tiles: impl Iterator<Item = &'a [f32; T]>) -> [f32; T] {
    let mut sum = [0.0; T];
    for tile in tiles {
        for lane in 0..T {
            sum[lane] += tile[lane];
        }
    }
    sum
}
