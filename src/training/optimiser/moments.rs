//! Optimiser state of Adam, AdamW and Ranger (two moments per weight), and their
//! step in one pass over memory.
//!
//! Burn's own Adam is a dozen tensor operations, each with a fresh array; on a
//! king-bucket set of 25 million weights that is ten times slower than reading
//! weight, gradient and the two moments once and writing them back in place.
//! Here the processor's tensors (Flex) take that one pass, and those of a
//! graphics card one kernel; any other backend, NdArray among them, does the
//! same arithmetic in tensor operations.

#[cfg(feature = "wgpu")]
mod cube;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::optim::{RecordState, StateSink, StateSource};
use burn::tensor::{Device, Tensor};
use rayon::prelude::*;

use network::vectorised;

/// Decay of the mean of the gradient.
pub(crate) const BETA_1: f64 = 0.9;
/// Decay of the mean of its square.
pub(crate) const BETA_2: f64 = 0.999;
/// Keeps the division finite.
pub(crate) const EPSILON: f64 = 1e-8;

pub(crate) const TENSORS: usize = 2;

/// Values that one parallel task updates.
pub(super) const TASK_VALUES: usize = 1 << 15;

/// Values that are checked together for whether any was ever updated.
const RUN: usize = 256;

/// Bias correction 1 − β₁ᵗ of the mean after `steps` steps.
pub(crate) fn seen_1(steps: u64) -> f64 {
    1.0 - BETA_1.powf(steps as f64)
}

/// Bias correction 1 − β₂ᵗ of the mean square.
pub(crate) fn seen_2(steps: u64) -> f64 {
    1.0 - BETA_2.powf(steps as f64)
}

/// Optimiser state of one parameter: Adam's two moments.
#[derive(Clone, Debug)]
pub(super) struct Moments<const D: usize> {
    pub steps: u64,
    /// Decaying mean of the gradient.
    pub mean: Tensor<D>,
    /// Decaying mean of the squared gradient.
    pub square: Tensor<D>,
}

impl<const D: usize> RecordState for Moments<D> {
    fn state_flatten(&self, prefix: &str, out: &mut StateSink) {
        out.push_scalar(prefix, "steps", self.steps.into());
        out.push_tensor(prefix, "mean", self.mean.to_data());
        out.push_tensor(prefix, "square", self.square.to_data());
    }

    fn state_unflatten(prefix: &str, src: &mut StateSource, device: &Device) -> Option<Self> {
        Some(Self {
            steps: src.take_scalar(prefix, "steps")?.try_into().ok()?,
            mean: Tensor::from_data(src.take_tensor(prefix, "mean")?, device),
            square: Tensor::from_data(src.take_tensor(prefix, "square")?, device),
        })
    }
}

impl<const D: usize> Moments<D> {
    /// Before the first step; of the shape and device of a gradient.
    pub(super) fn new(gradient: &Tensor<D>) -> Self {
        Self { steps: 0, mean: gradient.zeros_like(), square: gradient.zeros_like() }
    }

    /// Updates moments and weights by a gradient; on the processor in place.
    pub(super) fn step(
        self,
        weights: Tensor<D>,
        gradient: Tensor<D>,
        update: Update,
    ) -> (Tensor<D>, Self) {
        let parameter = Parameter { weights, mean: self.mean, square: self.square };
        let Parameter { weights, mean, square } = step(parameter, gradient, update);
        (weights, Self { steps: self.steps + 1, mean, square })
    }

    pub(crate) fn moved_to(self, device: &Device) -> Self {
        Self {
            steps: self.steps,
            mean: self.mean.to_device(device),
            square: self.square.to_device(device),
        }
    }
}

/// One step: `weight −= decay·weight + rate·mean / (root·√square + floor)`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// Share of the weight that is lost.
    pub decay: f32,
    /// Factor of the mean gradient.
    pub rate: f32,
    /// Factor of the root of the mean square; with 0 here and 1 below, the
    /// step is that of plain momentum.
    pub root: f32,
    /// Added to that root.
    pub floor: f32,
}

struct Parameter<const D: usize> {
    weights: Tensor<D>,
    mean: Tensor<D>,
    square: Tensor<D>,
}

/// One step, in place where the device has a kernel for it.
fn step<const D: usize>(parameter: Parameter<D>, gradient: Tensor<D>, by: Update) -> Parameter<D> {
    #[cfg(feature = "wgpu")]
    if let Ok(gradient) = gradient.clone().try_into_primitive::<burn_wgpu::CubeBackend>() {
        return cube::step_in_place(parameter, gradient, by);
    }
    match gradient.clone().try_into_primitive::<Flex>() {
        Ok(gradient) => step_in_place(parameter, gradient, by),
        Err(_elsewhere) => step_by_tensors(parameter, gradient, by),
    }
}

