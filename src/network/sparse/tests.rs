//! The custom operation against stock Burn operations and automatic
//! differentiation, and against itself with other thread counts.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::{Rng, SeedableRng, seq::index};
use rand_chacha::ChaCha8Rng;

use super::{ActiveFeatures, PADDING, feature_transformer};

struct Case {
    features: usize,
    l1: usize,
    rows: usize,
    width: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
    indices: Vec<i32>,
    /// Of a valued set; anything beside padding.
    values: Option<Vec<f32>>,
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
        Self { features, l1, rows, width, weights, bias, indices, values: None, readout }
    }

    /// The same with values of both signs, some of them 0.
    fn valued(mut self) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(self.rows as u64);
        let mut value = || if rng.random_bool(0.1) { 0.0 } else { rng.random_range(-1.5..1.5) };
        self.values = Some((0..self.indices.len()).map(|_| value()).collect());
        self
    }

    fn indices(&self, device: &Device) -> Tensor<2, Int> {
        let indices = TensorData::new(self.indices.clone(), [self.rows, self.width]);
        Tensor::from_data(indices, device)
    }

    fn values(&self, device: &Device) -> Option<Tensor<2>> {
        let values = TensorData::new(self.values.clone()?, [self.rows, self.width]);
        Some(Tensor::from_data(values, device))
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
            let device = weights.device();
            let active = ActiveFeatures::new(case.indices(&device), case.values(&device));
            feature_transformer(weights, bias, active)
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
            let values = case.values.clone().unwrap_or_else(|| vec![1.0; count]);
            let values = Tensor::<1>::from_data(TensorData::new(values, [count]), &device);
            let sums: Tensor<2> = (padded.select(0, flat) * values.reshape([count, 1]))
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
        let case = || Case::new(features, l1, rows, width);
        for case in [case(), case().valued()] {
            for (ours, theirs) in case.custom().iter().zip(&case.stock()) {
                assert_close(ours, theirs);
            }
        }
    }
}

/// Multiplying by 1 is exact, and the order of the sums is the same.
#[test]
fn values_of_one_do_not_change_a_bit() {
    for (features, l1, rows, width) in [(40, 8, 1300, 9), (768, 128, 1100, 20)] {
        let binary = Case::new(features, l1, rows, width);
        let ones = Some(vec![1.0; rows * width]);
        let valued = Case { values: ones, ..Case::new(features, l1, rows, width) };
        let bits = |case: Case| -> [Vec<u32>; 3] {
            case.custom().map(|values| values.iter().map(|x| x.to_bits()).collect())
        };
        assert!(bits(binary) == bits(valued), "{features} features, L1 {l1}");
    }
}

/// Flipping the rows of the input, which copies nothing, flips the output's.
#[test]
fn views_are_read_as_they_are_seen() {
    let case = Case::new(40, 8, 30, 9).valued();
    let flipped = case.run(|case, weights, bias| {
        let device = weights.device();
        let indices = case.indices(&device).flip([0]);
        let values = case.values(&device).map(|values| values.flip([0]));
        feature_transformer(weights, bias, ActiveFeatures::new(indices, values)).flip([0])
    });
    for (flipped, straight) in flipped.iter().zip(&case.custom()) {
        assert_close(flipped, straight);
    }
}

#[test]
#[should_panic(expected = "a value per index")]
fn values_of_another_shape_are_refused() {
    let device = Device::flex();
    let indices = Tensor::<2, Int>::zeros([4, 3], &device);
    ActiveFeatures::new(indices, Some(Tensor::zeros([3, 4], &device)));
}

#[test]
fn threads_do_not_change_a_bit() {
    let cases = [
        Case::new(768, 64, 3000, 16),
        Case::new(6000, 128, 20000, 4),
        Case::new(768, 64, 3000, 16).valued(),
        Case::new(6000, 128, 20000, 4).valued(),
    ];
    for case in cases {
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
