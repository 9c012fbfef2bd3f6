//! Clipped ReLU on a graphics card.

use burn::backend::TensorMetadata;
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::*;

use super::ActivationBackend;
use crate::cube::{empty, plain, unit_per_value};

impl ActivationBackend for CubeBackend {
    fn clip(x: CubeTensor) -> CubeTensor {
        let out = empty(&x, x.shape());
        let (count, dim) = unit_per_value(&out);
        let (x, to) = (plain(x).into_buffer_arg(), out.clone().into_buffer_arg());
        clip::launch(&out.client, count, dim, x, to);
        out
    }

    fn clip_backward(gradient: CubeTensor, output: CubeTensor) -> CubeTensor {
        let out = empty(&output, output.shape());
        let (count, dim) = unit_per_value(&out);
        let [gradient, output] = [gradient, output].map(|tensor| plain(tensor).into_buffer_arg());
        mask::launch(&out.client, count, dim, gradient, output, out.clone().into_buffer_arg());
        out
    }
}

/// A unit per value.
#[cube(launch)]
fn clip(x: &[f32], out: &mut [f32]) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    out[ABSOLUTE_POS] = clamp_nan(x[ABSOLUTE_POS], 0.0, 1.0);
}

/// A unit per value.
#[cube(launch)]
fn mask(gradient: &[f32], output: &[f32], out: &mut [f32]) {
    if ABSOLUTE_POS >= out.len() {
        terminate!();
    }
    let open = output[ABSOLUTE_POS] > 0.0 && output[ABSOLUTE_POS] < 1.0;
    out[ABSOLUTE_POS] = select(open, gradient[ABSOLUTE_POS], 0.0);
}
