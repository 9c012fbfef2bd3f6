//! The [laws](crate::testing::laws) of the custom operation, and its own.

use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Dense, by_bucket, stock};
use crate::buckets::PositionBuckets;
use crate::testing::laws::{self, Case as _, assert_close, tensor};
use crate::testing::{amid_others, bits, every_device};

struct Case {
    positions: usize,
    inputs: usize,
    outputs: usize,
    copies: usize,
    /// The bucket of each position.
    of_each: Vec<i32>,
    x: Vec<f32>,
    weights: Vec<f32>,
    bias: Vec<f32>,
    /// Weighs the outputs, so that every output has a gradient of its own.
    readout: Vec<f32>,
}

/// Output and gradients of `x`, weights and bias.
type Results = [Vec<f32>; 4];

impl Case {
    /// With positions of the buckets that are `used`.
    fn new([positions, inputs, outputs]: [usize; 3], copies: usize, used: &[i32]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((positions * inputs + outputs) as u64);
        let of_each = (0..positions).map(|_| used[rng.random_range(0..used.len())]).collect();
        let mut uniform =
            |n: usize| -> Vec<f32> { (0..n).map(|_| rng.random_range(-0.5..0.5)).collect() };
        Self {
            positions,
            inputs,
            outputs,
            copies,
            of_each,
            x: uniform(positions * inputs),
            weights: uniform(copies * inputs * outputs),
            bias: uniform(copies * outputs),
            readout: uniform(positions * outputs),
        }
    }

    fn buckets(&self, device: &Device) -> PositionBuckets {
        PositionBuckets::listed(self.of_each.clone(), device)
    }

    fn run(&self, device: Device, layer: impl Fn(&Self, Tensor<2>, Dense) -> Tensor<2>) -> Results {
        let Self { positions, inputs, outputs, copies, .. } = *self;
        let device = device.autodiff();
        let x = tensor(&self.x, [positions, inputs], &device).require_grad();
        let weights = tensor(&self.weights, [copies, inputs, outputs], &device).require_grad();
        let bias = tensor(&self.bias, [copies, outputs], &device).require_grad();
        let readout = tensor(&self.readout, [positions, outputs], &device);
        let dense = Dense { weights: weights.clone(), bias: bias.clone() };
        let output = layer(self, x.clone(), dense);
        let gradients = (output.clone() * readout).sum().backward();
        [
            output.try_into_vec_as().unwrap(),
            x.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            weights.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            bias.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
        ]
    }
}

impl laws::Case<4> for Case {
    const RESULTS: [&str; 4] = ["output", "x", "weights", "bias"];

    fn custom(&self, device: Device) -> Results {
        self.run(device, |case, x, dense| {
            let buckets = case.buckets(&x.device());
            by_bucket(x, dense, buckets)
        })
    }

    fn stock(&self) -> Results {
        self.run(Device::flex(), |case, x, dense| stock::by_bucket(x, dense, &case.of_each))
    }
}

/// Tiles of all widths, slices full and not, one bucket, several, and empty ones between
/// them and at the ends.
fn cases() -> impl Iterator<Item = Case> {
    [
        ([700, 64, 16], 1, &[0][..]),
        ([256, 32, 32], 3, &[0, 1, 2]),
        ([1, 16, 5], 3, &[2]),
        ([900, 24, 1], 3, &[1]),
        ([513, 3, 33], 8, &[1, 4, 6]),
        ([2100, 128, 8], 8, &[0, 1, 2, 3, 4, 5, 6, 7]),
    ]
    .into_iter()
    .map(|(sizes, copies, used)| Case::new(sizes, copies, used))
}

/// Within 10⁻⁵ of the largest entry.
fn tolerance(_entry: f32, largest: f32) -> f32 {
    1e-5 * largest
}

#[test]
fn equals_stock_operations_and_their_gradients() {
    laws::equals_stock_operations(cases(), tolerance);
}

#[test]
fn buckets_without_a_position_are_not_moved() {
    let case = Case::new([300, 24, 6], 8, &[1, 4, 6]);
    for device in every_device() {
        let [.., weights, bias] = case.custom(device.clone());
        for (bucket, (weights, bias)) in weights.chunks(24 * 6).zip(bias.chunks(6)).enumerate() {
            let is_used = case.of_each.contains(&(bucket as i32));
            let is_moved = weights.iter().chain(bias).any(|&gradient| gradient != 0.0);
            assert_eq!(is_moved, is_used, "bucket {bucket} on {device:?}");
        }
    }
}

