//! Clipped ReLU as one operation.
//!
//! Burn's `clamp` differentiates through two comparisons and two masked fills,
//! each a pass of one thread over the batch; at small L1 they were a tenth of
//! a step. The clipped value itself says where the gradient passes: strictly
//! between 0 and 1.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use multiversion::multiversion;
use rayon::prelude::*;

/// Values that one parallel task clips.
const TASK_VALUES: usize = 1 << 15;

/// `min(max(x, 0), 1)`.
pub fn clipped_relu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Tensor::from_dispatch(Dispatch::clip(x.into_dispatch()))
}

/// What a backend implements to carry the clipped ReLU.
#[backend_extension(Autodiff, Flex)]
pub trait ActivationBackend: Backend {
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

impl ActivationBackend for Flex {
    fn clip(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let mut x = unshared(x);
        x.storage_mut::<f32>().par_chunks_mut(TASK_VALUES).for_each(clip);
        x
    }

    fn clip_backward(gradient: FloatTensor<Self>, output: FloatTensor<Self>) -> FloatTensor<Self> {
        let mut gradient = unshared(gradient);
        let output = output.to_contiguous();
        gradient
            .storage_mut::<f32>()
            .par_chunks_mut(TASK_VALUES)
            .zip(output.storage::<f32>().par_chunks(TASK_VALUES))
            .for_each(|(gradient, output)| mask(gradient, output));
        gradient
    }
}

/// The tensor laid out plainly; without a copy if it already is, so that an
/// unshared one can be changed in place.
fn unshared(tensor: FlexTensor) -> FlexTensor {
    if tensor.is_contiguous() { tensor } else { tensor.to_contiguous() }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn clip(values: &mut [f32]) {
    for x in values {
        *x = x.clamp(0.0, 1.0);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn mask(gradient: &mut [f32], output: &[f32]) {
    for (gradient, &output) in gradient.iter_mut().zip(output) {
        *gradient = if output > 0.0 && output < 1.0 { *gradient } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::{Device, TensorData};

    #[test]
    fn equals_clamp_and_its_gradient() {
        let device = Device::flex().autodiff();
        let values: Vec<f32> = (0..70_000).map(|i| (i % 401) as f32 / 150.0 - 0.9123).collect();
        let run = |activation: fn(Tensor<2>) -> Tensor<2>| {
            let x = TensorData::new(values.clone(), [700, 100]);
            let x = Tensor::<2>::from_data(x, &device).require_grad();
            let y = activation(x.clone());
            let gradients = (y.clone() * x.clone().detach()).sum().backward();
            (y.into_data(), x.grad(&gradients).unwrap().into_data())
        };
        assert_eq!(run(clipped_relu), run(|x| x.clamp(0.0, 1.0)));
    }

    #[test]
    fn a_tensor_in_use_elsewhere_is_left_alone() {
        let x = Tensor::<1>::from_data([2.0, -1.0], &Device::flex());
        let y = clipped_relu(x.clone());
        assert_eq!(x.into_data(), TensorData::from([2.0f32, -1.0]));
        assert_eq!(y.into_data(), TensorData::from([1.0f32, 0.0]));
    }

    #[test]
    fn views_are_clipped_as_they_are_seen() {
        let x = Tensor::<2>::from_data([[2.0, -1.0], [0.5, 0.25]], &Device::flex());
        let y = clipped_relu(x.transpose());
        assert_eq!(y.into_data(), TensorData::from([[1.0f32, 0.5], [0.0, 0.25]]));
    }
}
