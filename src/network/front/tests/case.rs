//! A batch and parameters to try the front of the network on, and the same layers from
//! stock operations.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::{Rng, SeedableRng, seq::index};
use rand_chacha::ChaCha8Rng;

use super::super::{
    ActiveFeatures, Between, Front, IndexForm, IndexRows, Inverse, PADDING, RowPrecision, front,
};
use crate::buckets::PositionBuckets;
use crate::by_bucket::{Dense, stock};
use crate::testing::laws::{self, tensor};
use nnue::Activation;

/// Inputs and parameters of the layers.
pub(super) struct Case {
    pub features: usize,
    pub l1: usize,
    pub positions: usize,
    pub width: usize,
    pub outputs: usize,
    pub between: Between,
    pub precision: RowPrecision,
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
    /// Copies of the dense layer.
    pub copies: usize,
    pub dense: Vec<f32>,
    pub dense_bias: Vec<f32>,
    /// The bucket of each position.
    pub of_each: Vec<i32>,
    pub indices: Vec<i32>,
    /// Of a valued set; anything beside padding.
    pub values: Option<Vec<f32>>,
    /// Weighs the outputs, so that every output has a gradient of its own.
    readout: Vec<f32>,
}

/// Output and gradients of weights, bias and dense layer.
pub(super) type Results = [Vec<f32>; 5];

impl Case {
    pub(super) fn new(
        [features, l1, positions, width, outputs]: [usize; 5],
        activation: Activation,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((features * l1 + positions) as u64);
        let (weights, bias) = (uniform(&mut rng, features * l1), uniform(&mut rng, l1));
        let mut indices = vec![PADDING; 2 * positions * width];
        for row in indices.chunks_mut(width) {
            let active = rng.random_range(0..=width.min(features));
            for (slot, feature) in row.iter_mut().zip(index::sample(&mut rng, features, active)) {
                *slot = feature as i32;
            }
        }
        let case = Self {
            features,
            l1,
            positions,
            width,
            outputs,
            between: activation.into(),
            precision: RowPrecision::F32,
            weights,
            bias,
            copies: 0,
            dense: Vec::new(),
            dense_bias: Vec::new(),
            of_each: Vec::new(),
            indices,
            values: None,
            readout: uniform(&mut rng, positions * outputs),
        };
        case.in_buckets(1, &[0])
    }

