//! Dense layers by bucket on the processor.
//!
//! A slice of positions of one bucket is cut into tiles of inputs, for which the products
//! of the [`front`](crate::front) are written. Everything of a slice stays in the cache.

use burn::backend::TensorMetadata;
use burn::backend::tensor::FloatTensor;
use pulp::Arch;
use rayon::prelude::*;

use super::{ByBucketBackend, DenseGradients, DensePrimitive};
use crate::buckets::BucketsPrimitive;
use crate::buffer::filled;
use crate::cpu::dense::{Dense, Padded, add_by_output, add_rows, by_output};
use crate::cpu::products::{Forward, GradInput, GradWeights};
use crate::cpu::slices::{Slice, Slices};
use crate::cpu::tile::with_tile;
use crate::host::HostBackend;

/// Positions in a slice.
const SLICE: usize = 256;

impl<B: HostBackend> ByBucketBackend for B {
    fn by_bucket(
        x: FloatTensor<B>,
        dense: DensePrimitive<B>,
        buckets: BucketsPrimitive<B>,
    ) -> FloatTensor<B> {
        let DensePrimitive { weights, bias } = dense;
        let [x, weights, bias] = [x, weights, bias].map(B::plain);
        let [positions, inputs] = x.shape().dims();
        let [count, outputs] = bias.shape().dims();
        let dense = Dense { weights: B::values(&weights), bias: B::values(&bias), outputs };
        let slices = buckets.slices(positions, count, SLICE);
        let output = with_tile!(inputs, |T| forward::<T>(B::values(&x), inputs, dense, &slices));
        B::tensor(output, [positions, outputs])
    }

    fn by_bucket_backward(
        gradient: FloatTensor<B>,
        x: FloatTensor<B>,
        weights: FloatTensor<B>,
        buckets: BucketsPrimitive<B>,
    ) -> DenseGradients<B> {
        let [gradient, x, weights] = [gradient, x, weights].map(B::plain);
        let [count, inputs, outputs] = weights.shape().dims();
        let [positions, _] = x.shape().dims();
        let slices = buckets.slices(positions, count, SLICE);
        let gradients = with_tile!(inputs, |T| backward::<T>(BackwardInputs {
            gradient: B::values(&gradient),
            x: B::values(&x),
            weights: B::values(&weights),
            slices: &slices,
            inputs,
            outputs,
        }));
        DenseGradients {
            x: B::tensor(gradients.x, [positions, inputs]),
            dense: DensePrimitive {
                weights: B::tensor(gradients.weights, [count, inputs, outputs]),
                bias: B::tensor(gradients.bias, [count, outputs]),
            },
        }
    }
}

/// The outputs, `[positions, outputs]`.
fn forward<const T: usize>(
    x: &[f32],
    inputs: usize,
    dense: Dense<'_>,
    slices: &Slices,
) -> Vec<f32> {
    let padded = Padded::new(dense);
    let piece = SLICE * dense.outputs;
    let output =
        filled(slices.len() * piece, piece, 0.0, slices.par_iter(), |output, slice: Slice<'_>| {
            let sums = sums::<T>(x, inputs, &padded, slice);
            let rows = output.chunks_exact_mut(dense.outputs);
            for (output, sums) in rows.zip(sums.chunks_exact(padded.outputs())) {
                output.copy_from_slice(&sums[..dense.outputs]);
            }
        });
    slices.restored(output, dense.outputs)
}

/// The padded outputs of a slice.
fn sums<const T: usize>(x: &[f32], inputs: usize, dense: &Padded, slice: Slice<'_>) -> Vec<f32> {
    let arch = Arch::new();
    let outputs = dense.outputs();
    let mut sums = dense.start(slice.bucket, slice.positions.len());
    let mut block = [[0.0; T]; SLICE];
    for first in (0..inputs).step_by(T) {
        let a = tile_of(x, inputs, first, slice.positions, &mut block);
        let weights = dense.tile::<T>(slice.bucket, first);
        arch.dispatch(Forward { output: &mut sums, a, weights, outputs });
    }
    sums
}

/// The `T` columns from `first` on of the positions of a slice, one after the other.
fn tile_of<'a, const T: usize>(
    x: &[f32],
    inputs: usize,
    first: usize,
    positions: &[u32],
    block: &'a mut [[f32; T]; SLICE],
) -> &'a [[f32; T]] {
    for (to, &position) in block.iter_mut().zip(positions) {
        to.copy_from_slice(&x[position as usize * inputs + first..][..T]);
    }
    &block[..positions.len()]
}

