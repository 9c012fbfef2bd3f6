//! Dense layers by bucket on a graphics card.
//!
//! Products of matrices as a card has them ready are made for large matrices; here one side is
//! thousands of positions long and the other a few outputs wide, and with Burn's autotuning off
//! they took 0.8 of a training step. So these are our own. A cube multiplies a tile of positions,
//! all of one bucket, with a tile of columns, through shared memory; where a value is the sum over
//! all positions, shares of them are summed side by side and then added up in order. No unit adds
//! into memory that another unit adds into.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

mod kernels;

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::prelude::*;

use super::{ByBucketBackend, DenseGradients, DensePrimitive};
use crate::buckets::{BucketsPrimitive, TILE};
use crate::cube::{add_up, empty, plain};
use kernels::Tile;

/// Cubes that keep a large card busy.
const CUBES: usize = 512;

/// Steps of a sum for which a cube of its own pays.
const LEAST_DEPTH: usize = 128;

/// Limit of the sums of all shares: cards differ in their largest buffer.
const MOST_BYTES: usize = 64 << 20;

impl ByBucketBackend for CubeBackend {
    fn by_bucket(
        x: CubeTensor,
        dense: DensePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
    ) -> CubeTensor {
        let DensePrimitive { weights, bias } = dense;
        let [_, inputs, outputs] = weights.shape().dims();
        let matrix = Matrix {
            values: plain(weights),
            bias: Some(plain(bias)),
            depth: inputs,
            columns: outputs,
            transposed: false,
        };
        times(plain(x), matrix, buckets)
    }

    fn by_bucket_backward(
        gradient: CubeTensor,
        x: CubeTensor,
        weights: CubeTensor,
        buckets: BucketsPrimitive<Self>,
    ) -> DenseGradients<Self> {
        let [copies, inputs, outputs] = weights.shape().dims();
        let (gradient, x) = (plain(gradient), plain(x));
        let dense = of_parameters(gradient.clone(), x, copies, buckets.clone());
        let matrix = Matrix {
            values: plain(weights),
            bias: None,
            depth: outputs,
            columns: inputs,
            transposed: true,
        };
        DenseGradients { x: times(gradient, matrix, buckets), dense }
    }
}

/// A matrix per bucket, `[buckets, depth, columns]`, or its transpose.
struct Matrix {
    values: CubeTensor,
    /// `[buckets, columns]`.
    bias: Option<CubeTensor>,
    depth: usize,
    columns: usize,
    transposed: bool,
}

/// Every row of `x [positions, depth]` times the matrix of its bucket, `[positions, columns]`.
fn times(x: CubeTensor, matrix: Matrix, buckets: BucketsPrimitive<CubeBackend>) -> CubeTensor {
    let [positions, _] = x.shape().dims();
    let Matrix { values, bias, depth, columns, transposed } = matrix;
    let tile = Tile::of(columns);
    let order = Order::new(buckets, positions);
    let column_tiles = columns.div_ceil(tile.columns);
    let shares = shares_of(depth, order.tiles * column_tiles);
    let out = empty(&x, [shares, positions, columns]);
    let count = [order.tiles as u32, column_tiles as u32, shares as u32];
    // SAFETY: positions, columns and depth are held to their bounds; buckets were when the tiles
    // were made.
    unsafe {
        kernels::times::launch_unchecked(
            &out.client,
            CubeCount::Static(count[0], count[1], count[2]),
            CubeDim::new_1d(tile.units() as u32),
            x.into_buffer_arg(),
            values.into_buffer_arg(),
            bias.map(|bias| bias.into_buffer_arg()).into(),
            order.positions.map(|order| order.into_buffer_arg()).into(),
            order.buckets.map(|buckets| buckets.into_buffer_arg()).into(),
            out.clone().into_buffer_arg(),
            positions,
            depth,
            columns,
            shares,
            transposed,
            tile,
        );
    }
    add_up(out, shares, Shape::from([positions, columns]))
}

/// Number of cubes that share the depth of a product of `tiles` tiles: few tiles of a large depth
/// would leave a card waiting for memory.
fn shares_of(depth: usize, tiles: usize) -> usize {
    (2 * CUBES).div_ceil(tiles.max(1)).min(depth / LEAST_DEPTH).max(1)
}

/// The gradients of weights and bias.
fn of_parameters(
    gradient: CubeTensor,
    x: CubeTensor,
    copies: usize,
    buckets: BucketsPrimitive<CubeBackend>,
) -> DensePrimitive<CubeBackend> {
    let ([positions, outputs], [_, inputs]) = (gradient.shape().dims(), x.shape().dims());
    let tile = Tile::of(outputs);
    let output_tiles = outputs.div_ceil(tile.columns);
    let tiles = inputs.div_ceil(TILE) * output_tiles;
    let values = copies * inputs * outputs;
    let shares = CUBES.div_ceil(tiles * copies).min(MOST_BYTES / (values * size_of::<f32>()));
    let shares = shares.clamp(1, positions.div_ceil(TILE));
    let weights = empty(&gradient, [shares, values]);
    let bias = empty(&gradient, [shares, copies * outputs]);
    let order = Order::new(buckets, positions);
    // SAFETY: as above.
    unsafe {
        kernels::outer_products::launch_unchecked(
            &weights.client,
            CubeCount::Static(tiles as u32, shares as u32, copies as u32),
            CubeDim::new_1d(tile.units() as u32),
            gradient.into_buffer_arg(),
            x.into_buffer_arg(),
            order.positions.map(|order| order.into_buffer_arg()).into(),
            order.first_tiles.map(|first| first.into_buffer_arg()).into(),
            weights.clone().into_buffer_arg(),
            bias.clone().into_buffer_arg(),
            positions,
            inputs,
            outputs,
            copies,
            shares,
            output_tiles,
            tile,
        );
    }
    DensePrimitive {
        weights: add_up(weights, shares, Shape::from([copies, inputs, outputs])),
        bias: add_up(bias, shares, Shape::from([copies, outputs])),
    }
}

/// In which order positions are taken, [`TILE`] at a time; nothing of it where there is one bucket
/// and they are taken as they stand.
struct Order {
    tiles: usize,
    positions: Option<CubeTensor>,
    buckets: Option<CubeTensor>,
    first_tiles: Option<CubeTensor>,
}

impl Order {
    fn new(buckets: BucketsPrimitive<CubeBackend>, positions: usize) -> Self {
        match buckets {
            BucketsPrimitive::One => Self {
                tiles: positions.div_ceil(TILE),
                positions: None,
                buckets: None,
                first_tiles: None,
            },
            BucketsPrimitive::Each { .. } => {
                unreachable!("the buckets of a batch for a graphics card are sorted")
            }
            BucketsPrimitive::Sorted { order, of_tiles, first_tiles } => Self {
                tiles: of_tiles.shape().num_elements(),
                positions: Some(order),
                buckets: Some(of_tiles),
                first_tiles: Some(first_tiles),
            },
        }
    }
}
