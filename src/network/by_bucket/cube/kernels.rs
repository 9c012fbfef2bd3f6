//! The kernels: products of matrices by tiles.

#![allow(unreachable_pub, reason = "items of the macro are as public as the kernel")]

use cubecl::prelude::*;

use crate::buckets::TILE;

/// Steps of the sum that a cube keeps in shared memory at once.
const DEPTH: usize = 16;

/// Rows of a tile as it lies in shared memory: one more, so that units beside each other write
/// into different banks.
const PITCH: usize = TILE + 1;

/// The tile of a cube, `TILE × columns`; each unit computes `own_rows × own_columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub columns: usize,
    pub own_rows: usize,
    pub own_columns: usize,
}

impl Tile {
    /// For matrices of `columns` columns.
    pub fn of(columns: usize) -> Self {
        match columns {
            33.. => Self { columns: 64, own_rows: 4, own_columns: 4 },
            17..=32 => Self { columns: 32, own_rows: 4, own_columns: 2 },
            9..=16 => Self { columns: 16, own_rows: 4, own_columns: 1 },
            5..=8 => Self { columns: 8, own_rows: 2, own_columns: 1 },
            2..=4 => Self { columns: 4, own_rows: 1, own_columns: 1 },
            _ => Self { columns: 1, own_rows: 1, own_columns: 1 },
        }
    }

    /// Units of a cube.
    pub fn units(self) -> usize {
        TILE / self.own_rows * (self.columns / self.own_columns)
    }
}

/// A cube per tile of `[positions, columns]` and share of the depth: rows of `x [positions, depth]`
/// times the matrix of the tile's bucket, `[depth, columns]` or its transpose. `out` is
/// `[shares, positions, columns]`; the first share has the bias.
#[cube(launch_unchecked)]
pub fn times(
    x: &[f32],
    matrices: &[f32],
    bias: ComptimeOption<&[f32]>,
    order: ComptimeOption<&[i32]>,
    buckets: ComptimeOption<&[i32]>,
    out: &mut [f32],
    positions: usize,
    depth: usize,
    columns: usize,
    shares: usize,
    #[comptime] transposed: bool,
    #[comptime] tile: Tile,
) {
    let units = comptime!(tile.units());
    let mut rows = Shared::<[f32]>::new_slice(comptime!(DEPTH * PITCH));
    let mut matrix = Shared::<[f32]>::new_slice(comptime!(DEPTH * tile.columns));
    let unit = UNIT_POS as usize;
    let own_tile = CUBE_POS_X as usize;
    let first_column = CUBE_POS_Y as usize * tile.columns;
    let bucket: ComptimeOption<i32> = buckets.as_ref().map(|buckets| buckets[own_tile]);
    let bucket = bucket.unwrap_or(0) as usize;
    let start = bucket * depth * columns;
    let mut sums = Array::<f32>::new(comptime!(tile.own_rows * tile.own_columns));
    let share = CUBE_POS_Z as usize;
    let blocks = depth.div_ceil(DEPTH);
    let each = blocks.div_ceil(shares);
    for block in min(share * each, blocks)..min(share * each + each, blocks) {
        let first = block * DEPTH;
        for place in range_stepped(unit, comptime!(DEPTH * TILE), units) {
            let (row, step) = (place / DEPTH, place % DEPTH);
            let at = own_tile * TILE + row;
            let position: ComptimeOption<i32> = order.as_ref().map(|order| order[at]);
            let position = position.unwrap_or(at as i32);
            let mut value = 0.0f32;
            if position >= 0 && (position as usize) < positions && first + step < depth {
                value = x[position as usize * depth + first + step];
            }
            rows[step * PITCH + row] = value;
        }
        for place in range_stepped(unit, comptime!(DEPTH * tile.columns), units) {
            let step = if comptime!(transposed) { place % DEPTH } else { place / tile.columns };
            let column = if comptime!(transposed) { place / DEPTH } else { place % tile.columns };
            let mut value = 0.0f32;
            if first + step < depth && first_column + column < columns {
                let (step, column) = (first + step, first_column + column);
                value = if comptime!(transposed) {
                    matrices[start + column * depth + step]
                } else {
                    matrices[start + step * columns + column]
                };
            }
            matrix[step * comptime!(tile.columns) + column] = value;
        }
        sync_cube();
        multiply(&rows, &matrix, &mut sums, PITCH, tile);
        sync_cube();
    }
    let beside = comptime!(tile.columns / tile.own_columns);
    #[unroll]
    for m in 0..comptime!(tile.own_rows) {
        let at = own_tile * TILE + unit / beside + m * comptime!(TILE / tile.own_rows);
        let position: ComptimeOption<i32> = order.as_ref().map(|order| order[at]);
        let position = position.unwrap_or(at as i32);
        #[unroll]
        for n in 0..comptime!(tile.own_columns) {
            let column = first_column + unit % beside + n * beside;
            if position >= 0 && (position as usize) < positions && column < columns {
                let bias: ComptimeOption<f32> =
                    bias.as_ref().map(|bias| bias[bucket * columns + column]);
                let bias = select(share == 0, bias.unwrap_or(0.0), 0.0);
                out[(share * positions + position as usize) * columns + column] =
                    sums[m * comptime!(tile.own_columns) + n] + bias;
            }
        }
    }
}