#[test]
fn a_list_of_the_only_bucket_changes_nothing() {
    let case = Case::new([700, 64, 16], 1, &[0]);
    for device in every_device() {
        let listed = bits(case.custom(device.clone()));
        let without = |_: &Case, x, dense| by_bucket(x, dense, PositionBuckets::one());
        assert!(bits(case.run(device.clone(), without)) == listed, "{device:?}");
    }
}

#[test]
fn every_device_repeats_itself_to_the_bit() {
    laws::repeats_to_the_bit(&Case::new([3000, 48, 16], 8, &[0, 1, 2, 5, 7]));
}

#[test]
fn threads_do_not_change_a_bit() {
    laws::threads_do_not_change_a_bit(cases());
}

/// Parts of larger tensors, in either direction, and a list and an output that run
/// backwards.
#[test]
fn views_are_read_as_they_are_seen() {
    let case = Case::new([300, 24, 6], 3, &[0, 2]);
    for (device, dim) in
        every_device().into_iter().flat_map(|device| [(device.clone(), 0), (device, 1)])
    {
        let of_views = case.run(device.clone(), |case, x, dense| {
            let backwards = case.of_each.iter().rev().copied().collect();
            let of_each = TensorData::new::<i32, _>(backwards, [case.positions]);
            let of_each = Tensor::from_data(of_each, &x.device()).flip([0]);
            let Dense { weights, bias } = dense;
            let (weights, bias) = (amid_others(weights, dim + 1), amid_others(bias, dim));
            let x = amid_others(x, dim).flip([0]).flip([0]);
            by_bucket(x, Dense { weights, bias }, PositionBuckets::new(of_each))
        });
        let custom = case.custom(device.clone());
        assert_close::<Case, 4>(&of_views, &custom, tolerance, &device);
    }
}

/// A net that has blown up must show it, and only where it has.
#[test]
fn no_number_stays_none() {
    let nowhere = Case::new([300, 24, 6], 3, &[0, 1, 2]);
    for device in every_device() {
        let mut case = Case::new([300, 24, 6], 3, &[0, 1, 2]);
        case.x[17 * 24 + 5] = f32::NAN;
        case.bias[2 * 6..].fill(f32::NAN);
        let [output, ..] = case.custom(device.clone());
        for (position, output) in output.chunks(6).enumerate() {
            let is_none = position == 17 || nowhere.of_each[position] == 2;
            let what = format!("position {position} on {device:?}");
            assert!(output.iter().all(|value| value.is_nan() == is_none), "{what}");
        }
    }
}

/// A layer of 3 copies, 4 inputs and 2 outputs, and a batch of 5 positions.
fn run_with(inputs: usize, biases: usize, buckets: PositionBuckets) {
    let device = Device::flex();
    let dense = Dense {
        weights: Tensor::zeros([3, 4, 2], &device),
        bias: Tensor::zeros([3, biases], &device),
    };
    by_bucket(Tensor::zeros([5, inputs], &device), dense, buckets);
}

fn listed(of_each: Vec<i32>) -> PositionBuckets {
    PositionBuckets::listed(of_each, &Device::flex())
}

#[test]
#[should_panic(expected = "inputs of the dense layer")]
fn inputs_of_another_width_are_refused() {
    run_with(5, 2, listed(vec![0; 5]));
}

#[test]
#[should_panic(expected = "biases of the dense layer")]
fn biases_of_another_layer_are_refused() {
    run_with(4, 3, listed(vec![0; 5]));
}

#[test]
#[should_panic(expected = "a bucket per position")]
fn a_list_of_another_batch_is_refused() {
    run_with(4, 2, listed(vec![0; 4]));
}

#[test]
#[should_panic(expected = "several copies of a layer, and a bucket for none")]
fn several_copies_want_a_list() {
    run_with(4, 2, PositionBuckets::one());
}

#[test]
#[should_panic(expected = "bucket 3 of 3")]
fn a_bucket_that_is_not_there_is_refused() {
    run_with(4, 2, listed(vec![0, 1, 2, 3, 0]));
}