fn step_by_tensors<const D: usize>(
    parameter: Parameter<D>,
    gradient: Tensor<D>,
    by: Update,
) -> Parameter<D> {
    let mean = parameter.mean * BETA_1 + gradient.clone() * (1.0 - BETA_1);
    let square = parameter.square * BETA_2 + gradient.square() * (1.0 - BETA_2);
    let root = square.clone().sqrt() * by.root + by.floor;
    let loss = parameter.weights.clone() * by.decay;
    let weights = parameter.weights - (loss + mean.clone() * by.rate / root);
    Parameter { weights, mean, square }
}

/// Takes the tensors out of Burn, so that they are the only owners of their
/// memory and it is changed where it lies.
fn step_in_place<const D: usize>(
    parameter: Parameter<D>,
    gradient: FlexTensor,
    by: Update,
) -> Parameter<D> {
    let Parameter { weights, mean, square } = parameter;
    let [mut weights, mut mean, mut square] = [weights, mean, square].map(on_host);
    let gradient = gradient.to_contiguous();
    weights
        .storage_mut::<f32>()
        .par_chunks_mut(TASK_VALUES)
        .zip(mean.storage_mut::<f32>().par_chunks_mut(TASK_VALUES))
        .zip(square.storage_mut::<f32>().par_chunks_mut(TASK_VALUES))
        .zip(gradient.storage::<f32>().par_chunks(TASK_VALUES))
        .for_each(|(((weights, mean), square), gradient)| {
            update(weights, mean, square, gradient, by);
        });
    let [weights, mean, square] = [weights, mean, square].map(Tensor::from_primitive::<Flex>);
    Parameter { weights, mean, square }
}

/// The tensor laid out row by row; without a copy if it already is, so that an unshared tensor is
/// changed in place.
///
/// # Panics
/// If weights and moments are not where the gradient is; Burn moves them there
/// before every step.
pub(super) fn on_host<const D: usize>(tensor: Tensor<D>) -> FlexTensor {
    let tensor = tensor.try_into_primitive::<Flex>();
    tensor.expect("Burn keeps a parameter and its gradient on one device").to_contiguous()
}

/// Updates run by run, but for runs that no position has touched yet: where
/// gradient and moments are all zero, a step without decay changes nothing. In
/// the first epochs of a large set that spares most of the traffic through
/// memory, and it is exact.
fn update(
    weights: &mut [f32],
    means: &mut [f32],
    squares: &mut [f32],
    gradient: &[f32],
    by: Update,
) {
    vectorised!({
        let runs = weights
            .chunks_mut(RUN)
            .zip(means.chunks_mut(RUN))
            .zip(squares.chunks_mut(RUN))
            .zip(gradient.chunks(RUN));
        for (((weights, means), squares), gradient) in runs {
            let untouched = is_zero(gradient) && is_zero(means) && is_zero(squares);
            if !untouched || by.decay != 0.0 {
                update_run(weights, means, squares, gradient, by);
            }
        }
    })
}

#[inline(always)]
fn is_zero(values: &[f32]) -> bool {
    values.iter().fold(0, |bits, value| bits | value.to_bits()) == 0
}

#[inline(always)]
fn update_run(
    weights: &mut [f32],
    means: &mut [f32],
    squares: &mut [f32],
    gradient: &[f32],
    by: Update,
) {
    let (beta_1, beta_2) = (BETA_1 as f32, BETA_2 as f32);
    let values = weights.iter_mut().zip(means).zip(squares).zip(gradient);
    for (((weight, mean), square), &gradient) in values {
        *mean = beta_1 * *mean + (1.0 - beta_1) * gradient;
        *square = beta_2 * *square + (1.0 - beta_2) * gradient * gradient;
        *weight -= by.decay * *weight + by.rate * *mean / (square.sqrt() * by.root + by.floor);
    }
}

