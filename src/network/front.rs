//! The front of the network as one custom Burn operation: the sparse feature
//! transformer, its activation, and the dense layer that reads it.
//!
//! Forward sums, for every *row* (one perspective of one position), the weight
//! rows of its active features onto the bias; in a valued set each weight row
//! is first multiplied by the feature's value. Written with stock `select` and
//! `sum`, that copies `active × L1` floats per row through memory, some 20
//! times slower; written here, the sum stays in registers.
//!
//! The rows of a batch are interleaved: row `2i` is position `i` seen by the
//! side to move, row `2i + 1` by the other side. So the activations
//! `[2 × positions, L1]`, read as `[positions, 2 × L1]`, *are* the
//! concatenation that the dense layer expects, and nothing is ever copied to
//! build it.
//!
//! The dense layer belongs to the operation because it is small and its input
//! is large: 64 MB for a batch of 16,384 with L1 = 512. A backend that
//! multiplies a piece of it as soon as it is computed, and on the way back
//! needs the gradient between the layers only a piece at a time, saves most of
//! the traffic through memory. It may exist once per bucket; a position is
//! multiplied with its own bucket's weights alone.
//!
//! A *penalty* on the activations makes the inputs of the dense layer sparse,
//! so that an engine finds more of them to be zero. It is the L1 norm's: a
//! constant that the backward pass adds to the gradient of every activation.
//! The loss that is reported does not contain it.
//!
//! The weight rows may be read in a lower precision than they are stored in ([`RowPrecision`]).
//!
//! Each backend implements `FrontBackend`: [`cpu`] for those whose tensors
//! lie in the processor's memory, `cube` (feature `wgpu`) for graphics cards.
#![cfg_attr(
    feature = "ndarray",
    expect(deprecated, reason = "the backend is, and stays on offer as long as Burn has it")
)]

mod active;
pub mod cpu;
#[cfg(feature = "wgpu")]
mod cube;
mod found;
mod indices;
mod inverse;
mod precision;

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    AutodiffBackend, Backend, Dispatch, ExtensionType, TensorMetadata, backend_extension,
};
use burn::tensor::Tensor;

use super::buckets::{BucketsPrimitive, PositionBuckets};
use super::by_bucket::{Dense, DensePrimitive};
pub use active::ActiveFeatures;
use active::ActivePrimitive;
pub use found::{POSITION_WORDS, PieceLookup, RowOrder};
pub use indices::{IndexForm, IndexRows};
pub use inverse::Inverse;
use nnue::Activation;
pub use precision::RowPrecision;

/// Ends the list of active features in a row of the index tensor.
pub const PADDING: i32 = -1;

/// Most features of a set, or of a group of it ([`RowOrder`]), for which a graphics card finds the
/// rows of each feature: its table then takes 32 MB for a batch of 16,384 positions. Larger sets
/// bring an [`Inverse`].
pub const MOST_MARKED: usize = 8_192;

/// The feature transformer and the dense layer above it.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// `[features, L1]`.
    pub weights: Tensor<2>,
    /// `[L1]`.
    pub bias: Tensor<1>,
    /// Its weights are `[buckets, 2 × activation.outputs(L1), outputs]`.
    pub dense: Dense,
    pub between: Between,
    /// Of `weights`, as they are read.
    pub precision: RowPrecision,
}

/// Activation and penalty between the feature transformer and the dense layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    /// Activation of each perspective's sums.
    pub activation: Activation,
    /// Penalty of every output of the activation in the loss, per unit.
    pub penalty: f32,
}

impl From<Activation> for Between {
    fn from(activation: Activation) -> Self {
        Self { activation, penalty: 0.0 }
    }
}

/// `output[i] = a · dense.weights[b] + dense.bias[b]` with the bucket `b` of
/// position `i` and `a = activation(bias + Σ v · weights[f])`, over the features
/// `f` of the two rows of position `i` and their values `v`, which are 1 where a
/// set has none. The gradient passes the rounding of `precision` as if it were not there.
///
/// The output is `[positions, outputs]`. There is no gradient for the values.
///
/// # Panics
/// If the shapes do not fit each other, an index is not below `features` or a
/// bucket not below their number; indices a graphics card does not look at.
/// On one, if a large set is differentiated and the active features came without
/// their inverse. On activations that belong after dense layers, and on rows of an
/// odd number of weights in half precision.
pub(crate) fn front(front: Front, active: ActiveFeatures, buckets: PositionBuckets) -> Tensor<2> {
    let Front { weights, bias, dense, between, precision } = front;
    let ([_, l1], [biases]) = (weights.dims(), bias.dims());
    assert_eq!(biases, l1, "biases of the feature transformer");
    assert_eq!(between.activation.copies(), 1, "dual outputs of the feature transformer");
    let is_whole = precision == RowPrecision::F32 || l1.is_multiple_of(2);
    assert!(is_whole, "half-precision rows are pairs of weights, not {l1}");
    let copies = dense.checked(2 * between.activation.outputs(l1));
    buckets.check(copies, active.rows() / 2);
    let parameters = FrontParameters {
        weights: weights.into_dispatch(),
        bias: bias.into_dispatch(),
        dense: dense.into_dispatch(),
    };
    let (active, buckets) = (active.into_dispatch(), buckets.into_dispatch());
    Tensor::from_dispatch(Dispatch::front(parameters, active, buckets, between, precision).output)
}

