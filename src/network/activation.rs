//! Activations of dense layers, each as one operation.
//!
//! Burn's `clamp` differentiates through two comparisons and two masked fills,
//! each a pass of one thread over the batch; at small L1 they were a tenth of
//! a step. The gradient follows from the output, so nothing else is kept:
//! strictly between 0 and 1 nothing was clipped, and of squares and clipped
//! sums side by side either the latter is the sum, or the sum is negative and
//! the root of the former.
//!
//! The activation of the feature transformer is part of
//! [`front`](super::front).
#![cfg_attr(
    feature = "ndarray",
    expect(deprecated, reason = "the backend is, and stays on offer as long as Burn has it")
)]

mod cpu;
#[cfg(feature = "wgpu")]
pub(crate) mod cube;

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;

use nnue::Activation;

/// The outputs `[positions, activation.outputs(sums)]` for the sums of a dense
/// layer, `x [positions, sums]`.
///
/// # Panics
/// On activations that belong after the feature transformer.
pub(crate) fn activated(x: Tensor<2>, activation: Activation) -> Tensor<2> {
    if activation == Activation::Identity {
        return x;
    }
    assert!(activation.follows_dense(), "{} after a dense layer", activation.name());
    Tensor::from_dispatch(Dispatch::activate(x.into_dispatch(), activation))
}

