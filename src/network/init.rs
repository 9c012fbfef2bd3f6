//! Starting weights.
//!
//! Every layer starts uniform in ±1/√fan-in, drawn from our own generator and
//! not from Burn's global one, so that a seed means the same net everywhere.
//!
//! The sparse layer's fan-in is the number of features *active* together, not
//! the size of the set, which says nothing about the size of the sum; and it
//! starts a tenth as wide. Rows of rare features are hardly ever corrected, so
//! what they start with stays in the net as noise: after 4 million quiet
//! positions a net on ALL with L1 = 64 had a validation loss of 0.0050 with
//! the full width, 0.0039 with a tenth, 0.0040 with a thirtieth; on KING * ALL
//! 0.0079, 0.0054 and 0.0055.
//!
//! All output buckets start alike, as in nnue-pytorch, so that a bucket of few
//! positions differs from its neighbours only by what those positions taught.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Nnue;
use nnue::{Architecture, Layers};

/// Width of the sparse layer's start relative to ±1/√active.
const SPARSE_WIDTH: f64 = 0.1;

impl Nnue {
    /// A fresh network. `active` is the mean number of features active per
    /// perspective, at least 1.
    pub fn init(architecture: Architecture, active: f64, seed: u64, device: &Device) -> Self {
        let Architecture { features, layers } = architecture;
        let (width, buckets) = (layers.width(), layers.buckets().count());
        let mut transformer = Uniform::new(seed, 0, active, SPARSE_WIDTH);
        let ft_weights = matrix(transformer.draw(features * width), [features, width], device);
        let mut ft_bias = || vector(transformer.draw(width), device);
        let mut dense = Uniform::new(seed, 1, 2.0 * width as f64, 1.0);
        match layers {
            Layers::Linear => Self {
                layers,
                is_rounding: false,
                ft_weights,
                ft_bias: None,
                dense: None,
                output: None,
            },
            Layers::One { .. } => Self {
                layers,
                is_rounding: false,
                ft_weights,
                ft_bias: Some(ft_bias()),
                dense: Some(Linear {
                    weight: repeated(dense.draw(2 * width), [2 * width, 1], buckets, device),
                    bias: Some(vector(vec![0.0; buckets], device)),
                }),
                output: None,
            },
            Layers::Two { l2, .. } => Self {
                layers,
                is_rounding: false,
                ft_weights,
                ft_bias: Some(ft_bias()),
                dense: Some(Linear {
                    weight: repeated(dense.draw(2 * width * l2), [2 * width, l2], buckets, device),
                    bias: Some(vector(dense.draw(l2).repeat(buckets), device)),
                }),
                output: Some(Linear {
                    weight: repeated(
                        Uniform::new(seed, 2, l2 as f64, 1.0).draw(l2),
                        [l2, 1],
                        buckets,
                        device,
                    ),
                    bias: Some(vector(vec![0.0; buckets], device)),
                }),
            },
        }
    }
}

/// The matrix of one bucket, once for each of them, side by side.
fn repeated(
    values: Vec<f32>,
    [rows, columns]: [usize; 2],
    buckets: usize,
    device: &Device,
) -> Param<Tensor<2>> {
    let rows_of_all = values.chunks_exact(columns).flat_map(|row| row.repeat(buckets)).collect();
    matrix(rows_of_all, [rows, columns * buckets], device)
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
}

pub(super) fn matrix(values: Vec<f32>, shape: [usize; 2], device: &Device) -> Param<Tensor<2>> {
    Param::from_data(TensorData::new(values, shape), device)
}

pub(super) fn vector(values: Vec<f32>, device: &Device) -> Param<Tensor<1>> {
    let shape = [values.len()];
    Param::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OUTPUT_SCALE;
    use nnue::HiddenActivation;

    fn weights(features: usize, active: f64, seed: u64) -> nnue::FloatWeights {
        of_buckets(features, active, seed, 1)
    }

    fn of_buckets(features: usize, active: f64, seed: u64, buckets: usize) -> nnue::FloatWeights {
        let layers = Layers::new(32, 8, HiddenActivation::ClippedRelu, buckets).unwrap();
        let architecture = Architecture { features, layers };
        Nnue::init(architecture, active, seed, &Device::flex()).to_float_weights()
    }

    fn widest(values: &[f32]) -> f64 {
        values.iter().fold(0.0, |most, x| f64::from(x.abs()).max(most))
    }

    #[test]
    fn each_layer_fills_its_bounds() {
        let weights = weights(200, 25.0, 1);
        for (values, bound) in [
            (&weights.ft_weights, 0.1 / 5.0),
            (&weights.dense_weights, 1.0 / 8.0),
            (&weights.out_weights, OUTPUT_SCALE / 8f64.sqrt()),
        ] {
            let widest = widest(values);
            assert!(widest <= bound * 1.000_001 && widest > 0.7 * bound, "{widest} of {bound}");
            let mean: f64 = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
            // Uniform in ±b has a standard deviation of b/√3; allow four of the mean.
            assert!(mean.abs() < 4.0 * bound / (3.0 * values.len() as f64).sqrt(), "{mean}");
        }
    }

    #[test]
    fn feature_sets_share_the_start_of_the_upper_layers() {
        let (small, large) = (weights(96, 12.0, 3), weights(768, 25.0, 3));
        assert_eq!(small.dense_weights, large.dense_weights);
        assert_eq!(small.out_weights, large.out_weights);
        assert_ne!(small.dense_weights, weights(96, 12.0, 4).dense_weights);
    }

    #[test]
    fn all_buckets_start_as_a_net_without_buckets() {
        let (one, three) = (weights(96, 12.0, 3), of_buckets(96, 12.0, 3, 3));
        assert_eq!(three.ft_weights, one.ft_weights);
        assert_eq!(three.dense_weights, one.dense_weights.repeat(3));
        assert_eq!(three.dense_bias, one.dense_bias.repeat(3));
        assert_eq!(three.out_weights, one.out_weights.repeat(3));
        assert_eq!(three.out_bias, one.out_bias.repeat(3));
    }
}