/// Tests, and helpers for those of the optimisers.
#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use burn::optim::Optimizer;
    use network::testing::every_device;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Some weights.
    pub(crate) fn start() -> [[f32; 3]; 2] {
        [[0.5, -1.0, 0.0], [2.0, 1e-3, 0.1]]
    }

    /// The gradient at a step: small, none, large, tiny.
    pub(crate) fn gradients(step: usize) -> [[f32; 3]; 2] {
        let mut rng = ChaCha8Rng::seed_from_u64(step as u64);
        [[0.0; 3].map(|_: f32| rng.random_range(-1e-3..1e-3)), [0.0, 1.0, -1e-6]]
    }

    /// The weights after `steps` steps of an optimiser.
    pub(crate) fn descend(optimiser: impl Optimizer, learning_rate: f64, steps: usize) -> Vec<f32> {
        let device = Device::flex();
        let mut weights = Tensor::<2>::from_data(start(), &device);
        let mut state = None;
        for step in 1..=steps {
            let gradient = Tensor::from_data(gradients(step), &device);
            (weights, state) = optimiser.step(learning_rate, weights, gradient, state);
        }
        weights.try_into_vec_as().unwrap()
    }

    #[test]
    fn one_pass_or_many_is_the_same() {
        for device in every_device() {
            let parameter = || Parameter {
                weights: Tensor::<2>::from_data(start(), &device),
                mean: Tensor::from_data(gradients(1), &device),
                square: Tensor::from_data(gradients(2), &device).abs(),
            };
            let gradient = Tensor::<2>::from_data(gradients(3), &device);
            for by in [
                Update { decay: 0.1, rate: 0.01, root: 1.3, floor: 1e-3 },
                Update { decay: 0.0, rate: 0.01, root: 0.0, floor: 1.0 },
            ] {
                let one = step(parameter(), gradient.clone(), by);
                let many = step_by_tensors(parameter(), gradient.clone(), by);
                assert_close(one.weights, many.weights);
                assert_close(one.mean, many.mean);
                assert_close(one.square, many.square);
            }
        }
    }

    fn assert_close(one: Tensor<2>, many: Tensor<2>) {
        let [one, many]: [Vec<f32>; 2] = [one, many].map(|t| t.try_into_vec_as().unwrap());
        for (a, b) in one.iter().zip(&many) {
            assert!((a - b).abs() <= 1e-6 * (1e-3 + b.abs()), "{one:?} against {many:?}");
        }
    }

    #[test]
    fn untouched_runs_are_skipped_without_a_difference() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut values = |zero: std::ops::Range<usize>| -> Vec<f32> {
            let value = |i| if zero.contains(&i) { 0.0 } else { rng.random_range(-1.0..1.0) };
            (0..5 * RUN + 40).map(value).collect()
        };
        let (weights, gradient) = (values(0..0), values(RUN..4 * RUN));
        // A run with a mean, one with a square, and one with neither.
        let means = values(2 * RUN..4 * RUN);
        let squares: Vec<f32> = values(RUN..2 * RUN).iter().map(|x| x * x).collect();
        let squares: Vec<f32> = [&squares[..3 * RUN], &[0.0; RUN], &squares[4 * RUN..]].concat();
        for decay in [0.0, 0.01] {
            let by = Update { decay, rate: 0.1, root: 1.5, floor: 1e-8 };
            let mut skipping = [weights.clone(), means.clone(), squares.clone()];
            let mut plain = skipping.clone();
            let [w, m, s] = &mut skipping;
            update(w, m, s, &gradient, by);
            let [w, m, s] = &mut plain;
            update_run(w, m, s, &gradient, by);
            assert_eq!(skipping, plain);
            assert_eq!(skipping[0][3 * RUN..4 * RUN] == weights[3 * RUN..4 * RUN], decay == 0.0);
        }
    }

    #[test]
    fn unshared_tensors_are_changed_where_they_lie() {
        let device = Device::flex();
        let weights = on_host::<1>(Tensor::from_data([1.0, 2.0], &device));
        let place = weights.storage::<f32>().as_ptr();
        let gradient = Tensor::<1>::from_data([1.0, 1.0], &device);
        let by = Update { decay: 0.0, rate: 0.1, root: 1.0, floor: 1e-8 };
        let weights = Tensor::from_primitive::<Flex>(weights);
        let (weights, _) = Moments::new(&gradient).step(weights, gradient, by);
        assert_eq!(on_host::<1>(weights).storage::<f32>().as_ptr(), place);
    }

    /// Ranger's slow weights share memory with the fast ones at first.
    #[test]
    fn shared_tensors_are_left_alone() {
        for device in every_device() {
            let weights = Tensor::<1>::from_data([1.0, 2.0], &device);
            let gradient = Tensor::<1>::from_data([1.0, 1.0], &device);
            let by = Update { decay: 0.0, rate: 0.1, root: 1.0, floor: 1e-8 };
            let (moved, _) = Moments::new(&gradient).step(weights.clone(), gradient, by);
            assert_eq!(weights.try_into_vec_as::<f32>().unwrap(), [1.0, 2.0]);
            assert_ne!(moved.try_into_vec_as::<f32>().unwrap(), [1.0, 2.0]);
        }
    }
}
