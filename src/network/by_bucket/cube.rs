//! Dense layers by bucket on a graphics card.
//!
//! The backend's own product computes all buckets, side by side in one matrix, and a
//! kernel picks each position's own; on the way back another spreads the gradient, with
//! zeros for the other buckets. That is arithmetic that a card has to spare, and no kernel
//! adds into memory that another unit adds into.

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::Shape;
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;

use super::{ByBucketBackend, DenseGradients, DensePrimitive};
use crate::buckets::BucketsPrimitive;
use crate::cube::{empty, plain, unit_per_value};

impl ByBucketBackend for CubeBackend {
    fn by_bucket(
        x: CubeTensor,
        dense: DensePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
    ) -> CubeTensor {
        let DensePrimitive { weights, bias } = dense;
        let [_, outputs] = bias.shape().dims();
        let of_all = Self::float_matmul(x, side_by_side(weights));
        pick(of_all, bias, buckets, outputs)
    }

    fn by_bucket_backward(
        gradient: CubeTensor,
        x: CubeTensor,
        weights: CubeTensor,
        buckets: BucketsPrimitive<Self>,
    ) -> DenseGradients<Self> {
        let [count, inputs, outputs] = weights.shape().dims();
        let transposed = |matrix| Self::float_swap_dims(matrix, 0, 1);
        let spread = spread(gradient, buckets, count);
        let of_x = Self::float_matmul(spread.clone(), transposed(side_by_side(weights)));
        let of_weights = Self::float_matmul(transposed(x), spread.clone());
        let of_weights = Self::float_reshape(of_weights, Shape::from([inputs, count, outputs]));
        let bias = Self::float_reshape(Self::float_sum_dim(spread, 0), [count, outputs].into());
        let weights = Self::float_swap_dims(of_weights, 0, 1);
        DenseGradients { x: of_x, dense: DensePrimitive { weights: plain(weights), bias } }
    }
}

/// `[buckets, inputs, outputs]` as `[inputs, buckets × outputs]`.
fn side_by_side(weights: CubeTensor) -> CubeTensor {
    let [count, inputs, outputs] = weights.shape().dims();
    let by_input = CubeBackend::float_swap_dims(weights, 0, 1);
    CubeBackend::float_reshape(by_input, Shape::from([inputs, count * outputs]))
}

/// Each position's own outputs, on its bucket's bias.
fn pick(
    of_all: CubeTensor,
    bias: CubeTensor,
    buckets: BucketsPrimitive<CubeBackend>,
    outputs: usize,
) -> CubeTensor {
    let [positions, all] = of_all.shape().dims();
    let out = empty(&of_all, [positions, outputs]);
    let (count, dim) = unit_per_value(&out);
    kernels::pick::launch(
        &out.client,
        count,
        dim,
        plain(of_all).into_buffer_arg(),
        plain(bias).into_buffer_arg(),
        of_each(buckets).map(|of_each| of_each.into_buffer_arg()).into(),
        out.clone().into_buffer_arg(),
        all,
        outputs,
    );
    out
}

/// The gradient of the outputs of all buckets, `[positions, buckets × outputs]`.
fn spread(
    gradient: CubeTensor,
    buckets: BucketsPrimitive<CubeBackend>,
    count: usize,
) -> CubeTensor {
    let Some(of_each) = of_each(buckets) else { return plain(gradient) };
    let [positions, outputs] = gradient.shape().dims();
    let all = count * outputs;
    let out = empty(&gradient, [positions, all]);
    let (cubes, dim) = unit_per_value(&out);
    kernels::spread::launch(
        &out.client,
        cubes,
        dim,
        plain(gradient).into_buffer_arg(),
        of_each.into_buffer_arg(),
        out.clone().into_buffer_arg(),
        all,
        outputs,
    );
    out
}

fn of_each(buckets: BucketsPrimitive<CubeBackend>) -> Option<CubeTensor> {
    match buckets {
        BucketsPrimitive::One => None,
        BucketsPrimitive::Each { of_each } => Some(plain(of_each)),
    }
}

mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        missing_docs,
        reason = "what the macro makes of a kernel is as public as the kernel, and has no words"
    )]

    use cubecl::prelude::*;

    /// A unit per value of `out`, `[positions, outputs]`; `of_all` has `all` columns.
    #[cube(launch)]
    pub fn pick(
        of_all: &[f32],
        bias: &[f32],
        of_each: ComptimeOption<&[i32]>,
        out: &mut [f32],
        all: usize,
        outputs: usize,
    ) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        let position = ABSOLUTE_POS / outputs;
        let bucket: ComptimeOption<i32> = of_each.as_ref().map(|of_each| of_each[position]);
        let column = bucket.unwrap_or(0) as usize * outputs + ABSOLUTE_POS % outputs;
        out[ABSOLUTE_POS] = of_all[position * all + column] + bias[column];
    }

    /// A unit per value of `out`, `[positions, all]`.
    #[cube(launch)]
    pub fn spread(gradient: &[f32], of_each: &[i32], out: &mut [f32], all: usize, outputs: usize) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        let position = ABSOLUTE_POS / all;
        let own = of_each[position] as usize == ABSOLUTE_POS % all / outputs;
        let value = gradient[position * outputs + ABSOLUTE_POS % outputs];
        out[ABSOLUTE_POS] = select(own, value, 0.0);
    }
}
