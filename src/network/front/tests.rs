//! The custom operation on every device that is compiled in, against stock
//! Burn operations and automatic differentiation on the processor, and against
//! itself with other thread counts.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::{Rng, SeedableRng, seq::index};
use rand_chacha::ChaCha8Rng;

use super::{ActiveFeatures, Inverse, PADDING, front};
use crate::testing::every_device;
use nnue::Activation;

struct Case {
    features: usize,
    l1: usize,
    rows: usize,
    width: usize,
    outputs: usize,
    activation: Activation,
    weights: Vec<f32>,
    bias: Vec<f32>,
    dense: Vec<f32>,
    indices: Vec<i32>,
    /// Of a valued set; anything beside padding.
    values: Option<Vec<f32>>,
    /// Weighs the outputs, so that every output has a gradient of its own.
    readout: Vec<f32>,
}

/// Output and gradients of weights, bias and dense layer.
type Results = [Vec<f32>; 4];

impl Case {
    fn new([features, l1, rows, width, outputs]: [usize; 5], activation: Activation) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((features * l1 + rows) as u64);
        let mut uniform =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-0.5..0.5)).collect() };
        let (weights, bias) = (uniform(features * l1), uniform(l1));
        let (dense, readout) = (uniform(2 * l1 * outputs), uniform(rows / 2 * outputs));
        let mut indices = vec![PADDING; rows * width];
        for row in indices.chunks_mut(width) {
            let active = rng.random_range(0..=width.min(features));
            for (slot, feature) in row.iter_mut().zip(index::sample(&mut rng, features, active)) {
                *slot = feature as i32;
            }
        }
        let values = None;
        Self {
            features,
            l1,
            rows,
            width,
            outputs,
            activation,
            weights,
            bias,
            dense,
            indices,
            values,
            readout,
        }
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

    fn inverse(&self) -> Inverse {
        Inverse::new(&self.indices, self.values.as_deref(), self.width, self.features)
    }

    fn run(
        &self,
        device: Device,
        layers: impl Fn(&Self, Tensor<2>, Tensor<1>, Tensor<2>) -> Tensor<2>,
    ) -> Results {
        let device = device.autodiff();
        let matrix = |values: &Vec<f32>, shape: [usize; 2]| {
            Tensor::<2>::from_data(TensorData::new(values.clone(), shape), &device)
        };
        let weights = matrix(&self.weights, [self.features, self.l1]).require_grad();
        let bias = TensorData::new(self.bias.clone(), [self.l1]);
        let bias = Tensor::<1>::from_data(bias, &device).require_grad();
        let dense = matrix(&self.dense, [2 * self.l1, self.outputs]).require_grad();
        let readout = matrix(&self.readout, [self.rows / 2, self.outputs]);
        let output = layers(self, weights.clone(), bias.clone(), dense.clone());
        let gradients = (output.clone() * readout).sum().backward();
        [
            output.try_into_vec_as().unwrap(),
            weights.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            bias.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            dense.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
        ]
    }

    fn custom(&self, device: Device) -> Results {
        self.run(device, |case, weights, bias, dense| {
            let device = weights.device();
            let active = ActiveFeatures::new(case.indices(&device), case.values(&device));
            front(weights, bias, dense, active.with_inverse(case.inverse()), case.activation)
        })
    }

    /// The same layers on the processor from `select`, with a row of zeros for
    /// the padding.
    fn stock(&self) -> Results {
        self.run(Device::flex(), |case, weights, bias, dense| {
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
            let sums = sums + bias.reshape([1, case.l1]);
            let activations = match case.activation {
                Activation::ClippedRelu => sums.clamp(0.0, 1.0),
                Activation::SquaredClippedRelu => sums.clamp(0.0, 1.0).square(),
                Activation::Identity => sums,
            };
            activations.reshape([case.rows / 2, 2 * case.l1]).matmul(dense)
        })
    }

    fn bits(&self, device: Device) -> [Vec<u32>; 4] {
        self.custom(device).map(|values| values.iter().map(|x| x.to_bits()).collect())
    }
}

/// Within 2·10⁻⁵ of the largest entry, or of the entry if that is larger.
fn assert_close(ours: &[f32], theirs: &[f32]) {
    assert_eq!(ours.len(), theirs.len());
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= 2e-5 * (1.0 + b.abs()), "value {i}: {a} against {b}");
    }
}

/// Within 10⁻⁵ of the largest entry.
fn assert_equal(ours: &[f32], theirs: &[f32], what: &str) {
    let largest = theirs.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let apart = ours.iter().zip(theirs).fold(0.0, |most: f32, (a, b)| most.max((a - b).abs()));
    assert_eq!(ours.len(), theirs.len(), "{what}");
    assert!(apart <= 1e-5 * largest, "{what}: {apart} apart, where the largest is {largest}");
}

/// Tiles of all widths, one chunk and several, a small set and a large one.
fn cases() -> impl Iterator<Item = Case> {
    [
        ([40, 64, 30, 9, 8], Activation::ClippedRelu),
        ([40, 8, 1300, 9, 1], Activation::SquaredClippedRelu),
        ([768, 128, 1100, 20, 16], Activation::ClippedRelu),
        ([5000, 72, 200, 6, 8], Activation::SquaredClippedRelu),
        ([40, 1, 1300, 9, 1], Activation::Identity),
        ([768, 256, 300, 20, 1], Activation::Identity),
    ]
    .into_iter()
    .flat_map(|(sizes, activation)| {
        let case = || Case::new(sizes, activation);
        [case(), case().valued()]
    })
}

