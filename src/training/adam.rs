//! Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, 2015) in
//! one pass over memory.
//!
//! Burn's own Adam is a dozen tensor operations, each with a fresh array; on a
//! king-bucket set of 25 million weights that is ten times slower than reading
//! weight, gradient and the two moments once and writing them back in place.
//! Here the processor's tensors take that one pass; any other backend gets the
//! same arithmetic in tensor operations.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::optim::{LearningRate, Optimizer, RecordState, StateSink, StateSource};
use burn::tensor::{Device, Tensor};
use multiversion::multiversion;
use rayon::prelude::*;

/// Decay of the mean of the gradient.
const BETA_1: f64 = 0.9;
/// Decay of the mean of its square.
const BETA_2: f64 = 0.999;
/// Keeps the division finite.
const EPSILON: f64 = 1e-8;

/// Values that one parallel task updates.
const TASK_VALUES: usize = 1 << 15;

/// The optimiser; its state is kept by Burn, one [`Moments`] per parameter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adam;

/// What Adam remembers of one parameter.
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

impl Optimizer for Adam {
    type State<const D: usize> = Moments<D>;

    fn step<const D: usize>(
        &self,
        learning_rate: LearningRate,
        weights: Tensor<D>,
        gradient: Tensor<D>,
        moments: Option<Moments<D>>,
    ) -> (Tensor<D>, Option<Moments<D>>) {
        let Moments { steps, mean, square } = moments.unwrap_or_else(|| Moments {
            steps: 0,
            mean: gradient.zeros_like(),
            square: gradient.zeros_like(),
        });
        let steps = steps + 1;
        let scale = Scale::new(learning_rate, steps);
        let parameter = Parameter { weights, mean, square };
        let Parameter { weights, mean, square } =
            match gradient.clone().try_into_primitive::<Flex>() {
                Ok(gradient) => step_in_place(parameter, &gradient, scale),
                Err(_elsewhere) => step_by_tensors(parameter, gradient, scale),
            };
        (weights, Some(Moments { steps, mean, square }))
    }

    fn to_device<const D: usize>(moments: Moments<D>, device: &Device) -> Moments<D> {
        Moments {
            steps: moments.steps,
            mean: moments.mean.to_device(device),
            square: moments.square.to_device(device),
        }
    }
}

/// What a step changes.
struct Parameter<const D: usize> {
    weights: Tensor<D>,
    mean: Tensor<D>,
    square: Tensor<D>,
}

/// Learning rate and root of the mean square, both corrected for the moments
/// having started at zero.
#[derive(Clone, Copy)]
struct Scale {
    rate: f32,
    root: f32,
}

impl Scale {
    fn new(learning_rate: f64, steps: u64) -> Self {
        let unseen = |beta: f64| beta.powf(steps as f64);
        Self {
            rate: (learning_rate / (1.0 - unseen(BETA_1))) as f32,
            root: (1.0 / (1.0 - unseen(BETA_2)).sqrt()) as f32,
        }
    }
}

fn step_by_tensors<const D: usize>(
    parameter: Parameter<D>,
    gradient: Tensor<D>,
    scale: Scale,
) -> Parameter<D> {
    let mean = parameter.mean * BETA_1 + gradient.clone() * (1.0 - BETA_1);
    let square = parameter.square * BETA_2 + gradient.square() * (1.0 - BETA_2);
    let root = square.clone().sqrt() * scale.root + EPSILON;
    let weights = parameter.weights - mean.clone() * scale.rate / root;
    Parameter { weights, mean, square }
}

/// Takes the tensors out of Burn, so that they are the only owners of their
/// memory and it is changed where it lies.
fn step_in_place<const D: usize>(
    parameter: Parameter<D>,
    gradient: &FlexTensor,
    scale: Scale,
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
            update(weights, mean, square, gradient, scale);
        });
    Parameter {
        weights: Tensor::from_primitive::<Flex>(weights),
        mean: Tensor::from_primitive::<Flex>(mean),
        square: Tensor::from_primitive::<Flex>(square),
    }
}

/// # Panics
/// If weights and moments are not where the gradient is; Burn moves them there
/// before every step.
fn flex<const D: usize>(tensor: Tensor<D>) -> FlexTensor {
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
    scale: Scale,
) {
    let (beta_1, beta_2, epsilon) = (BETA_1 as f32, BETA_2 as f32, EPSILON as f32);
    let values = weights.iter_mut().zip(means).zip(squares).zip(gradient);
    for (((weight, mean), square), &gradient) in values {
        *mean = beta_1 * *mean + (1.0 - beta_1) * gradient;
        *square = beta_2 * *square + (1.0 - beta_2) * gradient * gradient;
        *weight -= scale.rate * *mean / (square.sqrt() * scale.root + epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::optim::AdamConfig;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Twenty steps with changing gradients, some of them zero.
    fn train(mut step: impl FnMut(usize, Tensor<2>, Tensor<2>) -> Tensor<2>) -> Vec<f32> {
        let device = Device::flex();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut weights = Tensor::<2>::from_data([[0.5, -1.0, 0.0], [2.0, 1e-3, 0.1]], &device);
        for i in 0..20 {
            let gradient = [0.0; 3].map(|_: f32| rng.random_range(-1e-3..1e-3));
            weights = step(i, weights, Tensor::from_data([gradient, [0.0, 1.0, -1e-6]], &device));
        }
        weights.try_into_vec_as().unwrap()
    }

    #[test]
    fn in_one_pass_or_many_it_is_burns_adam() {
        let stock = AdamConfig::new().with_epsilon(EPSILON as f32).build();
        let mut state = None;
        let expected = train(|_, weights, gradient| {
            let (weights, next) = stock.step(1e-2, weights, gradient, state.take());
            state = next;
            weights
        });
        let mut state = None;
        let one_pass = train(|_, weights, gradient| {
            let (weights, next) = Adam.step(1e-2, weights, gradient, state.take());
            state = next;
            weights
        });
        let device = Device::flex();
        let zeros = || Tensor::<2>::zeros([2, 3], &device);
        let (mut mean, mut square) = (zeros(), zeros());
        let by_tensors = train(|i, weights, gradient| {
            let parameter = Parameter { weights, mean: mean.clone(), square: square.clone() };
            let next = step_by_tensors(parameter, gradient, Scale::new(1e-2, i as u64 + 1));
            (mean, square) = (next.mean, next.square);
            next.weights
        });
        for ours in [one_pass, by_tensors] {
            for (a, b) in ours.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{ours:?} against {expected:?}");
            }
        }
    }

    #[test]
    fn unshared_tensors_are_changed_where_they_lie() {
        let device = Device::flex();
        let weights = flex(Tensor::<1>::from_data([1.0, 2.0], &device));
        let place = weights.storage::<f32>().as_ptr();
        let gradient = Tensor::<1>::from_data([1.0, 1.0], &device);
        let (weights, _) = Adam.step(0.1, Tensor::from_primitive::<Flex>(weights), gradient, None);
        assert_eq!(flex(weights).storage::<f32>().as_ptr(), place);
    }
}
