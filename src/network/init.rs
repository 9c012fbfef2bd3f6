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

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Nnue;
use crate::nnue::Architecture;

/// Width of the sparse layer's start relative to ±1/√active.
const SPARSE_WIDTH: f64 = 0.1;

impl Nnue {
    /// A fresh network. `active` is the mean number of features active per
    /// perspective, at least 1.
    pub fn init(architecture: Architecture, active: f64, seed: u64, device: &Device) -> Self {
        let Architecture { features, l1, l2 } = architecture;
        let mut transformer = Uniform::new(seed, 0, active, SPARSE_WIDTH);
        let mut hidden = Uniform::new(seed, 1, 2.0 * l1 as f64, 1.0);
        let mut output = Uniform::new(seed, 2, l2 as f64, 1.0);
        Self {
            ft_weights: matrix(transformer.draw(features * l1), [features, l1], device),
            ft_bias: vector(transformer.draw(l1), device),
            l2: Linear {
                weight: matrix(hidden.draw(2 * l1 * l2), [2 * l1, l2], device),
                bias: Some(vector(hidden.draw(l2), device)),
            },
            output: Linear {
                weight: matrix(output.draw(l2), [l2, 1], device),
                bias: Some(vector(vec![0.0], device)),
            },
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
    use crate::network::OUTPUT_SCALE;

    fn weights(features: usize, active: f64, seed: u64) -> crate::nnue::FloatWeights {
        let architecture = Architecture { features, l1: 32, l2: 8 };
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
            (&weights.l2_weights, 1.0 / 8.0),
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
        assert_eq!(small.l2_weights, large.l2_weights);
        assert_eq!(small.out_weights, large.out_weights);
        assert_ne!(small.l2_weights, weights(96, 12.0, 4).l2_weights);
    }
}
