//! The first layer forward: rows of weights summed by list, and activated.
//!
//! Every row of a batch reads some thirty rows of weights, two gigabytes in a batch of 16,384 with
//! L1 = 512, from the caches of the card. So columns are taken slab by slab, since a slab of the
//! weights fits the second-level cache where all of them do not, and a unit loads four rows
//! before it adds the first. (Columns of all weights of a small set in shared memory were tried:
//! four times slower.)

use burn::backend::TensorMetadata;
use burn_wgpu::CubeTensor;
use cubecl::prelude::*;

use super::{Lists, slab_of, vector_of};
use crate::cube::{empty, plain, units};
use nnue::Activation;

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
    let lanes = l1 / vector;
    let (count, dim) = units(&out, lists.rows * lanes);
    let Lists { indices, values, rows, width } = lists;
    // SAFETY: features are held below the size of the set, rows below their number.
    unsafe {
        kernels::transform::launch_unchecked(
            &out.client,
            count,
            dim,
            vector,
            indices.into_buffer_arg(),
            values.map(|values| values.into_buffer_arg()).into(),
            plain(weights).into_buffer_arg(),
            plain(bias).into_buffer_arg(),
            out.clone().into_buffer_arg(),
            features,
            rows,
            width,
            lanes,
            slab_of(lanes),
            activation,
        );
    }
    out
}

mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        reason = "what the macro makes of a kernel is as public as the kernel"
    )]

    use super::*;
    use crate::activation::cube::kernels::of_each;

    /// Rows of weights that are loaded before the first is added.
    const AHEAD: usize = 4;

    /// A unit per vector of `out`, slab by slab.
    #[cube(launch_unchecked)]
    pub fn transform<N: Size>(
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
