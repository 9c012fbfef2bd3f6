//! The step as one kernel of a graphics card.

use burn::tensor::Tensor;
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::prelude::*;

use super::{BETA_1, BETA_2, Parameter, Update};
use network::cube::{plain, unit_per_value};

/// Writes over the tensors, which have one owner: the training loop hands the
/// network over to its optimiser, and the optimiser owns the moments.
pub(crate) fn step_in_place<const D: usize>(
    parameter: Parameter<D>,
    gradient: CubeTensor,
    by: Update,
) -> Parameter<D> {
    let [weights, mean, square] =
        [parameter.weights, parameter.mean, parameter.square].map(unshared);
    let (count, dim) = unit_per_value(&weights);
    update::launch(
        &weights.client,
        count,
        dim,
        plain(gradient).into_buffer_arg(),
        weights.clone().into_buffer_arg(),
        mean.clone().into_buffer_arg(),
        square.clone().into_buffer_arg(),
        by.decay,
        by.rate,
        by.root,
        by.floor,
    );
    let [weights, mean, square] =
        [weights, mean, square].map(Tensor::from_primitive::<CubeBackend>);
    Parameter { weights, mean, square }
}

/// The tensor, or a copy of it if it is shared.
///
/// # Panics
/// If it is not where the gradient is; Burn moves it there before every step.
fn unshared<const D: usize>(tensor: Tensor<D>) -> CubeTensor {
    let tensor = tensor.try_into_primitive::<CubeBackend>();
    let tensor = plain(tensor.expect("Burn keeps a parameter and its gradient on one device"));
    if tensor.can_mut() { tensor } else { tensor.copy() }
}

/// As [`super::update`]. A unit per weight.
#[cube(launch)]
fn update(
    gradient: &[f32],
    weights: &mut [f32],
    means: &mut [f32],
    squares: &mut [f32],
    decay: f32,
    rate: f32,
    root: f32,
    floor: f32,
) {
    if ABSOLUTE_POS >= weights.len() {
        terminate!();
    }
    let beta_1 = comptime!(BETA_1 as f32);
    let beta_2 = comptime!(BETA_2 as f32);
    let gradient = gradient[ABSOLUTE_POS];
    let mean = beta_1 * means[ABSOLUTE_POS] + (1.0 - beta_1) * gradient;
    let square = beta_2 * squares[ABSOLUTE_POS] + (1.0 - beta_2) * gradient * gradient;
    means[ABSOLUTE_POS] = mean;
    squares[ABSOLUTE_POS] = square;
    let weight = weights[ABSOLUTE_POS];
    weights[ABSOLUTE_POS] =
        weight - (decay * weight + rate * mean / (square.sqrt() * root + floor));
}
