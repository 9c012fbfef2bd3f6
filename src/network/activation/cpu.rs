//! Clipped ReLU on the processor.

use burn::backend::tensor::FloatTensor;
use multiversion::multiversion;
use rayon::prelude::*;

use super::ActivationBackend;
use crate::host::HostBackend;

/// Values that one parallel task clips.
const TASK_VALUES: usize = 1 << 15;

impl<B: HostBackend> ActivationBackend for B {
    fn clip(x: FloatTensor<B>) -> FloatTensor<B> {
        let mut x = B::plain(x);
        B::values_mut(&mut x).par_chunks_mut(TASK_VALUES).for_each(clip);
        x
    }

    fn clip_backward(gradient: FloatTensor<B>, output: FloatTensor<B>) -> FloatTensor<B> {
        let (mut gradient, output) = (B::plain(gradient), B::plain(output));
        B::values_mut(&mut gradient)
            .par_chunks_mut(TASK_VALUES)
            .zip(B::values(&output).par_chunks(TASK_VALUES))
            .for_each(|(gradient, output)| mask(gradient, output));
        gradient
    }
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
