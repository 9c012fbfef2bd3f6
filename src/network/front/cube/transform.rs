//! The first layer forward: rows of weights summed by list, and activated.
//!
//! Every row of a batch reads some thirty rows of weights, two gigabytes in a batch of 16,384 with
//! L1 = 512, from the caches of the card. So columns are taken slab by slab, since a slab of the
//! weights fits the second-level cache where all of them do not, and a unit loads four rows
//! before it adds the first. (Columns of all weights of a small set in shared memory were tried:
//! four times slower.)

use burn_wgpu::CubeTensor;
use cubecl::prelude::*;

use super::rows::{WeightRows, weights_of_word};
use super::{Lists, slab_of};
use crate::cube::{empty, launch, plain, units, vector_size};
use crate::front::{IndexForm, RowPrecision};
use nnue::Activation;

/// The activated sums, `[rows, l1]`.
pub(super) fn transform(
    weights: WeightRows,
    bias: CubeTensor,
    lists: Lists,
    activation: Activation,
) -> CubeTensor {
    let vector = vector_size(weights.width());
    let lanes = weights.width() / vector;
    let WeightRows { words, precision, features, l1 } = weights;
    let out = empty(&words, [lists.rows, l1]);
    let Lists { indices, form, values, rows, width } = lists;
    // SAFETY: features are held below the size of the set, rows below their number.
    unsafe {
        launch!(kernels::transform[out, units(&out, rows * lanes)]
            vector, indices.into_buffer_arg(), values.map(CubeTensor::into_buffer_arg).into(),
            words.into_buffer_arg(), plain(bias).into_buffer_arg(), out.clone().into_buffer_arg(),
            features, rows, width, lanes, slab_of(lanes), form, precision, activation
        );
    }
    out
}

mod kernels {
    use super::*;
    use crate::activation::cube::kernels::of_each;
    use crate::front::cube::kernels::feature_at;
    use crate::front::cube::rows::kernels::{lower, upper};

    /// Rows of weights that are loaded before the first is added.
    const AHEAD: usize = 4;

    /// A unit per vector of words of a row of weights, slab by slab; in half precision it sums the
    /// columns half a row further too.
    #[cube(launch_unchecked)]
    pub fn transform<N: Size>(
        indices: &[i32],
        values: ComptimeOption<&[f32]>,
        weights: &[Vector<u32, N>],
        bias: &[Vector<f32, N>],
        out: &mut [Vector<f32, N>],
        features: usize,
        rows: usize,
        width: usize,
        lanes: usize,
        #[comptime] slab: usize,
        #[comptime] form: IndexForm,
        #[comptime] precision: RowPrecision,
        #[comptime] activation: Activation,
    ) {
        let row = ABSOLUTE_POS / slab % rows;
        let column = ABSOLUTE_POS / slab / rows * slab + ABSOLUTE_POS % slab;
        if column >= lanes {
            terminate!();
        }
        let (start, end) = (row * width, row * width + width);
        let is_packed = comptime!(precision == RowPrecision::Bf16);
        let mut sum = bias[column];
        let mut further = Vector::<f32, N>::new(0.0);
        if comptime!(is_packed) {
            further = bias[column + lanes];
        }
        for first in range_stepped(start, end, AHEAD) {
            if feature_at(indices, first, form) < 0 {
                break;
            }
            #[unroll]
            for ahead in 0..AHEAD {
                let place = min(first + ahead, end - 1);
                let feature = feature_at(indices, place, form);
                let is_there = first + ahead < end && feature >= 0;
                let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
                let value = select(is_there, value.unwrap_or(1.0), 0.0);
                let feature = min(max(feature, 0) as usize, features - 1);
                let words = weights[feature * lanes + column];
                sum += lower::<N>(words, precision) * Vector::new(value);
                if comptime!(is_packed) {
                    further += upper::<N>(words) * Vector::new(value);
                }
            }
        }
        let start = row * lanes * comptime!(weights_of_word(precision));
        out[start + column] = of_each::<N>(sum, activation);
        if comptime!(is_packed) {
            out[start + lanes + column] = of_each::<N>(further, activation);
        }
    }
}
