//! The gradient of the first layer of a small set.
//!
//! A cube keeps the gradients of some columns of all weights in shared memory and goes through a
//! group of rows: a unit takes an entry of a row's list and adds the row's gradient to its
//! feature. Features of one row are distinct, and all units finish a row before any begins the
//! next; so every sum is taken in the order of the rows, and the same batch gives the same bits.
//! The groups are added up in order. Nothing of it needs to know which rows a feature is active
//! in, so such sets need no inverse.
//!
//! The gradient of the sums is that of the outputs where the activation lets it through. It is
//! computed where it is used, and never written.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::*;

use super::small::SmallSet;
use super::{Gradients, Lists};
use crate::cube::{add_up, empty};
use crate::front::Between;

/// Cubes that keep a large card busy.
const CUBES: usize = 512;

/// Rows of a group at least.
const FEWEST_ROWS: usize = 64;

/// Bytes that the sums of all groups may take.
const MOST_BYTES: usize = 64 << 20;

/// Entries of a list that are taken at once, at most.
const MOST_ENTRIES: usize = 32;

/// Gradients of weights and bias from that of the outputs.
pub(super) fn scatter(
    small: SmallSet,
    gradient: CubeTensor,
    activations: CubeTensor,
    lists: Lists,
    between: Between,
) -> Gradients {
    let SmallSet { features, vector, lanes, tile_lanes } = small;
    let l1 = lanes * vector;
    let Lists { indices, values, rows, width } = lists;
    let group = group_rows(small, rows);
    let groups = rows.div_ceil(group);
    let weights = empty(&gradient, [groups, features * l1]);
    let bias = empty(&gradient, [groups, l1]);
    let entries = width.next_power_of_two().min(MOST_ENTRIES);
    // SAFETY: features are kept below the size of the set, rows below their number.
    unsafe {
        kernels::scatter::launch_unchecked(
            &weights.client,
            CubeCount::Static(groups as u32, small.tiles() as u32, 1),
            CubeDim::new_1d((entries * tile_lanes) as u32),
            vector,
            indices.into_buffer_arg(),
            values.map(|values| values.into_buffer_arg()).into(),
            gradient.into_buffer_arg(),
            activations.into_buffer_arg(),
            weights.clone().into_buffer_arg(),
            bias.clone().into_buffer_arg(),
            between.penalty,
            rows,
            width,
            lanes,
            group.div_ceil(kernels::AHEAD),
            features,
            tile_lanes,
            entries,
            between.activation,
        );
    }
    Gradients {
        weights: add_up(weights, groups, Shape::from([features, l1])),
        bias: add_up(bias, groups, Shape::from([l1])),
    }
}

/// Rows of a group, a multiple of those that are read ahead.
fn group_rows(small: SmallSet, rows: usize) -> usize {
    let bytes = small.features * small.lanes * small.vector * size_of::<f32>();
    let groups = (CUBES / small.tiles()).min(MOST_BYTES / bytes).max(1);
    rows.div_ceil(groups).max(FEWEST_ROWS).next_multiple_of(kernels::AHEAD)
}

mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        missing_docs,
        reason = "what the macro makes of a kernel is as public as the kernel, and has no words"
    )]

    use super::*;
    use crate::activation::cube::kernels::masked_each;
    use nnue::Activation;

    /// Rows that are asked for before the first is added.
    pub(super) const AHEAD: usize = 8;

    /// A cube per group of rows and tile of columns. `weights` are `[groups, features, lanes]`,
    /// `bias` is `[groups, lanes]`.
    #[cube(launch_unchecked)]
    pub fn scatter<N: Size>(
        indices: &[i32],
        values: ComptimeOption<&[f32]>,
        gradient: &[Vector<f32, N>],
        activations: &[Vector<f32, N>],
        weights: &mut [Vector<f32, N>],
        bias: &mut [Vector<f32, N>],
        penalty: f32,
        rows: usize,
        width: usize,
        lanes: usize,
        blocks: usize,
        #[comptime] features: usize,
        #[comptime] tile_lanes: usize,
        #[comptime] entries: usize,
        #[comptime] activation: Activation,
    ) {
        let units = comptime!(entries * tile_lanes);
        let tile_size = comptime!(features * tile_lanes);
        let mut tile = Shared::<[Vector<f32, N>]>::new_slice(tile_size);
        let unit = UNIT_POS as usize;
        for place in range_stepped(unit, tile_size, units) {
            tile[place] = Vector::new(0.0);
        }
        sync_cube();
        let lane = unit % tile_lanes;
        let entry = unit / tile_lanes;
        let column = CUBE_POS_Y as usize * tile_lanes + lane;
        let first_row = CUBE_POS_X as usize * blocks * AHEAD;
        let mut of_bias = Vector::<f32, N>::new(0.0);
        let mut of_rows = Array::<Vector<f32, N>>::new(AHEAD);
        let mut first = Array::<i32>::new(AHEAD);
        for block in 0..blocks {
            #[unroll]
            for ahead in 0..AHEAD {
                let row = first_row + block * AHEAD + ahead;
                let own = min(row, rows - 1);
                let of_row = gradient_of_sums::<N>(
                    gradient, activations, penalty, own, column, lanes, activation,
                );
                let is_there = row < rows;
                of_rows[ahead] = of_row;
                first[ahead] =
                    select(is_there && entry < width, indices[own * width + min(entry, width - 1)], -1);
                of_bias += of_row * Vector::new(select(is_there, 1.0f32, 0.0f32));
            }
            #[unroll]
            for ahead in 0..AHEAD {
                let of_row = of_rows[ahead];
                let row = min(first_row + block * AHEAD + ahead, rows - 1);
                if first[ahead] >= 0 {
                    let value: ComptimeOption<f32> =
                        values.as_ref().map(|values| values[row * width + entry]);
                    let feature = min(first[ahead] as usize, features - 1);
                    tile[feature * tile_lanes + lane] +=
                        of_row * Vector::new(value.unwrap_or(1.0));
                    // Lists longer than the units beside each other.
                    for more in range_stepped(entry + entries, width, entries) {
                        let feature = indices[row * width + more];
                        if feature >= 0 {
                            let value: ComptimeOption<f32> =
                                values.as_ref().map(|values| values[row * width + more]);
                            let feature = min(feature as usize, features - 1);
                            tile[feature * tile_lanes + lane] +=
                                of_row * Vector::new(value.unwrap_or(1.0));
                        }
                    }
                }
                sync_cube();
            }
        }
        let group = CUBE_POS_X as usize;
        for place in range_stepped(unit, tile_size, units) {
            let row = group * features + place / tile_lanes;
            weights[row * lanes + CUBE_POS_Y as usize * tile_lanes + place % tile_lanes] = tile[place];
        }
        if entry == 0 {
            bias[group * lanes + column] = of_bias;
        }
    }

    /// What the activation lets through of the gradient of a row's outputs.
    #[cube]
    pub fn gradient_of_sums<N: Size>(
        gradient: &[Vector<f32, N>],
        activations: &[Vector<f32, N>],
        penalty: f32,
        row: usize,
        column: usize,
        lanes: usize,
        #[comptime] activation: Activation,
    ) -> Vector<f32, N> {
        let own = activations[row * lanes + column];
        let of_output = match activation {
            Activation::Pairwise => {
                let half = lanes / 2;
                let other = activations[row * lanes + (column + half) % lanes];
                (gradient[row * half + column % half] + Vector::new(penalty)) * other
            }
            _ => gradient[row * lanes + column] + Vector::new(penalty),
        };
        masked_each::<N>(of_output, own, activation)
    }
}

pub(super) use kernels::gradient_of_sums;
