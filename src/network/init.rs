//! Starting weights.
//!
//! Every layer starts uniform in ±1/√fan-in, drawn from our own generator and
//! not from Burn's global one, so that a seed means the same net everywhere.
//!
//! The sparse layer's fan-in is the number of features *active* together, not
//! the size of the set, which says nothing about the size of the sum; and it
//! starts a tenth as wide. Rows of rare features are hardly ever corrected, so
//! their initial weights stay in the net as noise: after 4 million quiet
//! positions a net on ALL with L1 = 64 had a validation loss of 0.0050 with
//! the full width, 0.0039 with a tenth, 0.0040 with a thirtieth; on KING * ALL
//! 0.0079, 0.0054 and 0.0055.
//!
//! Biases of dense layers between the feature transformer and the output start a quarter
//! higher, so that no clipped neuron begins below zero in all positions, where it gets no
//! gradient and stays. Around zero, one to three of 16 neurons of `256 -> 16 -> 1` never fired
//! after 8 million positions (ALL, seeds 1 to 4, a validation loss of 0.001122 on average),
//! with a quarter none (0.001105); with a half the loss was 0.001113.
//!
//! All output buckets start alike, as in nnue-pytorch, so that a bucket of few
//! positions differs from its neighbours only by the gradients of those positions.

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Nnue;
use super::front::RowPrecision;
use super::model::{DenseLayer, Transformer};
use nnue::{Architecture, Hidden};

/// Width of the sparse layer's start relative to ±1/√active.
const SPARSE_WIDTH: f64 = 0.1;

/// Middle of the biases of dense layers that are clipped.
const CLIPPED_CENTRE: f32 = 0.25;

impl Nnue {
    /// A fresh network. `active` is the mean number of features active per
    /// perspective, at least 1.
    pub fn init(architecture: &Architecture, active: f64, seed: u64, device: &Device) -> Self {
        let Architecture { features, layers } = architecture;
        let (width, buckets) = (layers.width(), layers.buckets().count());
        let mut sparse = Uniform::new(seed, 0, active, SPARSE_WIDTH);
        let transformer = (width > 0).then(|| Transformer {
            weights: parameter(sparse.draw(features * width), [*features, width], device),
            bias: parameter(sparse.draw(width), [width], device),
        });
        let shapes = layers.dense();
        let dense = shapes.iter().enumerate().map(|(place, shape)| {
            let mut values = Uniform::new(seed, place as u64 + 1, shape.inputs as f64, 1.0);
            let weights = values.draw(shape.inputs * shape.sums).repeat(buckets);
            let bias = match layers.hidden().get(place) {
                Some(hidden) => values.biases(*hidden),
                // The output starts at zero.
                None => vec![0.0],
            };
            DenseLayer {
                weights: parameter(weights, [buckets, shape.inputs, shape.sums], device),
                bias: parameter(bias.repeat(buckets), [buckets, shape.sums], device),
            }
        });
        Self {
            is_quantisation_aware: false,
            penalty: 0.0,
            row_precision: RowPrecision::default(),
            transformer,
            psqt: layers.has_psqt().then(|| {
                let values = sparse.head(*features, layers.is_linear());
                let of_all = values.into_iter().flat_map(|value| vec![value; buckets]).collect();
                parameter(of_all, [*features, buckets], device)
            }),
            dense: dense.collect(),
            layers: layers.clone(),
        }
    }
}

/// The draws of one layer. Each layer has a stream of its own, so that nets on
/// different feature sets start with the same upper layers.
struct Uniform {
    rng: ChaCha8Rng,
    bound: f32,
}

impl Uniform {
    fn new(seed: u64, layer: u64, fan_in: f64, width: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(layer);
        Self { rng, bound: (width / fan_in.max(1.0).sqrt()) as f32 }
    }

    fn draw(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.rng.random_range(-self.bound..=self.bound)).collect()
    }

    /// The biases of a hidden layer; a skip, which is not clipped, starts around zero.
    fn biases(&mut self, layer: Hidden) -> Vec<f32> {
        let mut biases = self.draw(layer.sums());
        biases[..layer.neurons].iter_mut().for_each(|bias| *bias += CLIPPED_CENTRE);
        biases
    }

    /// PSQT weights: random in a linear net, zero beside a feature transformer, so that they do not
    /// disturb its first steps.
    fn head(&mut self, features: usize, is_alone: bool) -> Vec<f32> {
        if is_alone { self.draw(features) } else { vec![0.0; features] }
    }
}

pub(super) fn parameter<const D: usize>(
    values: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Param<Tensor<D>> {
    Param::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OUTPUT_SCALE;

    fn weights(features: usize, active: f64, seed: u64) -> nnue::FloatWeights {
        of_buckets(features, active, seed, 1)
    }

    fn of_buckets(features: usize, active: f64, seed: u64, buckets: usize) -> nnue::FloatWeights {
        let layers = format!("32 -> 8 -> 1, buckets {buckets}").parse().unwrap();
        let architecture = Architecture { features, layers };
        Nnue::init(&architecture, active, seed, &Device::flex()).to_float_weights()
    }

    fn widest(values: &[f32]) -> f64 {
        values.iter().fold(0.0, |most, x| f64::from(x.abs()).max(most))
    }

    #[test]
    fn each_layer_fills_its_bounds() {
        let weights = weights(200, 25.0, 1);
        for (values, bound) in [
            (&weights.ft_weights, 0.1 / 5.0),
            (&weights.dense[0].weights, 1.0 / 8.0),
            (&weights.dense[1].weights, OUTPUT_SCALE / 8f64.sqrt()),
        ] {
            let widest = widest(values);
            assert!(widest <= bound * 1.000_001 && widest > 0.7 * bound, "{widest} of {bound}");
            let mean: f64 = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
            // Uniform in ±b has a standard deviation of b/√3; allow four of the mean.
            assert!(mean.abs() < 4.0 * bound / (3.0 * values.len() as f64).sqrt(), "{mean}");
        }
    }

    #[test]
    fn clipped_sums_begin_above_zero_and_the_output_at_it() {
        let weights = weights(200, 25.0, 1);
        let [clipped, output] = &weights.dense[..] else { panic!("two dense layers") };
        assert!(clipped.bias.iter().all(|bias| (0.125..=0.375).contains(bias)));
        assert!(output.bias.iter().all(|&bias| bias == 0.0));
    }

    #[test]
    fn feature_sets_share_the_start_of_the_upper_layers() {
        let (small, large) = (weights(96, 12.0, 3), weights(768, 25.0, 3));
        assert_eq!(small.dense, large.dense);
        assert_ne!(small.dense, weights(96, 12.0, 4).dense);
    }

    #[test]
    fn all_buckets_start_as_a_net_without_buckets() {
        let (one, three) = (weights(96, 12.0, 3), of_buckets(96, 12.0, 3, 3));
        assert_eq!(three.ft_weights, one.ft_weights);
        for (three, one) in three.dense.iter().zip(&one.dense) {
            assert_eq!(three.weights, one.weights.repeat(3));
            assert_eq!(three.bias, one.bias.repeat(3));
        }
    }
}