/// A cube per tile of a bucket's weights and share of its positions: the sum over these of
/// `x [positions, inputs]` times `gradient [positions, outputs]`. `weights` are
/// `[shares, buckets, inputs, outputs]`, `bias` is `[shares, buckets, outputs]`.
#[cube(launch_unchecked)]
pub fn outer_products(
    gradient: &[f32],
    x: &[f32],
    order: ComptimeOption<&[i32]>,
    first_tiles: ComptimeOption<&[i32]>,
    weights: &mut [f32],
    bias: &mut [f32],
    positions: usize,
    inputs: usize,
    outputs: usize,
    buckets: usize,
    shares: usize,
    output_tiles: usize,
    #[comptime] tile: Tile,
) {
    let units = comptime!(tile.units());
    let beside = comptime!(tile.columns / tile.own_columns);
    let mut inputs_of = Shared::<[f32]>::new_slice(comptime!(DEPTH * TILE));
    let mut gradients = Shared::<[f32]>::new_slice(comptime!(DEPTH * tile.columns));
    let unit = UNIT_POS as usize;
    let first_input = CUBE_POS_X as usize / output_tiles * TILE;
    let first_output = CUBE_POS_X as usize % output_tiles * tile.columns;
    let (share, bucket) = (CUBE_POS_Y as usize, CUBE_POS_Z as usize);
    let begin: ComptimeOption<i32> = first_tiles.as_ref().map(|first| first[bucket]);
    let end: ComptimeOption<i32> = first_tiles.as_ref().map(|first| first[bucket + 1]);
    let begin = begin.unwrap_or(0) as usize;
    let end = end.unwrap_or(positions.div_ceil(TILE) as i32) as usize;
    let each = (end - begin).div_ceil(shares);
    let own_begin = min(begin + share * each, end);
    let own_end = min(own_begin + each, end);
    let mut sums = Array::<f32>::new(comptime!(tile.own_rows * tile.own_columns));
    let mut of_bias = 0.0f32;
    for block in own_begin * comptime!(TILE / DEPTH)..own_end * comptime!(TILE / DEPTH) {
        for place in range_stepped(unit, comptime!(DEPTH * TILE), units) {
            let (step, input) = (place / TILE, first_input + place % TILE);
            let at = block * DEPTH + step;
            let position: ComptimeOption<i32> = order.as_ref().map(|order| order[at]);
            let position = position.unwrap_or(at as i32);
            let mut value = 0.0f32;
            if position >= 0 && (position as usize) < positions && input < inputs {
                value = x[position as usize * inputs + input];
            }
            inputs_of[place] = value;
        }
        for place in range_stepped(unit, comptime!(DEPTH * tile.columns), units) {
            let (step, output) = (place / tile.columns, first_output + place % tile.columns);
            let at = block * DEPTH + step;
            let position: ComptimeOption<i32> = order.as_ref().map(|order| order[at]);
            let position = position.unwrap_or(at as i32);
            let mut value = 0.0f32;
            if position >= 0 && (position as usize) < positions && output < outputs {
                value = gradient[position as usize * outputs + output];
            }
            gradients[place] = value;
        }
        sync_cube();
        multiply(&inputs_of, &gradients, &mut sums, TILE, tile);
        if unit < comptime!(tile.columns) {
            #[unroll]
            for step in 0..DEPTH {
                of_bias += gradients[step * comptime!(tile.columns) + unit];
            }
        }
        sync_cube();
    }
    let part = share * buckets + bucket;
    #[unroll]
    for m in 0..comptime!(tile.own_rows) {
        let input = first_input + unit / beside + m * comptime!(TILE / tile.own_rows);
        #[unroll]
        for n in 0..comptime!(tile.own_columns) {
            let output = first_output + unit % beside + n * beside;
            if input < inputs && output < outputs {
                weights[(part * inputs + input) * outputs + output] =
                    sums[m * comptime!(tile.own_columns) + n];
            }
        }
    }
    if first_input == 0 && unit < comptime!(tile.columns) && first_output + unit < outputs {
        bias[part * outputs + first_output + unit] = of_bias;
    }
}

/// Adds the product of two tiles, `[DEPTH, TILE]` of that pitch and `[DEPTH, columns]`, to the
/// values of a unit.
#[cube]
fn multiply(
    rows: &[f32],
    columns: &[f32],
    sums: &mut Array<f32>,
    #[comptime] pitch: usize,
    #[comptime] tile: Tile,
) {
    let unit = UNIT_POS as usize;
    let beside = comptime!(tile.columns / tile.own_columns);
    let (row, column) = (unit / beside, unit % beside);
    #[unroll]
    for step in 0..DEPTH {
        #[unroll]
        for m in 0..comptime!(tile.own_rows) {
            let value = rows[step * pitch + row + m * comptime!(TILE / tile.own_rows)];
            #[unroll]
            for n in 0..comptime!(tile.own_columns) {
                sums[m * comptime!(tile.own_columns) + n] +=
                    value * columns[step * comptime!(tile.columns) + column + n * beside];
            }
        }
    }
}
