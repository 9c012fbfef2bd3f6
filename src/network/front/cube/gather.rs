//! The gradient of the first layer.
//!
//! One kernel takes the gradient through the activation. Of a large set two sum it by feature, along
//! the lists that came with the batch ([`Inverse`](crate::front::Inverse)); of a small one, or one in
//! groups, the rows are found on the card ([`marks`], [`grouped`]). No kernel adds into memory that another unit adds into, so no
//! atomic additions are needed and the sums have a fixed order: the same batch gives the same
//! gradient to the bit. Rows of the gradient are read as often as they have features, so columns are
//! taken slab by slab: a slab of the gradient fits the second-level cache.

use burn::backend::TensorMetadata;
use burn::tensor::Shape;
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::prelude::*;

use super::grouped::{self, Groups};
use super::{Gradients, Lists, marks, slab_of, vector_of};
use crate::cube::{add_up, empty, units};
use crate::front::active::InversePrimitive;
use crate::front::{Between, MOST_MARKED};

/// Rows that one unit takes through the activation.
const BLOCK_ROWS: usize = 32;

/// Gradients of weights and bias from that of the outputs.
///
/// # Panics
/// If the rows of the features did not come with the batch.
pub(super) fn gather(
    features: usize,
    gradient: CubeTensor,
    activations: CubeTensor,
    lists: Lists,
    inverse: InversePrimitive<CubeBackend>,
    between: Between,
) -> Gradients {
    let (of_sums, bias) = through_activation(gradient, activations, between);
    let is_marked = lists.values.is_none() && features <= MOST_MARKED;
    let weights = match inverse {
        InversePrimitive::Absent if is_marked => marks::by_feature(of_sums, lists, features),
        InversePrimitive::Grouped { slots, order, layout } => {
            grouped::by_feature(of_sums, lists, features, Groups { slots, order, layout })
        }
        inverse => by_feature(of_sums, inverse, features),
    };
    Gradients { weights, bias }
}

/// The gradient of the sums, `[rows, l1]`, from that of the dense layer's inputs, and the gradient
/// of the bias.
fn through_activation(
    gradient: CubeTensor,
    activations: CubeTensor,
    between: Between,
) -> (CubeTensor, CubeTensor) {
    let [rows, l1] = activations.shape().dims();
    let vector = vector_of(l1, between.activation);
    let lanes = l1 / vector;
    let of_sums = empty(&gradient, [rows, l1]);
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let bias = empty(&gradient, [blocks, l1]);
    let (count, dim) = units(&bias, blocks * lanes);
    // SAFETY: a unit stays within its rows and lane.
    unsafe {
        kernels::through_activation::launch_unchecked(
            &bias.client,
            count,
            dim,
            vector,
            activations.into_buffer_arg(),
            gradient.into_buffer_arg(),
            of_sums.clone().into_buffer_arg(),
            bias.clone().into_buffer_arg(),
            between.penalty,
            rows,
            lanes,
            BLOCK_ROWS,
            between.activation,
        );
    }
    (of_sums, add_up(bias, blocks, Shape::from([l1])))
}