#[test]
fn equals_stock_operations_and_their_gradients() {
    for case in cases() {
        let stock = case.stock();
        for device in every_device() {
            for (ours, theirs) in case.custom(device).iter().zip(&stock) {
                assert_close(ours, theirs);
            }
        }
    }
}

#[test]
fn every_device_computes_the_same() {
    for case in cases() {
        let on_cpu = case.custom(Device::flex());
        for device in every_device() {
            let name = format!("{device:?}");
            let what = ["output", "weights", "bias", "dense"];
            for ((ours, theirs), what) in case.custom(device).iter().zip(&on_cpu).zip(what) {
                assert_equal(ours, theirs, &format!("{what} on {name}"));
            }
        }
    }
}

#[test]
fn every_device_repeats_itself_to_the_bit() {
    for device in every_device() {
        let case = Case::new([300, 64, 6000, 20, 8], Activation::ClippedRelu).valued();
        let first = case.bits(device.clone());
        for _ in 0..3 {
            assert!(case.bits(device.clone()) == first, "{device:?}");
        }
    }
}

/// Multiplying by 1 is exact, and the order of the sums is the same.
#[test]
fn values_of_one_do_not_change_a_bit() {
    for device in every_device() {
        for sizes in [[40, 8, 1300, 9, 8], [768, 128, 1100, 20, 1]] {
            let binary = Case::new(sizes, Activation::ClippedRelu);
            let ones = Some(vec![1.0; binary.indices.len()]);
            let valued = Case { values: ones, ..Case::new(sizes, Activation::ClippedRelu) };
            let same = binary.bits(device.clone()) == valued.bits(device.clone());
            assert!(same, "{sizes:?} on {device:?}");
        }
    }
}

/// Flipping the positions of the input, which copies nothing, flips the
/// output's.
#[test]
fn views_are_read_as_they_are_seen() {
    let case = Case::new([40, 8, 30, 9, 8], Activation::ClippedRelu).valued();
    let mut mirrored = Case::new([40, 8, 30, 9, 8], Activation::ClippedRelu).valued();
    let position = 2 * case.width;
    mirrored.indices = case.indices.chunks(position).rev().flatten().copied().collect();
    mirrored.values =
        case.values.as_ref().map(|v| v.chunks(position).rev().flatten().copied().collect());
    for device in every_device() {
        let flipped = case.run(device.clone(), |case, weights, bias, dense| {
            let device = weights.device();
            let pairs = [case.rows / 2, 2, case.width];
            let rows = [case.rows, case.width];
            let indices = case.indices(&device).reshape(pairs).flip([0]).reshape(rows);
            let values = case.values(&device).map(|values| values.reshape(pairs).flip([0]));
            let active = ActiveFeatures::new(indices, values.map(|values| values.reshape(rows)));
            let active = active.with_inverse(mirrored.inverse());
            let dense = dense.transpose().transpose();
            front(weights, bias, dense, active, case.activation).flip([0])
        });
        for (flipped, straight) in flipped.iter().zip(&case.custom(device)) {
            assert_close(flipped, straight);
        }
    }
}

/// A net that has blown up must show it.
#[test]
fn no_number_stays_none() {
    let mut case = Case::new([40, 8, 30, 9, 8], Activation::ClippedRelu);
    case.bias[3] = f32::NAN;
    for device in every_device() {
        let name = format!("{device:?}");
        let [output, ..] = case.custom(device);
        assert!(output.iter().all(|x| x.is_nan()), "{name}");
    }
}

#[test]
#[should_panic(expected = "a value per index")]
fn values_of_another_shape_are_refused() {
    let device = Device::flex();
    let indices = Tensor::<2, Int>::zeros([4, 3], &device);
    ActiveFeatures::new(indices, Some(Tensor::zeros([3, 4], &device)));
}

#[cfg(feature = "wgpu")]
#[test]
#[should_panic(expected = "active features that have their inverse")]
fn a_graphics_card_wants_the_inverse() {
    let case = Case::new([40, 8, 30, 9, 8], Activation::ClippedRelu);
    let device = crate::Compute::Gpu.device().unwrap();
    case.run(device, |case, weights, bias, dense| {
        let active = ActiveFeatures::new(case.indices(&weights.device()), None);
        front(weights, bias, dense, active, case.activation)
    });
}

#[test]
fn threads_do_not_change_a_bit() {
    let cases = [
        Case::new([768, 64, 3000, 16, 16], Activation::ClippedRelu),
        Case::new([6000, 128, 20000, 4, 8], Activation::SquaredClippedRelu),
        Case::new([768, 64, 3000, 16, 1], Activation::ClippedRelu).valued(),
        Case::new([6000, 128, 20000, 4, 8], Activation::ClippedRelu).valued(),
    ];
    for case in cases {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.bits(Device::flex()))
        };
        let one = with(1);
        for threads in [2, 4, 7] {
            assert!(with(threads) == one, "{threads} threads");
        }
    }
}
