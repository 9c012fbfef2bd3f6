//! Dense layers by bucket on a graphics card.
//!
//! Products of matrices as a card has them ready are made for large matrices; here one side is
//! thousands of positions long and the other a few outputs wide, and with Burn's autotuning off
//! they took 0.8 of a training step. So these are our own: every unit computes one value from
//! what its position's bucket has, and where a value is the sum over all positions, chunks of
//! them are summed side by side and then added up in order. No kernel adds into memory that
//! another unit adds into.

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::Shape;
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;

use super::{ByBucketBackend, DenseGradients, DensePrimitive};
use crate::buckets::BucketsPrimitive;
use crate::cube::{empty, plain, unit_per_value};

/// Positions that one unit sums over, or more where their sums would take too much memory.
const CHUNK: usize = 128;

/// What the sums of all chunks may take: cards differ in how large a buffer may be.
const MOST_BYTES: usize = 64 << 20;

impl ByBucketBackend for CubeBackend {
    fn by_bucket(
        x: CubeTensor,
        dense: DensePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
    ) -> CubeTensor {
        let DensePrimitive { weights, bias } = dense;
        let ([positions, inputs], [_, outputs]) = (x.shape().dims(), bias.shape().dims());
        let out = empty(&x, [positions, outputs]);
        let (count, dim) = unit_per_value(&out);
        kernels::forward::launch(
            &out.client,
            count,
            dim,
            plain(x).into_buffer_arg(),
            plain(weights).into_buffer_arg(),
            plain(bias).into_buffer_arg(),
            of_each(buckets).map(|of_each| of_each.into_buffer_arg()).into(),
            out.clone().into_buffer_arg(),
            inputs,
            outputs,
        );
        out
    }

    fn by_bucket_backward(
        gradient: CubeTensor,
        x: CubeTensor,
        weights: CubeTensor,
        buckets: BucketsPrimitive<Self>,
    ) -> DenseGradients<Self> {
        let (gradient, x, of_each) = (plain(gradient), plain(x), of_each(buckets));
        let [count, _, _] = weights.shape().dims();
        let dense = of_parameters(gradient.clone(), x, of_each.clone(), count);
        DenseGradients { x: of_x(gradient, weights, of_each), dense }
    }
}

/// The gradient of what the layer reads, `[positions, inputs]`.
fn of_x(gradient: CubeTensor, weights: CubeTensor, of_each: Option<CubeTensor>) -> CubeTensor {
    let ([positions, outputs], [_, inputs, _]) = (gradient.shape().dims(), weights.shape().dims());
    // Units side by side compute inputs side by side, so that is how they read the weights.
    let by_output = plain(CubeBackend::float_swap_dims(weights, 1, 2));
    let out = empty(&gradient, [positions, inputs]);
    let (count, dim) = unit_per_value(&out);
    kernels::of_x::launch(
        &out.client,
        count,
        dim,
        gradient.into_buffer_arg(),
        by_output.into_buffer_arg(),
        of_each.map(|of_each| of_each.into_buffer_arg()).into(),
        out.clone().into_buffer_arg(),
        inputs,
        outputs,
    );
    out
}

/// The gradients of weights and bias.
fn of_parameters(
    gradient: CubeTensor,
    x: CubeTensor,
    of_each: Option<CubeTensor>,
    buckets: usize,
) -> DensePrimitive<CubeBackend> {
    let ([positions, outputs], [_, inputs]) = (gradient.shape().dims(), x.shape().dims());
    let bytes = positions * buckets * inputs * outputs * size_of::<f32>();
    let chunk = CHUNK.max(bytes.div_ceil(MOST_BYTES));
    let chunks = positions.div_ceil(chunk);
    let weights = empty(&gradient, [chunks, buckets * inputs * outputs]);
    let (count, dim) = unit_per_value(&weights);
    kernels::of_weights::launch(
        &weights.client,
        count,
        dim,
        gradient.clone().into_buffer_arg(),
        x.into_buffer_arg(),
        of_each.clone().map(|of_each| of_each.into_buffer_arg()).into(),
        weights.clone().into_buffer_arg(),
        positions,
        inputs,
        outputs,
        buckets * inputs * outputs,
        chunk,
    );
    let bias = empty(&gradient, [chunks, buckets * outputs]);
    let (count, dim) = unit_per_value(&bias);
    kernels::of_bias::launch(
        &bias.client,
        count,
        dim,
        gradient.into_buffer_arg(),
        of_each.map(|of_each| of_each.into_buffer_arg()).into(),
        bias.clone().into_buffer_arg(),
        positions,
        outputs,
        buckets * outputs,
        chunk,
    );
    let weights = add_up(weights, Shape::from([buckets, inputs, outputs]));
    DensePrimitive { weights, bias: add_up(bias, Shape::from([buckets, outputs])) }
}

