//! Clipped ReLU as one operation.
//!
//! Burn's `clamp` differentiates through two comparisons and two masked fills,
//! each a pass of one thread over the batch; at small L1 they were a tenth of
//! a step. The clipped value itself says where the gradient passes: strictly
//! between 0 and 1.
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
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;

/// `min(max(x, 0), 1)`.
pub(crate) fn clipped_relu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::clip(x.into_dispatch()))
}

/// What a backend implements to carry the clipped ReLU.
#[backend_extension(
    Autodiff,
    Flex,
    NdArray: cfg(feature = "ndarray"),
    Cube: cfg(feature = "wgpu")
)]
pub(crate) trait ActivationBackend: Backend {
    /// See [`clipped_relu`].
    fn clip(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The gradient, zero where the output was clipped.
    fn clip_backward(gradient: FloatTensor<Self>, output: FloatTensor<Self>) -> FloatTensor<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct ClipBackward;

impl<B: ActivationBackend> Backward<B, 1> for ClipBackward {
    type State = FloatTensor<B>;

    fn backward(
        self,
        ops: Ops<Self::State, 1>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let [x] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        if let Some(node) = x {
            gradients.register::<B>(node.id, B::clip_backward(gradient, ops.state));
        }
    }
}

impl<B: ActivationBackend, C: CheckpointStrategy> ActivationBackend for Autodiff<B, C> {
    fn clip(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let parents = [x.node()];
        match ClipBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let output = B::clip(x.into_primitive());
                prepared.finish(output.clone(), output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(B::clip(x.into_primitive())),
        }
    }

    fn clip_backward(
        _gradient: FloatTensor<Self>,
        _output: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        unimplemented!("second derivatives of the clipped ReLU: no training method here takes any")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::every_device;
    use burn::tensor::TensorData;

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.try_into_vec_as().unwrap()
    }

    #[test]
    fn equals_clamp_and_its_gradient() {
        for device in every_device() {
            let device = device.autodiff();
            let x: Vec<f32> = (0..70_000).map(|i| (i % 401) as f32 / 150.0 - 0.9123).collect();
            let run = |activation: fn(Tensor<2>) -> Tensor<2>| {
                let x = TensorData::new(x.clone(), [700, 100]);
                let x = Tensor::<2>::from_data(x, &device).require_grad();
                let y = activation(x.clone());
                let gradients = (y.clone() * x.clone().detach()).sum().backward();
                (values(y), values(x.grad(&gradients).unwrap()))
            };
            assert_eq!(run(clipped_relu), run(|x| x.clamp(0.0, 1.0)), "{device:?}");
        }
    }

    #[test]
    fn a_tensor_in_use_elsewhere_is_left_alone() {
        for device in every_device() {
            let x = Tensor::<1>::from_data([2.0, -1.0], &device);
            let y = clipped_relu(x.clone());
            assert_eq!((values(x), values(y)), (vec![2.0, -1.0], vec![1.0, 0.0]), "{device:?}");
        }
    }

    #[test]
    fn views_are_clipped_as_they_are_seen() {
        for device in every_device() {
            let x = Tensor::<2>::from_data([[2.0, -1.0], [0.5, 0.25]], &device);
            let y = clipped_relu(x.transpose());
            assert_eq!(values(y), [1.0, 0.5, 0.0, 0.25], "{device:?}");
        }
    }

    /// A net that has blown up must show it.
    #[test]
    fn no_number_stays_none() {
        for device in every_device() {
            let y = clipped_relu(Tensor::<1>::from_data([f32::NAN, 2.0], &device));
            assert!(values(y)[0].is_nan(), "{device:?}");
        }
    }
}