/// The gradient of the weights, `[features, l1]`, from that of the sums.
fn by_feature(
    gradient: CubeTensor,
    inverse: InversePrimitive<CubeBackend>,
    features: usize,
) -> CubeTensor {
    let (rows, values, part_starts, first_parts) = match inverse {
        InversePrimitive::Absent | InversePrimitive::Grouped { .. } => {
            panic!("a graphics card differentiates a set of {features} features by its inverse")
        }
        InversePrimitive::Binary { rows, part_starts, first_parts } => {
            (rows, None, part_starts, first_parts)
        }
        InversePrimitive::Valued { rows, values, part_starts, first_parts } => {
            (rows, Some(values), part_starts, first_parts)
        }
    };
    let [most_rows, l1] = gradient.shape().dims();
    let vector = crate::cube::vector_size(l1);
    let lanes = l1 / vector;
    let parts = part_starts.shape().num_elements() - 1;
    // A buffer is never empty.
    let sums = empty(&gradient, [parts.max(1), l1]);
    let (count, dim) = units(&sums, parts * lanes);
    // SAFETY: rows are kept below their number; the lists of parts were made by `Inverse`.
    unsafe {
        kernels::sum_parts::launch_unchecked(
            &sums.client,
            count,
            dim,
            vector,
            gradient.into_buffer_arg(),
            rows.into_buffer_arg(),
            values.map(|values| values.into_buffer_arg()).into(),
            part_starts.into_buffer_arg(),
            sums.clone().into_buffer_arg(),
            parts,
            most_rows,
            lanes,
            slab_of(lanes),
        );
    }
    let out = empty(&sums, [features, l1]);
    let (count, dim) = units(&out, features * lanes);
    // SAFETY: as above.
    unsafe {
        kernels::add_parts::launch_unchecked(
            &out.client,
            count,
            dim,
            vector,
            sums.into_buffer_arg(),
            first_parts.into_buffer_arg(),
            out.clone().into_buffer_arg(),
            features,
            lanes,
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
    use crate::activation::cube::kernels::{masked_each, of_factor};
    use nnue::Activation;

    /// Rows of the gradient that are loaded before the first is added.
    const AHEAD: usize = 4;

    /// Takes the gradient through the activation and adds it up over a block of rows. A unit per
    /// vector of `blocks`, `[blocks, lanes]`.
    #[cube(launch_unchecked)]
    pub fn through_activation<N: Size>(
        activations: &[Vector<f32, N>],
        gradient: &[Vector<f32, N>],
        of_sums: &mut [Vector<f32, N>],
        blocks: &mut [Vector<f32, N>],
        penalty: f32,
        rows: usize,
        lanes: usize,
        #[comptime] block_rows: usize,
        #[comptime] activation: Activation,
    ) {
        let start = ABSOLUTE_POS / lanes * block_rows;
        let column = ABSOLUTE_POS % lanes;
        if start >= rows {
            terminate!();
        }
        let mut sum = Vector::<f32, N>::new(0.0);
        for row in start..min(start + block_rows, rows) {
            let passed = gradient_of_sums::<N>(
                gradient,
                activations,
                penalty,
                row,
                column,
                lanes,
                activation,
            );
            of_sums[row * lanes + column] = passed;
            sum += passed;
        }
        blocks[ABSOLUTE_POS] = sum;
    }

    /// Gradient of a row's sums from that of its outputs.
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
        let of_output = if comptime!(activation.factors() == 2) {
            let half = lanes / 2;
            let other = activations[row * lanes + (column + half) % lanes];
            let of_output = gradient[row * half + column % half] + Vector::new(penalty);
            of_factor::<N>(of_output, own, other, activation)
        } else {
            gradient[row * lanes + column] + Vector::new(penalty)
        };
        masked_each::<N>(of_output, own, activation)
    }

    /// Sums the gradient over the rows of a part. A unit per vector of `sums`, `[parts, lanes]`,
    /// slab by slab.
    #[cube(launch_unchecked)]
    pub fn sum_parts<N: Size>(
        gradient: &[Vector<f32, N>],
        rows: &[i32],
        values: ComptimeOption<&[f32]>,
        part_starts: &[i32],
        sums: &mut [Vector<f32, N>],
        parts: usize,
        most_rows: usize,
        lanes: usize,
        #[comptime] slab: usize,
    ) {
        let part = ABSOLUTE_POS / slab % parts;
        let column = ABSOLUTE_POS / slab / parts * slab + ABSOLUTE_POS % slab;
        if column >= lanes {
            terminate!();
        }
        let (start, end) = (part_starts[part] as usize, part_starts[part + 1] as usize);
        let mut sum = Vector::<f32, N>::new(0.0);
        for first in range_stepped(start, end, AHEAD) {
            #[unroll]
            for ahead in 0..AHEAD {
                let place = min(first + ahead, end - 1);
                let value: ComptimeOption<f32> = values.as_ref().map(|values| values[place]);
                let value = select(first + ahead < end, value.unwrap_or(1.0), 0.0);
                let row = min(rows[place] as usize, most_rows - 1);
                sum += gradient[row * lanes + column] * Vector::new(value);
            }
        }
        sums[part * lanes + column] = sum;
    }

    /// Adds up the parts of a feature, in order. A unit per vector of `out`, `[features, lanes]`.
    #[cube(launch_unchecked)]
    pub fn add_parts<N: Size>(
        sums: &[Vector<f32, N>],
        first_parts: &[i32],
        out: &mut [Vector<f32, N>],
        features: usize,
        lanes: usize,
    ) {
        let feature = ABSOLUTE_POS / lanes;
        let column = ABSOLUTE_POS % lanes;
        if feature >= features {
            terminate!();
        }
        let mut sum = Vector::<f32, N>::new(0.0);
        for part in first_parts[feature] as usize..first_parts[feature + 1] as usize {
            sum += sums[part * lanes + column];
        }
        out[ABSOLUTE_POS] = sum;
    }
}