    /// The same with `copies` copies of the dense layer, and positions of the buckets `used`.
    pub(super) fn in_buckets(self, copies: usize, used: &[i32]) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((self.l1 + copies) as u64);
        let of_each = (0..self.positions).map(|_| used[rng.random_range(0..used.len())]).collect();
        let dense = uniform(&mut rng, copies * self.inputs() * self.outputs);
        let dense_bias = uniform(&mut rng, copies * self.outputs);
        Self { copies, dense, dense_bias, of_each, ..self }
    }

    /// The same with values of both signs, some of them 0.
    pub(super) fn valued(self) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(self.positions as u64);
        let mut value = || if rng.random_bool(0.1) { 0.0 } else { rng.random_range(-1.5..1.5) };
        let values = (0..self.indices.len()).map(|_| value()).collect();
        Self { values: Some(values), ..self }
    }

    /// The same with that penalty on every activation.
    pub(super) fn penalised(self, penalty: f32) -> Self {
        Self { between: Between { penalty, ..self.between }, ..self }
    }

    /// The same with rows that are read in a precision.
    pub(super) fn in_precision(self, precision: RowPrecision) -> Self {
        Self { precision, ..self }
    }

    /// The same with weights rounded beforehand.
    pub(super) fn rounded(self, precision: RowPrecision) -> Self {
        let weights = self.weights.iter().map(|&weight| precision.of(weight)).collect();
        Self { weights, ..self }
    }

    /// Of the dense layer.
    fn inputs(&self) -> usize {
        2 * self.between.activation.outputs(self.l1)
    }

    pub(super) fn indices(&self, device: &Device) -> Tensor<2, Int> {
        let indices = TensorData::new(self.indices.clone(), [2 * self.positions, self.width]);
        Tensor::from_data(indices, device)
    }

    pub(super) fn values(&self, device: &Device) -> Option<Tensor<2>> {
        Some(tensor(self.values.as_ref()?, [2 * self.positions, self.width], device))
    }

    /// The lists in a form.
    pub(super) fn active(&self, form: IndexForm, device: &Device) -> ActiveFeatures {
        let width = self.width.next_multiple_of(form.of_word());
        let (rows, words) = (2 * self.positions, width / form.of_word());
        let mut indices = vec![PADDING; rows * words];
        for (row, list) in indices.chunks_mut(words).zip(self.indices.chunks(self.width)) {
            let list = list.iter().take_while(|&&feature| feature != PADDING);
            form.write(row, list.map(|&feature| feature as u32));
        }
        let values = self.values.as_ref().map(|values| {
            let mut filled = vec![0.0; rows * width];
            for (row, list) in filled.chunks_mut(width).zip(values.chunks(self.width)) {
                row[..self.width].copy_from_slice(list);
            }
            tensor(&filled, [rows, width], device)
        });
        let indices = Tensor::from_data(TensorData::new(indices, [rows, words]), device);
        ActiveFeatures::in_form(form, indices, values)
    }

    pub(super) fn inverse(&self) -> Inverse {
        let lists = IndexRows { words: &self.indices, width: self.width, form: IndexForm::Word };
        Inverse::new(lists, self.values.as_deref(), self.features)
    }

    pub(super) fn buckets(&self, device: &Device) -> PositionBuckets {
        PositionBuckets::listed(self.of_each.clone(), device)
    }

    /// Output and gradients of layers with an output and, possibly, a penalty.
    pub(super) fn run(
        &self,
        device: Device,
        layers: impl Fn(&Self, Front) -> (Tensor<2>, Option<Tensor<1>>),
    ) -> Results {
        let (copies, outputs, device) = (self.copies, self.outputs, device.autodiff());
        let weights = tensor(&self.weights, [self.features, self.l1], &device).require_grad();
        let bias = tensor(&self.bias, [self.l1], &device).require_grad();
        let dense = tensor(&self.dense, [copies, self.inputs(), outputs], &device).require_grad();
        let dense_bias = tensor(&self.dense_bias, [copies, outputs], &device).require_grad();
        let (output, cost) = layers(
            self,
            Front {
                weights: weights.clone(),
                bias: bias.clone(),
                dense: Dense { weights: dense.clone(), bias: dense_bias.clone() },
                between: self.between,
                precision: self.precision,
            },
        );
        let readout = tensor(&self.readout, [self.positions, outputs], &device);
        let loss = (output.clone() * readout).sum();
        let gradients = cost.map_or(loss.clone(), |cost| loss + cost).backward();
        [
            output.try_into_vec_as().unwrap(),
            weights.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            bias.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            dense.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
            dense_bias.grad(&gradients).unwrap().try_into_vec_as().unwrap(),
        ]
    }

    fn stock_sums(&self, weights: Tensor<2>, bias: Tensor<1>) -> Tensor<2> {
        let (device, rows) = (weights.device(), 2 * self.positions);
        let padded = Tensor::cat(vec![weights, Tensor::zeros([1, self.l1], &device)], 0);
        let place = |&index: &i32| if index == PADDING { self.features as i32 } else { index };
        let flat: Vec<i32> = self.indices.iter().map(place).collect();
        let count = flat.len();
        let flat = Tensor::<1, Int>::from_data(TensorData::new(flat, [count]), &device);
        let values = self.values.clone().unwrap_or_else(|| vec![1.0; count]);
        let sums = (padded.select(0, flat) * tensor(&values, [count, 1], &device))
            .reshape([rows, self.width, self.l1])
            .sum_dim(1)
            .reshape([rows, self.l1]);
        sums + bias.reshape([1, self.l1])
    }
}

impl laws::Case<5> for Case {
    const RESULTS: [&str; 5] =
        ["output", "weights", "bias", "weights of the dense layer", "bias of the dense layer"];

    fn custom(&self, device: Device) -> Results {
        self.run(device, |case, layers| {
            let device = layers.weights.device();
            let active = ActiveFeatures::new(case.indices(&device), case.values(&device));
            let active = active.with_inverse(case.inverse());
            (front(layers, active, case.buckets(&device)), None)
        })
    }

    /// From `select`, with a row of zeros for the padding. The penalty is part of the loss here.
    fn stock(&self) -> Results {
        self.run(Device::flex(), |case, Front { weights, bias, dense, between, .. }| {
            let sums = case.stock_sums(weights, bias);
            let activations = match between.activation {
                Activation::ClippedRelu => sums.clamp(0.0, 1.0),
                Activation::SquaredClippedRelu => sums.clamp(0.0, 1.0).square(),
                Activation::Pairwise => {
                    let [first, second]: [Tensor<2>; 2] =
                        sums.clamp(0.0, 1.0).chunk(2, 1).try_into().unwrap();
                    first * second
                }
                Activation::Identity => sums,
                Activation::Dual => unreachable!("not after the feature transformer"),
            };
            let x = activations.reshape([case.positions, case.inputs()]);
            let cost = x.clone().sum() * between.penalty;
            (stock::by_bucket(x, dense, &case.of_each), Some(cost))
        })
    }
}

fn uniform(rng: &mut ChaCha8Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| rng.random_range(-0.5..0.5)).collect()
}