/// The sums of chunks, in order.
fn add_up(sums: CubeTensor, shape: Shape) -> CubeTensor {
    let [chunks, _] = sums.shape().dims();
    let out = empty(&sums, shape);
    let (count, dim) = unit_per_value(&out);
    let (from, to) = (sums.into_buffer_arg(), out.clone().into_buffer_arg());
    kernels::add_up::launch(&out.client, count, dim, from, to, chunks);
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

    /// A unit per value of `out`, `[positions, outputs]`.
    #[cube(launch)]
    pub fn forward(
        x: &[f32],
        weights: &[f32],
        bias: &[f32],
        of_each: ComptimeOption<&[i32]>,
        out: &mut [f32],
        inputs: usize,
        outputs: usize,
    ) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        let position = ABSOLUTE_POS / outputs;
        let output = ABSOLUTE_POS % outputs;
        let bucket: ComptimeOption<i32> = of_each.as_ref().map(|of_each| of_each[position]);
        let bucket = bucket.unwrap_or(0) as usize;
        let mut sum = bias[bucket * outputs + output];
        let (own, matrix) = (position * inputs, bucket * inputs * outputs + output);
        for input in 0..inputs {
            sum += x[own + input] * weights[matrix + input * outputs];
        }
        out[ABSOLUTE_POS] = sum;
    }

    /// A unit per value of `out`, `[positions, inputs]`; `weights` are `[buckets, outputs,
    /// inputs]`.
    #[cube(launch)]
    pub fn of_x(
        gradient: &[f32],
        weights: &[f32],
        of_each: ComptimeOption<&[i32]>,
        out: &mut [f32],
        inputs: usize,
        outputs: usize,
    ) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        let position = ABSOLUTE_POS / inputs;
        let input = ABSOLUTE_POS % inputs;
        let bucket: ComptimeOption<i32> = of_each.as_ref().map(|of_each| of_each[position]);
        let matrix = bucket.unwrap_or(0) as usize * inputs * outputs + input;
        let mut sum = 0.0f32;
        for output in 0..outputs {
            sum += gradient[position * outputs + output] * weights[matrix + output * inputs];
        }
        out[ABSOLUTE_POS] = sum;
    }

    /// A unit per value of `sums`, `[chunks, buckets × inputs × outputs]`.
    #[cube(launch)]
    pub fn of_weights(
        gradient: &[f32],
        x: &[f32],
        of_each: ComptimeOption<&[i32]>,
        sums: &mut [f32],
        positions: usize,
        inputs: usize,
        outputs: usize,
        weights: usize,
        #[comptime] chunk: usize,
    ) {
        if ABSOLUTE_POS >= sums.len() {
            terminate!();
        }
        let start = ABSOLUTE_POS / weights * chunk;
        let weight = ABSOLUTE_POS % weights;
        let output = weight % outputs;
        let input = weight / outputs % inputs;
        let own = (weight / (outputs * inputs)) as i32;
        let mut sum = 0.0f32;
        for position in start..min(start + chunk, positions) {
            let bucket: ComptimeOption<i32> = of_each.as_ref().map(|of_each| of_each[position]);
            if bucket.unwrap_or(0) == own {
                sum += gradient[position * outputs + output] * x[position * inputs + input];
            }
        }
        sums[ABSOLUTE_POS] = sum;
    }

    /// A unit per value of `sums`, `[chunks, buckets × outputs]`.
    #[cube(launch)]
    pub fn of_bias(
        gradient: &[f32],
        of_each: ComptimeOption<&[i32]>,
        sums: &mut [f32],
        positions: usize,
        outputs: usize,
        biases: usize,
        #[comptime] chunk: usize,
    ) {
        if ABSOLUTE_POS >= sums.len() {
            terminate!();
        }
        let start = ABSOLUTE_POS / biases * chunk;
        let output = ABSOLUTE_POS % biases % outputs;
        let own = (ABSOLUTE_POS % biases / outputs) as i32;
        let mut sum = 0.0f32;
        for position in start..min(start + chunk, positions) {
            let bucket: ComptimeOption<i32> = of_each.as_ref().map(|of_each| of_each[position]);
            if bucket.unwrap_or(0) == own {
                sum += gradient[position * outputs + output];
            }
        }
        sums[ABSOLUTE_POS] = sum;
    }

    /// A unit per value of `out`; `sums` has `chunks` of them.
    #[cube(launch)]
    pub fn add_up(sums: &[f32], out: &mut [f32], chunks: usize) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        let mut sum = 0.0f32;
        for chunk in 0..chunks {
            sum += sums[chunk * out.len() + ABSOLUTE_POS];
        }
        out[ABSOLUTE_POS] = sum;
    }
}
