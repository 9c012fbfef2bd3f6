//! The custom operation against stock Burn operations and automatic
//! differentiation, and against itself with other thread counts.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::{Rng, SeedableRng, seq::index};
use rand_chacha::ChaCha8Rng;

use super::{PADDING, feature_transformer};

struct Case {
    features: usize,
    l1: usize,
    rows: usize,
    width: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    indices: Vec<i32>,
    /// Weighs the outputs, so that every output has a gradient of its own.
    readout: Vec<f32>,
}

impl Case {
    fn new(features: usize, l1: usize, rows: usize, width: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((features * l1 + rows) as u64);
        let mut uniform =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-0.5..0.5)).collect() };
        let (weights, bias, readout) = (uniform(features * l1), uniform(l1), uniform(rows * l1));
        let mut indices = vec![PADDING; rows * width];
        for row in indices.chunks_mut(width) {
            let active = rng.random_range(0..=width.min(features));
            for (slot, feature) in row.iter_mut().zip(index::sample(&mut rng, features, active)) {
                *slot = feature as i32;
            }
        }
        Self { features, l1, rows, width, weights, bias, indices, readout }
    }

    fn leaves(&self, device: &Device) -> (Tensor<2>, Tensor<1>) {
        let weights = TensorData::new(self.weights.clone(), [self.features, self.l1]);
        let bias = TensorData::new(self.bias.clone(), [self.l1]);
        (
            Tensor::from_data(weights, device).require_grad(),
            Tensor::from_data(bias, device).require_grad(),
        )
    }

    /// Output and gradients of weights and bias.
    fn run(&self, layer: impl Fn(&Self, Tensor<2>, Tensor<1>) -> Tensor<2>) -> [Vec<f32>; 3] {
        let device = Device::flex().autodiff();
        let (weights, bias) = self.leaves(&device);
        let readout = TensorData::new(self.readout.clone(), [self.rows, self.l1]);
        let output = layer(self, weights.clone(), bias.clone());
        let loss = (output.clone() * Tensor::from_data(readout, &device)).sum();
        let gradients = loss.backward();
        [
            output.try_into_vec_as().unwrap(),
            weights.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            bias.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
        ]
    }

    fn custom(&self) -> [Vec<f32>; 3] {
        self.run(|case, weights, bias| {
            let indices = TensorData::new(case.indices.clone(), [case.rows, case.width]);
            let indices = Tensor::<2, Int>::from_data(indices, &weights.device());
            feature_transformer(weights, bias, indices)
        })
    }

    /// The same layer from `select`, with a row of zeros for the padding.
    fn stock(&self) -> [Vec<f32>; 3] {
        self.run(|case, weights, bias| {
            let device = weights.device();
            let padded = Tensor::cat(vec![weights, Tensor::zeros([1, case.l1], &device)], 0);
            let flat: Vec<i32> = case
                .indices
                .iter()
                .map(|&i| if i == PADDING { case.features as i32 } else { i })
                .collect();
            let count = flat.len();
            let flat = Tensor::<1, Int>::from_data(TensorData::new(flat, [count]), &device);
            let sums: Tensor<2> = padded
                .select(0, flat)
                .reshape([case.rows, case.width, case.l1])
                .sum_dim(1)
                .reshape([case.rows, case.l1]);
            (sums + bias.reshape([1, case.l1])).clamp(0.0, 1.0)
        })
    }
}

fn assert_close(ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len());
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= 2e-5 * (1.0 + b.abs()), "value {i}: {a} against {b}");
    }
}

#[test]
fn equals_stock_operations_and_their_gradients() {
    // Wide and narrow tiles, one chunk and several, a small set and a large one.
    for (features, l1, rows, width) in
        [(40, 64, 30, 9), (40, 8, 1300, 9), (768, 128, 1100, 20), (5000, 72, 200, 6)]
    {
        let case = Case::new(features, l1, rows, width);
        for (ours, theirs) in case.custom().iter().zip(&case.stock()) {
            assert_close(ours, theirs);
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for case in [Case::new(768, 64, 3000, 16), Case::new(6000, 128, 20000, 4)] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                case.custom().map(|values| values.iter().map(|x| x.to_bits()).collect())
            })
        };
        let one: [Vec<u32>; 3] = with(1);
        for threads in [2, 3, 7] {
            assert!(with(threads) == one, "{threads} threads");
        }
    }
}
