//! Forward pass: sum the weight rows of the active features, each times the
//! feature's value.
//!
//! The cost is reading `active × L1` weights per row, from the second-level
//! cache when the set is small; on two cores it runs at that cache's speed.

use multiversion::multiversion;
use rayon::prelude::*;

use super::rows::{Row, Rows, Value, Values};
use super::{NARROW_TILE, TILE};

/// Tiles that one parallel task computes at least.
const TASK_TILES: usize = 64;

/// `[rows, l1]` clipped sums; `weights` is `[features, l1]`, `bias` `[l1]`.
pub fn transform<V: Values>(weights: &[f32], bias: &[f32], rows: Rows<'_, V>) -> Vec<f32> {
    if bias.len().is_multiple_of(TILE) {
        transform_tiled::<TILE, V>(weights, bias, rows)
    } else {
        transform_tiled::<NARROW_TILE, V>(weights, bias, rows)
    }
}

/// Collecting whole tiles lets the buffer be filled without being zeroed
/// first: at 64 MB per batch that would cost half as much as the sums.
fn transform_tiled<const T: usize, V: Values>(
    weights: &[f32],
    bias: &[f32],
    rows: Rows<'_, V>,
) -> Vec<f32> {
    let (bias, _) = bias.as_chunks::<T>();
    let tiles = bias.len();
    (0..rows.len() * tiles)
        .into_par_iter()
        .with_min_len(TASK_TILES)
        .map(|i| {
            let (row, tile) = (i / tiles, i % tiles);
            clipped_sum(&bias[tile], weights, tiles * T, tile * T, rows.row(row))
        })
        .collect::<Vec<[f32; T]>>()
        .into_flattened()
}

/// One tile of one row, from column `column` of a matrix `l1` columns wide.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn clipped_sum<const T: usize, V: Values>(
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
    sum.map(|x| x.clamp(0.0, 1.0))
}
