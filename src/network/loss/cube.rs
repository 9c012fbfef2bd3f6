//! The loss on a graphics card: one kernel computes what every position adds and its gradient, one
//! cube adds up.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    AutodiffBackend, Backend, Dispatch, ExtensionType, TensorMetadata, backend_extension,
};
use burn::tensor::Tensor;
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::prelude::*;

use super::PowerLoss;
use crate::cube::{empty, plain, unit_per_value};

/// Units that add up the losses of a batch.
const UNITS: usize = 256;

/// [`PowerLoss::of`].
pub(super) fn power_loss(output: Tensor<2>, targets: Tensor<2>, shape: PowerLoss) -> Tensor<1> {
    let (output, targets) = (output.into_dispatch(), targets.into_dispatch());
    Tensor::from_dispatch(Dispatch::power_loss(output, targets, shape).mean)
}

/// Results of the forward pass.
#[derive(Clone, Debug, ExtensionType)]
pub(crate) struct LossOutputs<B: Backend> {
    /// `[1]`.
    mean: FloatTensor<B>,
    /// Gradient of the outputs, `[positions, 1]`.
    gradient: FloatTensor<B>,
}

/// Backends for graphics cards with the loss.
#[backend_extension(Autodiff, Cube)]
pub(crate) trait LossBackend: Backend {
    /// See [`PowerLoss::of`].
    fn power_loss(
        output: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        shape: PowerLoss,
    ) -> LossOutputs<Self>;

    /// The gradient of the outputs times that of the mean, `[1]`.
    fn power_loss_backward(
        of_mean: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

/// The backward step as the autodiff graph stores it.
#[derive(Debug)]
struct LossBackward;

impl<B: LossBackend> Backward<B, 1> for LossBackward {
    type State = FloatTensor<B>;

    fn backward(
        self,
        ops: Ops<Self::State, 1>,
        gradients: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let of_mean = gradients.consume::<B>(&ops.node);
        let [parent] = ops.parents;
        if let Some(node) = parent {
            let gradient = B::power_loss_backward(of_mean, ops.state);
            gradients.register::<B>(node.id, gradient);
        }
    }
}

impl<B: LossBackend, C: CheckpointStrategy> LossBackend for Autodiff<B, C> {
    fn power_loss(
        output: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        shape: PowerLoss,
    ) -> LossOutputs<Self> {
        let parents = [output.node()];
        let LossOutputs { mean, gradient } =
            B::power_loss(output.into_primitive(), targets.into_primitive(), shape);
        let mean = match LossBackward.prepare::<C>(parents).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient.clone(), mean),
            OpsKind::UnTracked(prepared) => prepared.finish(mean),
        };
        LossOutputs { mean, gradient: Self::from_inner(gradient) }
    }

    fn power_loss_backward(
        _of_mean: FloatTensor<Self>,
        _gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        unimplemented!("second derivatives of the loss: no training method here takes any")
    }
}

impl LossBackend for CubeBackend {
    fn power_loss(output: CubeTensor, targets: CubeTensor, shape: PowerLoss) -> LossOutputs<Self> {
        let [positions, _] = output.shape().dims();
        let (output, targets) = (plain(output), plain(targets));
        let losses = empty(&output, [positions]);
        let gradient = empty(&output, [positions, 1]);
        let (count, dim) = unit_per_value(&losses);
        // SAFETY: a unit stays within its position.
        unsafe {
            kernels::of_positions::launch_unchecked(
                &losses.client,
                count,
                dim,
                output.into_buffer_arg(),
                targets.into_buffer_arg(),
                losses.clone().into_buffer_arg(),
                gradient.clone().into_buffer_arg(),
                positions,
                shape.slope as f32,
                shape.exponent as f32,
            );
        }
        let mean = empty(&gradient, [1]);
        // SAFETY: units stay below the number of positions.
        unsafe {
            kernels::mean::launch_unchecked(
                &mean.client,
                CubeCount::Static(1, 1, 1),
                CubeDim::new_1d(UNITS as u32),
                losses.into_buffer_arg(),
                mean.clone().into_buffer_arg(),
                positions,
                UNITS,
            );
        }
        LossOutputs { mean, gradient }
    }

    fn power_loss_backward(of_mean: CubeTensor, gradient: CubeTensor) -> CubeTensor {
        let out = empty(&gradient, gradient.shape());
        let positions = out.shape().num_elements();
        let (count, dim) = unit_per_value(&out);
        // SAFETY: a unit stays within its position.
        unsafe {
            kernels::scaled::launch_unchecked(
                &out.client,
                count,
                dim,
                plain(of_mean).into_buffer_arg(),
                gradient.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                positions,
            );
        }
        out
    }
}

mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        reason = "what the macro makes of a kernel is as public as the kernel"
    )]

    use cubecl::prelude::*;

    /// A unit per position.
    #[cube(launch_unchecked)]
    pub fn of_positions(
        output: &[f32],
        targets: &[f32],
        losses: &mut [f32],
        gradient: &mut [f32],
        positions: usize,
        slope: f32,
        exponent: f32,
    ) {
        if ABSOLUTE_POS >= positions {
            terminate!();
        }
        let points = 1.0 / (1.0 + (-slope * output[ABSOLUTE_POS]).exp());
        let error = points - targets[ABSOLUTE_POS];
        let size = error.abs();
        // The power of 0 is exp2(−∞ · power) on a card, which for the power 0 is no number.
        let is_exact = size == 0.0;
        let steep = select(is_exact, 0.0, exponent * size.powf(exponent - 1.0));
        let signed = select(error < 0.0, -steep, steep);
        losses[ABSOLUTE_POS] = select(is_exact, 0.0, size.powf(exponent));
        gradient[ABSOLUTE_POS] = signed * points * (1.0 - points) * slope / positions as f32;
    }

    /// One cube: unit `i` of n sums every n-th position from `i` on, and the sums are added in pairs.
    #[cube(launch_unchecked)]
    pub fn mean(losses: &[f32], mean: &mut [f32], positions: usize, #[comptime] units: usize) {
        let mut sums = Shared::<[f32]>::new_slice(units);
        let unit = UNIT_POS as usize;
        let mut sum = 0.0f32;
        for position in range_stepped(unit, positions, units) {
            sum += losses[position];
        }
        sums[unit] = sum;
        sync_cube();
        let steps = comptime!(units.ilog2());
        #[unroll]
        for step in 0..steps {
            let half = comptime!(units >> (step + 1));
            if unit < half {
                sums[unit] += sums[unit + half];
            }
            sync_cube();
        }
        if unit == 0 {
            mean[0] = sums[0] / positions as f32;
        }
    }

    /// A unit per position.
    #[cube(launch_unchecked)]
    pub fn scaled(of_mean: &[f32], gradient: &[f32], out: &mut [f32], positions: usize) {
        if ABSOLUTE_POS >= positions {
            terminate!();
        }
        out[ABSOLUTE_POS] = gradient[ABSOLUTE_POS] * of_mean[0];
    }
}
