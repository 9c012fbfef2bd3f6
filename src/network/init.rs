//! Starting weights.
//!
//! Every layer starts uniform in ±1/√fan-in, drawn from our own generator and
//! not from Burn's global one, so that a seed means the same net everywhere.
//! The fan-in of the sparse layer is the number of features that are *active*
//! together, not the size of the set: with 1/√49,152 a net on king buckets
//! would start with all of its twenty summands near zero.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Nnue;
use crate::nnue::Architecture;

impl Nnue {
    /// A fresh network. `active` is the mean number of features active per
    /// perspective, at least 1.
    pub fn init(architecture: Architecture, active: f64, seed: u64, device: &Device) -> Self {
        let Architecture { features, l1, l2 } = architecture;
        let mut transformer = Uniform::new(seed, 0, active);
        let mut hidden = Uniform::new(seed, 1, 2.0 * l1 as f64);
        let mut output = Uniform::new(seed, 2, l2 as f64);
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
    fn new(seed: u64, layer: u64, fan_in: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(layer);
        Self { rng, bound: 1.0 / fan_in.max(1.0).sqrt() as f32 }
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
