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
//! The dense layer belongs to the operation because it is small and what it
//! reads is large: 64 MB for a batch of 16,384 with L1 = 512. A backend that
//! multiplies a piece of it as soon as it is computed, and on the way back
//! needs the gradient between the layers only a piece at a time, saves most of
//! the traffic through memory. Its bias, and all that follows, is stock Burn.
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
mod inverse;

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    AutodiffBackend, Backend, Dispatch, ExtensionType, TensorMetadata, backend_extension,
};
use burn::tensor::Tensor;

pub use active::ActiveFeatures;
use active::ActivePrimitive;
pub use inverse::Inverse;
use nnue::Activation;

/// Ends the list of active features in a row of the index tensor.
pub const PADDING: i32 = -1;

/// `output[i] = a · dense` with `a = activation(bias + Σ v · weights[f])`, over
/// the features `f` of the two rows of position `i` and their values `v`,
/// which are 1 where a set has none.
///
/// Shapes: `weights [features, L1]`, `bias [L1]`, `dense [2 × L1, outputs]`;
/// the output is `[positions, outputs]`. There is no gradient for the values.
///
/// # Panics
/// If an index is not below `features`; a graphics card does not look. On one,
/// if it is differentiated and the active features came without their inverse.
pub(crate) fn front(
    weights: Tensor<2>,
    bias: Tensor<1>,
    dense: Tensor<2>,
    active: ActiveFeatures,
    activation: Activation,
) -> Tensor<2> {
    let parameters = FrontParameters {
        weights: weights.into_dispatch(),
        bias: bias.into_dispatch(),
        dense: dense.into_dispatch(),
    };
    let outputs = Dispatch::front(parameters, active.into_dispatch(), activation);
    Tensor::from_dispatch(outputs.output)
}

/// The trained parameters.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct FrontParameters<B: Backend> {
    /// `[features, L1]`.
    pub weights: FloatTensor<B>,
    /// `[L1]`.
    pub bias: FloatTensor<B>,
    /// `[2 × L1, outputs]`.
    pub dense: FloatTensor<B>,
}

/// What the forward pass computes.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct FrontOutputs<B: Backend> {
    /// `[positions, outputs]`.
    pub output: FloatTensor<B>,
    /// `[2 × positions, L1]`: input of the dense layer.
    pub activations: FloatTensor<B>,
}

/// What the backward pass keeps of the forward pass.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct Saved<B: Backend> {
    /// `[2 × positions, L1]`: input of the dense layer.
    pub activations: FloatTensor<B>,
    /// `[2 × L1, outputs]`.
    pub dense: FloatTensor<B>,
    /// Size of the feature set.
    pub features: usize,
}

/// Gradients of the parameters, each of the shape it has in [`FrontParameters`].
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct FrontGradients<B: Backend> {
    /// `[features, L1]`.
    pub weights: FloatTensor<B>,
    /// `[L1]`.
    pub bias: FloatTensor<B>,
    /// `[2 × L1, outputs]`.
    pub dense: FloatTensor<B>,
}

/// What a backend implements to carry the front of the network.
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
        activation: Activation,
    ) -> FrontOutputs<Self>;

    /// Gradients of the parameters from the gradient of the output,
    /// `[positions, outputs]`.
    fn front_backward(
        gradient: FloatTensor<Self>,
        #[extension_type] saved: Saved<Self>,
        #[extension_type] active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontGradients<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct FrontBackward;

impl<B: FrontBackend> Backward<B, 3> for FrontBackward {
    type State = (Saved<B>, ActivePrimitive<B>, Activation);

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (saved, active, activation) = ops.state;
        let FrontGradients { weights, bias, dense } =
            B::front_backward(gradient, saved, active, activation);
        for (node, gradient) in ops.parents.into_iter().zip([weights, bias, dense]) {
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
        activation: Activation,
    ) -> FrontOutputs<Self> {
        let FrontParameters { weights, bias, dense } = parameters;
        let active = active.detached();
        let features = weights.shape()[0];
        let parents = [weights.node(), bias.node(), dense.node()];
        let [weights, bias, dense] = [weights, bias, dense].map(|tensor| tensor.into_primitive());
        let parameters = FrontParameters { weights, bias, dense: dense.clone() };
        let FrontOutputs { output, activations } = B::front(parameters, active.clone(), activation);
        let output = match FrontBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let saved = Saved { activations: activations.clone(), dense, features };
                prepared.finish((saved, active, activation), output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        };
        FrontOutputs { output, activations: Self::from_inner(activations) }
    }

    fn front_backward(
        _gradient: FloatTensor<Self>,
        _saved: Saved<Self>,
        _active: ActivePrimitive<Self>,
        _activation: Activation,
    ) -> FrontGradients<Self> {
        unimplemented!("second derivatives of the front: no training method here takes any")
    }
}

#[cfg(test)]
mod tests;
