//! A dense layer that exists once per bucket, as one operation: every position is
//! multiplied with the weights of its own bucket and no others.
//!
//! Stock Burn would compute the outputs of all buckets and pick, with eight buckets eight
//! times the arithmetic, or copy every position's matrix. The layer right above the
//! feature transformer is part of [`front`](super::front); this operation is for those
//! further up, and on a graphics card for that one as well.
#![cfg_attr(
    feature = "ndarray",
    expect(deprecated, reason = "the backend is, and stays on offer as long as Burn has it")
)]

mod cpu;
#[cfg(feature = "wgpu")]
mod cube;

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, ExtensionType, backend_extension};
use burn::tensor::Tensor;

use super::buckets::{BucketsPrimitive, PositionBuckets};

/// The weights of a dense layer, once per bucket.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    /// `[buckets, inputs, outputs]`.
    pub weights: Tensor<3>,
    /// `[buckets, outputs]`.
    pub bias: Tensor<2>,
}

impl Dense {
    /// Number of copies, one per bucket.
    ///
    /// # Panics
    /// If the shapes do not fit each other and the number of inputs.
    pub(crate) fn checked(&self, inputs: usize) -> usize {
        let [copies, own_inputs, outputs] = self.weights.dims();
        assert_eq!(own_inputs, inputs, "inputs of the dense layer");
        assert_eq!(self.bias.dims(), [copies, outputs], "biases of the dense layer");
        copies
    }

    pub(crate) fn into_dispatch(self) -> DensePrimitive<Dispatch> {
        DensePrimitive { weights: self.weights.into_dispatch(), bias: self.bias.into_dispatch() }
    }
}

/// `output[i] = x[i] · weights[b] + bias[b]` with the bucket `b` of position `i`: of
/// `x [positions, inputs]` the outputs `[positions, outputs]`.
///
/// # Panics
/// If the shapes do not fit each other, or a bucket is not below their number.
pub(crate) fn by_bucket(x: Tensor<2>, dense: Dense, buckets: PositionBuckets) -> Tensor<2> {
    let [positions, inputs] = x.dims();
    buckets.check(dense.checked(inputs), positions);
    let (x, dense, buckets) = (x.into_dispatch(), dense.into_dispatch(), buckets.into_dispatch());
    Tensor::from_dispatch(Dispatch::by_bucket(x, dense, buckets))
}

/// [`Dense`] as a backend sees it, or the gradient of both.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct DensePrimitive<B: Backend> {
    /// `[buckets, inputs, outputs]`.
    pub weights: FloatTensor<B>,
    /// `[buckets, outputs]`.
    pub bias: FloatTensor<B>,
}

/// Gradients, in the shapes of their tensors.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct DenseGradients<B: Backend> {
    /// `[positions, inputs]`.
    pub x: FloatTensor<B>,
    #[extension_type]
    pub dense: DensePrimitive<B>,
}

/// Backends with dense layers by bucket.
#[backend_extension(
    Autodiff,
    Flex,
    NdArray: cfg(feature = "ndarray"),
    Cube: cfg(feature = "wgpu")
)]
pub(crate) trait ByBucketBackend: Backend {
    /// See [`by_bucket`].
    fn by_bucket(
        x: FloatTensor<Self>,
        #[extension_type] dense: DensePrimitive<Self>,
        #[extension_type] buckets: BucketsPrimitive<Self>,
    ) -> FloatTensor<Self>;

    /// The gradients from that of the output, `[positions, outputs]`. `weights` are those
    /// of the layer.
    fn by_bucket_backward(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        #[extension_type] buckets: BucketsPrimitive<Self>,
    ) -> DenseGradients<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct ByBucketBackward;

impl<B: ByBucketBackend> Backward<B, 3> for ByBucketBackward {
    /// `x` and the weights.
    type State = (FloatTensor<B>, FloatTensor<B>, BucketsPrimitive<B>);

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, weights, buckets) = ops.state;
        let DenseGradients { x, dense } = B::by_bucket_backward(gradient, x, weights, buckets);
        for (node, gradient) in ops.parents.into_iter().zip([x, dense.weights, dense.bias]) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: ByBucketBackend, C: CheckpointStrategy> ByBucketBackend for Autodiff<B, C> {
    fn by_bucket(
        x: FloatTensor<Self>,
        dense: DensePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
    ) -> FloatTensor<Self> {
        let DensePrimitive { weights, bias } = dense;
        let buckets = buckets.detached();
        let parents = [x.node(), weights.node(), bias.node()];
        let [x, weights, bias] = [x, weights, bias].map(|tensor| tensor.into_primitive());
        let dense = DensePrimitive { weights: weights.clone(), bias };
        let output = B::by_bucket(x.clone(), dense, buckets.clone());
        match ByBucketBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((x, weights, buckets), output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }

    fn by_bucket_backward(
        _gradient: FloatTensor<Self>,
        _x: FloatTensor<Self>,
        _weights: FloatTensor<Self>,
        _buckets: BucketsPrimitive<Self>,
    ) -> DenseGradients<Self> {
        unimplemented!("second derivatives of a dense layer: no training method here takes any")
    }
}

#[cfg(test)]
pub(crate) mod stock;
#[cfg(test)]
mod tests;