/// Backends with activations of dense layers.
#[backend_extension(
    Autodiff,
    Flex,
    NdArray: cfg(feature = "ndarray"),
    Cube: cfg(feature = "wgpu")
)]
pub(crate) trait ActivationBackend: Backend {
    /// See [`activated`].
    fn activate(x: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self>;

    /// The gradient of `x` from that of the output.
    fn activate_backward(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        activation: Activation,
    ) -> FloatTensor<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct ActivationBackward;

impl<B: ActivationBackend> Backward<B, 1> for ActivationBackward {
    /// With the output.
    type State = (FloatTensor<B>, Activation);

    fn backward(
        self,
        ops: Ops<Self::State, 1>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let [x] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let (output, activation) = ops.state;
        if let Some(node) = x {
            let gradient = B::activate_backward(gradient, output, activation);
            gradients.register::<B>(node.id, gradient);
        }
    }
}

impl<B: ActivationBackend, C: CheckpointStrategy> ActivationBackend for Autodiff<B, C> {
    fn activate(x: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        let prepared = ActivationBackward.prepare::<C>([x.node()]);
        let output = B::activate(x.into_primitive(), activation);
        match prepared.compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((output.clone(), activation), output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }

    fn activate_backward(
        _gradient: FloatTensor<Self>,
        _output: FloatTensor<Self>,
        _activation: Activation,
    ) -> FloatTensor<Self> {
        unimplemented!("second derivatives of activations: no training method here takes any")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{amid_others, every_device};
    use burn::tensor::TensorData;

    const ALL: [Activation; 4] = [
        Activation::Identity,
        Activation::ClippedRelu,
        Activation::SquaredClippedRelu,
        Activation::Dual,
    ];

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.try_into_vec_as().unwrap()
    }

    /// From stock operations.
    fn stock(x: Tensor<2>, activation: Activation) -> Tensor<2> {
        match activation {
            Activation::Identity => x,
            Activation::ClippedRelu => x.clamp(0.0, 1.0),
            Activation::SquaredClippedRelu => x.clamp(0.0, 1.0).square(),
            Activation::Dual => {
                Tensor::cat(vec![x.clone().square().clamp(0.0, 1.0), x.clamp(0.0, 1.0)], 1)
            }
            Activation::Pairwise => unreachable!("not after a dense layer"),
        }
    }

    #[test]
    fn equals_stock_operations_and_their_gradients() {
        for (device, activation) in every_device().iter().flat_map(|d| ALL.map(|a| (d, a))) {
            let device = device.clone().autodiff();
            let x: Vec<f32> = (0..70_000).map(|i| (i % 401) as f32 / 120.0 - 1.6123).collect();
            let outputs = activation.outputs(100);
            let readout = (0..700 * outputs).map(|i| (i % 37) as f32 / 20.0 - 0.9).collect();
            let readout: Vec<f32> = readout;
            let run = |of: fn(Tensor<2>, Activation) -> Tensor<2>| {
                let tensor = |values: &Vec<f32>, columns| {
                    let values = TensorData::new(values.clone(), [700, columns]);
                    Tensor::<2>::from_data(values, &device)
                };
                let x = tensor(&x, 100).require_grad();
                let y = of(x.clone(), activation);
                let gradients = (y.clone() * tensor(&readout, outputs)).sum().backward();
                (values(y), values(x.grad(&gradients).unwrap()))
            };
            let (ours, theirs) = (run(activated), run(stock));
            assert_eq!(ours.0, theirs.0, "{activation:?} on {device:?}");
            for (i, (a, b)) in ours.1.iter().zip(&theirs.1).enumerate() {
                assert!((a - b).abs() < 1e-5, "{activation:?} on {device:?}, {i}: {a}, {b}");
            }
        }
    }

    /// Agrees with the definition for plain numbers.
    #[test]
    fn equals_what_layers_of_plain_numbers_do() {
        let x: Vec<f32> = (0..300).map(|i| i as f32 / 100.0 - 1.4567).collect();
        for (device, activation) in every_device().iter().flat_map(|d| ALL.map(|a| (d, a))) {
            let y = Tensor::<2>::from_data(TensorData::new(x.clone(), [3, 100]), device);
            let plain: Vec<f32> = x.chunks(100).flat_map(|row| activation.of_layer(row)).collect();
            assert_eq!(values(activated(y, activation)), plain, "{activation:?} on {device:?}");
        }
    }

    #[test]
    fn a_tensor_in_use_elsewhere_is_left_alone() {
        for (device, activation) in every_device().iter().flat_map(|d| ALL.map(|a| (d, a))) {
            let x = Tensor::<2>::from_data([[2.0, -1.0]], device);
            activated(x.clone(), activation);
            assert_eq!(values(x), [2.0, -1.0], "{activation:?} on {device:?}");
        }
    }

    #[test]
    fn views_are_read_as_they_are_seen() {
        for (device, activation) in every_device().iter().flat_map(|d| ALL.map(|a| (d, a))) {
            let x = Tensor::<2>::from_data([[2.0, -1.0], [0.5, 0.25]], device);
            let seen = Tensor::<2>::from_data([[2.0, 0.5], [-1.0, 0.25]], device);
            let [of_view, of_copy] =
                [x.transpose(), seen].map(|x| values(activated(x, activation)));
            assert_eq!(of_view, of_copy, "{activation:?} on {device:?}");

            // As the neurons of one position beside that of a skip.
            let alone = Tensor::<2>::from_data([[2.0, -1.0, 0.5]], device);
            let of_view = values(activated(amid_others(alone.clone(), 1), activation));
            assert_eq!(of_view, values(activated(alone, activation)), "{activation:?}, {device:?}");
        }
    }

    /// A net that has blown up must show it.
    #[test]
    fn no_number_stays_none() {
        for (device, activation) in every_device().iter().flat_map(|d| ALL.map(|a| (d, a))) {
            let y = activated(Tensor::<2>::from_data([[f32::NAN], [2.0]], device), activation);
            let outputs = activation.outputs(1);
            assert!(values(y)[..outputs].iter().all(|y| y.is_nan()), "{activation:?}, {device:?}");
        }
    }

    #[test]
    #[should_panic(expected = "pairwise products of clipped ReLU after a dense layer")]
    fn pairs_are_not_for_dense_layers() {
        activated(Tensor::zeros([2, 8], &burn::tensor::Device::flex()), Activation::Pairwise);
    }
}
