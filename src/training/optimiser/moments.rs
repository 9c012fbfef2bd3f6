//! What Adam and its kin remember of a parameter, and their step in one pass
//! over memory.
//!
//! Burn's own Adam is a dozen tensor operations, each with a fresh array; on a
//! king-bucket set of 25 million weights that is ten times slower than reading
//! weight, gradient and the two moments once and writing them back in place.
//! Here the processor's tensors take that one pass; any other backend gets the
//! same arithmetic in tensor operations.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::optim::{RecordState, StateSink, StateSource};
use burn::tensor::{Device, Tensor};
use multiversion::multiversion;
use rayon::prelude::*;

/// Decay of the mean of the gradient.
pub const BETA_1: f64 = 0.9;
/// Decay of the mean of its square.
pub const BETA_2: f64 = 0.999;
/// Keeps the division finite.
pub const EPSILON: f64 = 1e-8;

/// Tensors in [`Moments`].
pub const TENSORS: usize = 2;

/// Values that one parallel task updates.
pub const TASK_VALUES: usize = 1 << 15;

/// Weight of the gradients seen in the decaying mean of them after so many
/// steps; the rest is the zero it started from.
pub fn seen_1(steps: u64) -> f64 {
    1.0 - BETA_1.powf(steps as f64)
}

/// The same for the mean of their squares.
pub fn seen_2(steps: u64) -> f64 {
    1.0 - BETA_2.powf(steps as f64)
}

/// What Adam and its kin remember of one parameter.
#[derive(Clone, Debug)]
pub struct Moments<const D: usize> {
    /// Steps taken.
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
    /// Of a parameter with such gradients, before the first step.
    pub fn new(gradient: &Tensor<D>) -> Self {
        Self { steps: 0, mean: gradient.zeros_like(), square: gradient.zeros_like() }
    }

    /// Takes the gradient in and changes the weights; the processor's tensors
    /// are changed where they lie.
    pub fn step(
        self,
        weights: Tensor<D>,
        gradient: Tensor<D>,
        update: Update,
    ) -> (Tensor<D>, Self) {
        let parameter = Parameter { weights, mean: self.mean, square: self.square };
        let Parameter { weights, mean, square } =
            match gradient.clone().try_into_primitive::<Flex>() {
                Ok(gradient) => step_in_place(parameter, &gradient, update),
                Err(_elsewhere) => step_by_tensors(parameter, gradient, update),
            };
        (weights, Self { steps: self.steps + 1, mean, square })
    }

    /// Moves them.
    pub fn to_device(self, device: &Device) -> Self {
        Self {
            steps: self.steps,
            mean: self.mean.to_device(device),
            square: self.square.to_device(device),
        }
    }
}

/// One step: `weight −= decay·weight + rate·mean / (root·√square + floor)`.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Share of the weight that is lost.
    pub decay: f32,
    /// Factor of the mean gradient.
    pub rate: f32,
    /// Factor of the root of the mean square; with 0 here and 1 below, the
    /// step is that of plain momentum.
    pub root: f32,
    /// What is added to it.
    pub floor: f32,
}

/// What a step changes.
struct Parameter<const D: usize> {
    weights: Tensor<D>,
    mean: Tensor<D>,
    square: Tensor<D>,
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
    gradient: &FlexTensor,
    by: Update,
) -> Parameter<D> {
    let mut weights = flex(parameter.weights);
    let mut mean = flex(parameter.mean);
    let mut square = flex(parameter.square);
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
    Parameter {
        weights: Tensor::from_primitive::<Flex>(weights),
        mean: Tensor::from_primitive::<Flex>(mean),
        square: Tensor::from_primitive::<Flex>(square),
    }
}

/// The processor's own tensor.
///
/// # Panics
/// If weights and moments are not where the gradient is; Burn moves them there
/// before every step.
pub fn flex<const D: usize>(tensor: Tensor<D>) -> FlexTensor {
    let tensor = tensor.try_into_primitive::<Flex>();
    let tensor = tensor.expect("Burn keeps a parameter and its gradient on one device");
    if tensor.is_contiguous() { tensor } else { tensor.to_contiguous() }
}

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2"))]
fn update(
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

/// Also what the optimisers are tried on.
#[cfg(test)]
pub mod tests {
    use super::*;
    use burn::optim::Optimizer;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Some weights.
    pub fn start() -> [[f32; 3]; 2] {
        [[0.5, -1.0, 0.0], [2.0, 1e-3, 0.1]]
    }

    /// The gradient at a step: small, none, large, tiny.
    pub fn gradients(step: usize) -> [[f32; 3]; 2] {
        let mut rng = ChaCha8Rng::seed_from_u64(step as u64);
        [[0.0; 3].map(|_: f32| rng.random_range(-1e-3..1e-3)), [0.0, 1.0, -1e-6]]
    }

    /// Where an optimiser brings the weights in so many steps.
    pub fn descend(optimiser: impl Optimizer, learning_rate: f64, steps: usize) -> Vec<f32> {
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
        let device = Device::flex();
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
            let primitive = gradient.clone().try_into_primitive::<Flex>().unwrap();
            let one = step_in_place(parameter(), &primitive, by);
            let many = step_by_tensors(parameter(), gradient.clone(), by);
            let pairs =
                [(one.weights, many.weights), (one.mean, many.mean), (one.square, many.square)];
            for (one, many) in pairs {
                let [one, many]: [Vec<f32>; 2] = [one, many].map(|t| t.try_into_vec_as().unwrap());
                for (a, b) in one.iter().zip(&many) {
                    assert!((a - b).abs() <= 1e-6 * (1e-3 + b.abs()), "{one:?} against {many:?}");
                }
            }
        }
    }

    #[test]
    fn unshared_tensors_are_changed_where_they_lie() {
        let device = Device::flex();
        let weights = flex(Tensor::<1>::from_data([1.0, 2.0], &device));
        let place = weights.storage::<f32>().as_ptr();
        let gradient = Tensor::<1>::from_data([1.0, 1.0], &device);
        let by = Update { decay: 0.0, rate: 0.1, root: 1.0, floor: 1e-8 };
        let weights = Tensor::from_primitive::<Flex>(weights);
        let (weights, _) = Moments::new(&gradient).step(weights, gradient, by);
        assert_eq!(flex(weights).storage::<f32>().as_ptr(), place);
    }
}
