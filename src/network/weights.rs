//! From Burn tensors to plain numbers and back.

use burn::nn::Linear;
use burn::tensor::{Device, Tensor};

use super::init::{matrix, vector};
use super::{Nnue, OUTPUT_SCALE};
use crate::nnue::{Architecture, FloatWeights};

impl Nnue {
    /// The weights in the form that is quantised, stored and played: matrices
    /// with a row per output, the last layer in centipawns.
    pub fn to_float_weights(&self) -> FloatWeights {
        let [features, l1] = self.ft_weights.dims();
        let [_, l2] = self.l2.weight.dims();
        let scaled = |x: f32| (f64::from(x) * OUTPUT_SCALE) as f32;
        let out_bias = bias_of(&self.output).first().copied().unwrap_or(0.0);
        FloatWeights {
            architecture: Architecture { features, l1, l2 },
            ft_weights: values(self.ft_weights.val()),
            ft_bias: values(self.ft_bias.val()),
            l2_weights: values(self.l2.weight.val().transpose()),
            l2_bias: bias_of(&self.l2),
            out_weights: values(self.output.weight.val()).into_iter().map(scaled).collect(),
            out_bias: scaled(out_bias),
        }
    }

    /// The trainable network with these weights.
    pub fn from_float_weights(weights: &FloatWeights, device: &Device) -> Self {
        let Architecture { features, l1, l2 } = weights.architecture;
        let unscaled = |&x: &f32| (f64::from(x) / OUTPUT_SCALE) as f32;
        let out_weights = weights.out_weights.iter().map(unscaled).collect();
        Self {
            ft_weights: matrix(weights.ft_weights.clone(), [features, l1], device),
            ft_bias: vector(weights.ft_bias.clone(), device),
            l2: Linear {
                weight: matrix(transposed(&weights.l2_weights, 2 * l1), [2 * l1, l2], device),
                bias: Some(vector(weights.l2_bias.clone(), device)),
            },
            output: Linear {
                weight: matrix(out_weights, [l2, 1], device),
                bias: Some(vector(vec![unscaled(&weights.out_bias)], device)),
            },
        }
    }
}

fn bias_of(layer: &Linear) -> Vec<f32> {
    layer.bias.as_ref().map(|bias| values(bias.val())).unwrap_or_default()
}

/// # Panics
/// If the device fails to hand its memory over.
fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().expect("weights are f32 and the device still answers")
}

/// The transpose of a matrix with `columns` columns, rows contiguous.
fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| matrix.iter().skip(column).step_by(columns).copied()).collect()
}
