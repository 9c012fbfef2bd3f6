//! The first layer forward: rows of weights summed by list, and activated.
//!
//! Every row of a batch reads some thirty rows of weights, two gigabytes in a batch of 16,384 with
//! L1 = 512. For a small set a cube of units keeps some columns of all its weights in shared
//! memory and sums many rows from there. For a large one the weights come from the second-level
//! cache; so columns are taken slab by slab, since a slab of the weights fits it where all of them
//! do not, and a unit asks for four rows before it adds the first.

use burn::backend::TensorMetadata;
use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::*;

use super::small::SmallSet;
use super::{Lists, slab_of, vector_of};
use crate::cube::{empty, plain, units};
use nnue::Activation;

/// Rows that a cube sums from the weights that it keeps.
const ROWS_PER_CUBE: usize = 1024;

/// Units of a cube that keeps weights.
const UNITS: usize = 256;

/// The activated sums, `[rows, l1]`.
pub(super) fn transform(
    weights: CubeTensor,
    bias: CubeTensor,
    lists: Lists,
    activation: Activation,
) -> CubeTensor {
    let [features, l1] = weights.shape().dims();
    let out = empty(&weights, [lists.rows, l1]);
    let vector = vector_of(l1, activation);
    let (weights, bias) = (plain(weights), plain(bias));
    match SmallSet::new(&out.client, features, l1 / vector, vector) {
        Some(small) => from_shared(small, weights, bias, lists, &out, activation),
        None => streamed(weights, bias, lists, &out, activation),
    }
    out
}

fn from_shared(
    small: SmallSet,
    weights: CubeTensor,
    bias: CubeTensor,
    lists: Lists,
    out: &CubeTensor,
    activation: Activation,
) {
    let groups = lists.rows.div_ceil(ROWS_PER_CUBE) as u32;
    let count = CubeCount::Static(groups, small.tiles() as u32, 1);
    let Lists { indices, values, rows, width } = lists;
    // SAFETY: features are kept below the size of the set, rows below their number.
    unsafe {
        kernels::from_shared::launch_unchecked(
            &out.client,
            count,
            CubeDim::new_1d(UNITS as u32),
            small.vector,
            indices.into_buffer_arg(),
            values.map(|values| values.into_buffer_arg()).into(),
            weights.into_buffer_arg(),
            bias.into_buffer_arg(),
            out.clone().into_buffer_arg(),
            rows,
            width,
            small.lanes,
            small.features,
            small.tile_lanes,
            UNITS,
            ROWS_PER_CUBE,
            activation,
        );
    }
}

fn streamed(
    weights: CubeTensor,
    bias: CubeTensor,
    lists: Lists,
    out: &CubeTensor,
    activation: Activation,
) {
    let [features, l1] = weights.shape().dims();
    let vector = vector_of(l1, activation);
    let lanes = l1 / vector;
    let (count, dim) = units(out, lists.rows * lanes);
    let Lists { indices, values, rows, width } = lists;
    // SAFETY: as above.
    unsafe {
        kernels::streamed::launch_unchecked(
            &out.client,
            count,
            dim,
            vector,
            indices.into_buffer_arg(),
            values.map(|values| values.into_buffer_arg()).into(),
            weights.into_buffer_arg(),
            bias.into_buffer_arg(),
            out.clone().into_buffer_arg(),
            features,
            rows,
            width,
            lanes,
            slab_of(lanes),
            activation,
        );
    }
}

mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        missing_docs,
        reason = "what the macro makes of a kernel is as public as the kernel, and has no words"
    )]

    use super::*;
    use crate::activation::cube::kernels::of_each;

    /// Rows of weights asked for before the first is added.
    const AHEAD: usize = 4;

    /// A cube per tile of columns and group of rows.
    #[cube(launch_unchecked)]
    pub fn from_shared<N: Size>(
        indices: &[i32],
        values: ComptimeOption<&[f32]>,
        weights: &[Vector<f32, N>],
        bias: &[Vector<f32, N>],
        out: &mut [Vector<f32, N>],
        rows: usize,
        width: usize,
        lanes: usize,
        #[comptime] features: usize,
        #[comptime] tile_lanes: usize,
        #[comptime] units: usize,
        #[comptime] rows_per_cube: usize,
        #[comptime] activation: Activation,
    ) {
        let mut tile = Shared::<[Vector<f32, N>]>::new_slice(comptime!(features * tile_lanes));
        let unit = UNIT_POS as usize;
        let first_lane = CUBE_POS_Y as usize * tile_lanes;
        for place in range_stepped(unit, comptime!(features * tile_lanes), units) {
            tile[place] = weights[place / tile_lanes * lanes + first_lane + place % tile_lanes];
        }
        sync_cube();
        let lane = unit % tile_lanes;
        let first_row = CUBE_POS_X as usize * rows_per_cube + unit / tile_lanes;
        let end = min(CUBE_POS_X as usize * rows_per_cube + rows_per_cube, rows);
        let own_bias = bias[first_lane + lane];
        for row in range_stepped(first_row, end, comptime!(units / tile_lanes)) {
            let mut sum = own_bias;
            for place in row * width..row * width + width {
                let feature = indices[place];
                if feature < 0 {
                    break;
                }
                let feature = min(feature as usize, features - 1);
                let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
                sum += tile[feature * tile_lanes + lane] * Vector::new(value.unwrap_or(1.0));
            }
            out[row * lanes + first_lane + lane] = of_each::<N>(sum, activation);
        }
    }

    /// A unit per vector of `out`, slab by slab.
    #[cube(launch_unchecked)]
    pub fn streamed<N: Size>(
        indices: &[i32],
        values: ComptimeOption<&[f32]>,
        weights: &[Vector<f32, N>],
        bias: &[Vector<f32, N>],
        out: &mut [Vector<f32, N>],
        features: usize,
        rows: usize,
        width: usize,
        lanes: usize,
        #[comptime] slab: usize,
        #[comptime] activation: Activation,
    ) {
        let row = ABSOLUTE_POS / slab % rows;
        let column = ABSOLUTE_POS / slab / rows * slab + ABSOLUTE_POS % slab;
        if column >= lanes {
            terminate!();
        }
        let (start, end) = (row * width, row * width + width);
        let mut sum = bias[column];
        for first in range_stepped(start, end, AHEAD) {
            if indices[first] < 0 {
                break;
            }
            #[unroll]
            for ahead in 0..AHEAD {
                let place = min(first + ahead, end - 1);
                let feature = indices[place];
                let is_there = first + ahead < end && feature >= 0;
                let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
                let value = select(is_there, value.unwrap_or(1.0), 0.0);
                let feature = min(max(feature, 0) as usize, features - 1);
                sum += weights[feature * lanes + column] * Vector::new(value);
            }
        }
        out[row * lanes + column] = of_each::<N>(sum, activation);
    }
}
