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
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = |fan_in: f64, count: usize| -> Vec<f32> {
            let bound = 1.0 / fan_in.max(1.0).sqrt() as f32;
            (0..count).map(|_| rng.random_range(-bound..=bound)).collect()
        };
        Self {
            ft_weights: matrix(uniform(active, features * l1), [features, l1], device),
            ft_bias: vector(uniform(active, l1), device),
            l2: Linear {
                weight: matrix(uniform(2.0 * l1 as f64, 2 * l1 * l2), [2 * l1, l2], device),
                bias: Some(vector(uniform(2.0 * l1 as f64, l2), device)),
            },
            output: Linear {
                weight: matrix(uniform(l2 as f64, l2), [l2, 1], device),
                bias: Some(vector(vec![0.0], device)),
            },
        }
    }
}

pub(super) fn matrix(values: Vec<f32>, shape: [usize; 2], device: &Device) -> Param<Tensor<2>> {
    Param::from_data(TensorData::new(values, shape), device)
}

pub(super) fn vector(values: Vec<f32>, device: &Device) -> Param<Tensor<1>> {
    let shape = [values.len()];
    Param::from_data(TensorData::new(values, shape), device)
}
