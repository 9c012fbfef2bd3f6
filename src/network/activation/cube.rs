//! Activations on a graphics card: of dense layers, and what all kernels know of them.

use burn::backend::TensorMetadata;
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::prelude::*;

use super::ActivationBackend;
use crate::cube::{empty, plain, unit_per_value};
use nnue::Activation;

impl ActivationBackend for CubeBackend {
    fn activate(x: CubeTensor, activation: Activation) -> CubeTensor {
        let [rows, sums] = x.shape().dims();
        let out = empty(&x, [rows, activation.outputs(sums)]);
        let (count, dim) = unit_per_value(&out);
        let (x, to) = (plain(x).into_buffer_arg(), out.clone().into_buffer_arg());
        kernels::activate::launch(&out.client, count, dim, x, to, sums, activation);
        out
    }

    fn activate_backward(
        gradient: CubeTensor,
        output: CubeTensor,
        activation: Activation,
    ) -> CubeTensor {
        let [rows, outputs] = output.shape().dims();
        let sums = outputs / activation.copies();
        let out = empty(&output, [rows, sums]);
        let (count, dim) = unit_per_value(&out);
        let [gradient, output] = [gradient, output].map(|tensor| plain(tensor).into_buffer_arg());
        let to = out.clone().into_buffer_arg();
        let client = out.client.clone();
        kernels::slope::launch(&client, count, dim, gradient, output, to, sums, activation);
        out
    }
}

pub(crate) mod kernels {
    //! The kernels.

    #![allow(
        unreachable_pub,
        reason = "what the macro makes of a kernel is as public as the kernel"
    )]

    use super::*;

    /// [`Activation::of`].
    #[cube]
    pub fn of(x: f32, #[comptime] activation: Activation) -> f32 {
        match activation {
            Activation::ClippedRelu | Activation::Pairwise | Activation::Dual => {
                clamp_nan(x, 0.0, 1.0)
            }
            Activation::SquaredClippedRelu => {
                let clipped = clamp_nan(x, 0.0, 1.0);
                clipped * clipped
            }
            Activation::Identity => x,
        }
    }

    /// A gradient times [`Activation::slope_at`].
    #[cube]
    pub fn masked(gradient: f32, output: f32, #[comptime] activation: Activation) -> f32 {
        let open = output > 0.0 && output < 1.0;
        match activation {
            Activation::ClippedRelu | Activation::Pairwise | Activation::Dual => {
                select(open, gradient, 0.0)
            }
            Activation::SquaredClippedRelu => select(open, gradient * (2.0 * output.sqrt()), 0.0),
            Activation::Identity => gradient,
        }
    }

    /// The outputs of two factors, for activations that have two.
    #[cube]
    pub fn combined<N: Size>(
        a: Vector<f32, N>,
        b: Vector<f32, N>,
        #[comptime] activation: Activation,
    ) -> Vector<f32, N> {
        match activation {
            Activation::Pairwise => a * b,
            _ => a,
        }
    }

    /// The gradient of the factor `own` from that of the output; `other` is the second factor.
    #[cube]
    pub fn of_factor<N: Size>(
        gradient: Vector<f32, N>,
        own: Vector<f32, N>,
        other: Vector<f32, N>,
        #[comptime] activation: Activation,
    ) -> Vector<f32, N> {
        match activation {
            Activation::Pairwise => gradient * other,
            _ => own,
        }
    }

    /// [`of`] of each value.
    #[cube]
    pub fn of_each<N: Size>(
        x: Vector<f32, N>,
        #[comptime] activation: Activation,
    ) -> Vector<f32, N> {
        let mut out = Vector::<f32, N>::empty();
        #[unroll]
        for i in 0..N::value() {
            out.insert(i, of(x.extract(i), activation));
        }
        out
    }

    /// [`masked`] of each value.
    #[cube]
    pub fn masked_each<N: Size>(
        gradient: Vector<f32, N>,
        output: Vector<f32, N>,
        #[comptime] activation: Activation,
    ) -> Vector<f32, N> {
        let mut out = Vector::<f32, N>::empty();
        #[unroll]
        for i in 0..N::value() {
            out.insert(i, masked(gradient.extract(i), output.extract(i), activation));
        }
        out
    }

    /// The outputs for rows of `sums` sums. A unit per value of `out`.
    #[cube(launch)]
    pub fn activate(x: &[f32], out: &mut [f32], sums: usize, #[comptime] activation: Activation) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        out[ABSOLUTE_POS] = match activation {
            Activation::Dual => {
                let x = x[ABSOLUTE_POS / (2 * sums) * sums + ABSOLUTE_POS % sums];
                let is_square = ABSOLUTE_POS % (2 * sums) < sums;
                clamp_nan(select(is_square, x * x, x), 0.0, 1.0)
            }
            _ => of(x[ABSOLUTE_POS], activation),
        };
    }

    /// The gradient of rows of `sums` sums. A unit per value of `out`.
    #[cube(launch)]
    pub fn slope(
        gradient: &[f32],
        output: &[f32],
        out: &mut [f32],
        sums: usize,
        #[comptime] activation: Activation,
    ) {
        if ABSOLUTE_POS >= out.len() {
            terminate!();
        }
        out[ABSOLUTE_POS] = match activation {
            Activation::Dual => {
                let square = ABSOLUTE_POS / sums * (2 * sums) + ABSOLUTE_POS % sums;
                let clipped = square + sums;
                let root = output[square].sqrt();
                let sum = select(output[clipped] > 0.0, output[clipped], -root);
                let of_square = select(output[square] < 1.0, gradient[square] * (2.0 * sum), 0.0);
                of_square + masked(gradient[clipped], output[clipped], activation)
            }
            _ => masked(gradient[ABSOLUTE_POS], output[ABSOLUTE_POS], activation),
        };
    }
}