/// The trained parameters, or the gradient of each.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct FrontParameters<B: Backend> {
    /// `[features, L1]`.
    pub weights: FloatTensor<B>,
    /// `[L1]`.
    pub bias: FloatTensor<B>,
    #[extension_type]
    pub dense: DensePrimitive<B>,
}

/// Results of the forward pass.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct FrontOutputs<B: Backend> {
    /// `[positions, outputs]`.
    pub output: FloatTensor<B>,
    /// Activation of each single sum, in the layout that the backend's backward pass needs.
    pub activations: FloatTensor<B>,
}

/// Tensors kept for the backward pass.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct Saved<B: Backend> {
    pub activations: FloatTensor<B>,
    pub dense: FloatTensor<B>,
    pub features: usize,
}

/// Backends with the front of the network.
#[backend_extension(
    Autodiff,
    Flex,
    NdArray: cfg(feature = "ndarray"),
    Cube: cfg(feature = "wgpu")
)]
pub(crate) trait FrontBackend: Backend {
    /// See [`front`].
    fn front(
        #[extension_type] parameters: FrontParameters<Self>,
        #[extension_type] active: ActivePrimitive<Self>,
        #[extension_type] buckets: BucketsPrimitive<Self>,
        between: Between,
        precision: RowPrecision,
    ) -> FrontOutputs<Self>;

    /// Gradients of the parameters from the gradient of the output,
    /// `[positions, outputs]`.
    fn front_backward(
        gradient: FloatTensor<Self>,
        #[extension_type] saved: Saved<Self>,
        #[extension_type] active: ActivePrimitive<Self>,
        #[extension_type] buckets: BucketsPrimitive<Self>,
        between: Between,
    ) -> FrontParameters<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct FrontBackward;

impl<B: FrontBackend> Backward<B, 4> for FrontBackward {
    type State = (Saved<B>, ActivePrimitive<B>, BucketsPrimitive<B>, Between);

    fn backward(
        self,
        ops: Ops<Self::State, 4>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (saved, active, buckets, between) = ops.state;
        let FrontParameters { weights, bias, dense } =
            B::front_backward(gradient, saved, active, buckets, between);
        let all = [weights, bias, dense.weights, dense.bias];
        for (node, gradient) in ops.parents.into_iter().zip(all) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: FrontBackend, C: CheckpointStrategy> FrontBackend for Autodiff<B, C> {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
        precision: RowPrecision,
    ) -> FrontOutputs<Self> {
        let FrontParameters { weights, bias, dense } = parameters;
        let (active, buckets) = (active.detached(), buckets.detached());
        let features = weights.shape()[0];
        let all = [weights, bias, dense.weights, dense.bias];
        let parents = all.each_ref().map(|tensor| tensor.node());
        let [weights, bias, dense, dense_bias] = all.map(|tensor| tensor.into_primitive());
        let parameters = FrontParameters {
            weights,
            bias,
            dense: DensePrimitive { weights: dense.clone(), bias: dense_bias },
        };
        let FrontOutputs { output, activations } =
            B::front(parameters, active.clone(), buckets.clone(), between, precision);
        let output = match FrontBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let saved = Saved { activations: activations.clone(), dense, features };
                prepared.finish((saved, active, buckets, between), output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        };
        FrontOutputs { output, activations: Self::from_inner(activations) }
    }

    fn front_backward(
        _gradient: FloatTensor<Self>,
        _saved: Saved<Self>,
        _active: ActivePrimitive<Self>,
        _buckets: BucketsPrimitive<Self>,
        _between: Between,
    ) -> FrontParameters<Self> {
        unimplemented!("second derivatives of the front: no training method here takes any")
    }
}

#[cfg(test)]
mod tests;