#[derive(Clone, Copy)]
struct BackwardInputs<'a> {
    /// `[positions, outputs]`: gradient of the output.
    gradient: &'a [f32],
    /// `[positions, inputs]`.
    x: &'a [f32],
    /// `[buckets, inputs, outputs]`.
    weights: &'a [f32],
    slices: &'a Slices,
    inputs: usize,
    outputs: usize,
}

/// Gradients, in the shapes of their tensors.
struct Gradients {
    x: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// Contribution of one slice to the gradients of its bucket's parameters.
#[derive(Clone)]
struct GradientShare<const T: usize> {
    /// Tile after tile, each `[outputs, T]`.
    weights: Vec<[f32; T]>,
    /// `[outputs]`.
    bias: Vec<f32>,
}

fn backward<const T: usize>(inputs: BackwardInputs<'_>) -> Gradients {
    let BackwardInputs { weights, slices, outputs, .. } = inputs;
    let gradient = slices.arranged(inputs.gradient, outputs);
    let rows = (0..weights.len() / outputs).step_by(T);
    let by_output: Vec<[f32; T]> =
        rows.flat_map(|first| by_output(weights, first, outputs)).collect();
    let none = GradientShare {
        weights: vec![[0.0; T]; inputs.inputs / T * outputs],
        bias: vec![0.0; outputs],
    };
    let mut shares = vec![none; slices.len()];
    let piece = SLICE * inputs.inputs;
    let beside = shares.par_iter_mut().enumerate();
    let x = filled(slices.len() * piece, piece, 0.0, beside, |x, (number, share)| {
        let gradient = slices.part(&gradient, number, outputs);
        backward_slice(inputs, slices.get(number), gradient, &by_output, x, share);
    });
    let (weights, bias) = put_together(&shares, inputs);
    Gradients { x: slices.restored(x, inputs.inputs), weights, bias }
}

/// The gradient of a slice's part of `x`, and its contribution to those of the parameters.
/// `by_output` has the weights of all buckets, tile after tile, each `[outputs, T]`.
fn backward_slice<const T: usize>(
    inputs: BackwardInputs<'_>,
    slice: Slice<'_>,
    gradient: &[f32],
    by_output: &[[f32; T]],
    x: &mut [f32],
    share: &mut GradientShare<T>,
) {
    let arch = Arch::new();
    let BackwardInputs { inputs: width, outputs, .. } = inputs;
    let own = &by_output[slice.bucket * share.weights.len()..][..share.weights.len()];
    let (mut block, mut grad_block) = ([[0.0; T]; SLICE], [[0.0; T]; SLICE]);
    let tiles = own.chunks_exact(outputs).zip(share.weights.chunks_exact_mut(outputs));
    for (tile, (own, weights)) in tiles.enumerate() {
        let a = tile_of(inputs.x, width, tile * T, slice.positions, &mut block);
        let grad_input = &mut grad_block[..a.len()];
        arch.dispatch(GradWeights { weights, gradient, a });
        arch.dispatch(GradInput { start: 0.0, grad_input, gradient, weights: own });
        for (to, from) in x.chunks_exact_mut(width).zip(grad_input) {
            to[tile * T..][..T].copy_from_slice(from);
        }
    }
    add_rows(&mut share.bias, gradient);
}

/// The gradients of weights and bias, from the slices in order.
fn put_together<const T: usize>(
    shares: &[GradientShare<T>],
    inputs: BackwardInputs<'_>,
) -> (Vec<f32>, Vec<f32>) {
    let BackwardInputs { inputs: width, outputs, .. } = inputs;
    let mut weights = vec![0.0; inputs.weights.len()];
    let mut bias = vec![0.0; inputs.weights.len() / width];
    for (number, share) in shares.iter().enumerate() {
        let bucket = inputs.slices.get(number).bucket;
        for (tile, by_output) in share.weights.chunks_exact(outputs).enumerate() {
            add_by_output(&mut weights, bucket * width + tile * T, by_output);
        }
        let bias = &mut bias[bucket * outputs..][..outputs];
        add_rows(bias, &share.bias);
    }
    (weights, bias)
}
