//! The feature transformer: a sparse first layer as a custom Burn operation.
//!
//! Forward sums, for every *row* (one perspective of one position), the weight
//! rows of its active features onto the bias and clips the sum to 0–1; in a
//! valued set each weight row is first multiplied by the feature's value.
//! Written with stock `select` and `sum`, that copies `active × L1` floats per
//! row through memory, some 20 times slower; written here, the sum stays in
//! registers. Sum, bias and clipping are one operation because the clipped
//! output is all the backward pass needs to keep.
//!
//! The rows of a batch are interleaved: row `2i` is position `i` seen by the
//! side to move, row `2i + 1` by the other side. So the `[2 × batch, L1]`
//! output, reshaped to `[batch, 2 × L1]`, *is* the concatenation that the next
//! layer expects, and nothing is ever copied to build it.
//!
//! Each backend implements [`SparseBackend`]; [`cpu`] has the one for Flex.

pub mod active;
pub mod cpu;

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, TensorMetadata, backend_extension};
use burn::tensor::Tensor;

pub use active::ActiveFeatures;
use active::ActivePrimitive;

/// Ends the list of active features in a row of the index tensor.
pub const PADDING: i32 = -1;

/// The clipped feature transformer: `out[r] = clip(bias + Σ v · weights[f], 0, 1)`
/// over the features `f` of row `r` and their values `v`, which are 1 where a
/// set has none.
///
/// Shapes: `weights [features, L1]`, `bias [L1]`; the output is `[rows, L1]`.
/// `L1` is a multiple of 8. There is no gradient for the values.
///
/// # Panics
/// If an index is not below `features`.
pub fn feature_transformer(
    weights: Tensor<2>,
    bias: Tensor<1>,
    active: ActiveFeatures,
) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::transform(
        weights.into_dispatch(),
        bias.into_dispatch(),
        active.into_dispatch(),
    ))
}

/// What a backend implements to carry the feature transformer.
#[backend_extension(Autodiff, Flex)]
pub trait SparseBackend: Backend {
    /// See [`feature_transformer`].
    fn transform(
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        #[extension_type] active: ActivePrimitive<Self>,
    ) -> FloatTensor<Self>;

    /// Gradients of the weights (`[features, L1]`) and of the bias (`[L1]`),
    /// from the gradient of the output, the output and the active features.
    fn transform_backward(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        #[extension_type] active: ActivePrimitive<Self>,
        features: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct TransformBackward;

/// What the forward pass keeps for the backward pass.
#[derive(Clone, Debug)]
struct Saved<B: Backend> {
    output: FloatTensor<B>,
    active: ActivePrimitive<B>,
    features: usize,
}

impl<B: SparseBackend> Backward<B, 2> for TransformBackward {
    type State = Saved<B>;

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let [weights, bias] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let Saved { output, active, features } = ops.state;
        let (of_weights, of_bias) = B::transform_backward(gradient, output, active, features);
        if let Some(node) = weights {
            gradients.register::<B>(node.id, of_weights);
        }
        if let Some(node) = bias {
            gradients.register::<B>(node.id, of_bias);
        }
    }
}

impl<B: SparseBackend, C: CheckpointStrategy> SparseBackend for Autodiff<B, C> {
    fn transform(
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        active: ActivePrimitive<Self>,
    ) -> FloatTensor<Self> {
        let features = weights.shape()[0];
        let active = active.detached();
        let parents = [weights.node(), bias.node()];
        match TransformBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let (weights, bias) = (weights.into_primitive(), bias.into_primitive());
                let output = B::transform(weights, bias, active.clone());
                let saved = Saved { output: output.clone(), active, features };
                prepared.finish(saved, output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(B::transform(
                weights.into_primitive(),
                bias.into_primitive(),
                active,
            )),
        }
    }

    fn transform_backward(
        _gradient: FloatTensor<Self>,
        _output: FloatTensor<Self>,
        _active: ActivePrimitive<Self>,
        _features: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        unimplemented!(
            "second derivatives of the feature transformer: no training method here takes any"
        )
    }
}

#[cfg(test)]
mod tests;
