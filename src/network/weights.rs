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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Position, Scene};
    use crate::features::{Feature, FeatureSet};
    use crate::network::front::ActiveFeatures;
    use burn::tensor::{Int, TensorData};

    fn network(l1: usize, l2: usize) -> Nnue {
        Nnue::init(Architecture { features: 768, l1, l2 }, 0.1, 3, &Device::flex())
    }

    #[test]
    fn handing_over_and_taking_back_changes_nothing() {
        let weights = network(16, 8).to_float_weights();
        let back = Nnue::from_float_weights(&weights, &Device::flex()).to_float_weights();
        assert_eq!(weights.architecture, back.architecture);
        assert_eq!(weights.ft_weights, back.ft_weights);
        assert_eq!(weights.l2_weights, back.l2_weights);
        for (a, b) in weights.out_weights.iter().zip(&back.out_weights) {
            assert!((a - b).abs() <= f32::EPSILON * a.abs());
        }
    }

    /// The plain computation of the `nnue` room is the reference.
    #[test]
    fn burn_and_plain_numbers_agree_on_centipawns() {
        let features = FeatureSet::parse("ALL").unwrap();
        let network = network(64, 16);
        let weights = network.to_float_weights();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let lists = [position.turn(), !position.turn()].map(|perspective| {
                let mut active: Vec<Feature> = Vec::new();
                features.active(&Scene::from(&position), perspective, &mut active);
                active.into_iter().map(|feature| feature.0 as i32).collect::<Vec<_>>()
            });
            let width = lists[0].len();
            let indices = TensorData::new(lists.concat(), [2, width]);
            let indices = Tensor::<2, Int>::from_data(indices, &Device::flex());
            let raw: f32 = network.forward(ActiveFeatures::new(indices, None)).into_scalar();
            let burn = f64::from(raw) * OUTPUT_SCALE;
            let plain = weights.evaluate(&features, &Scene::from(&position), position.turn());
            assert!((burn - f64::from(plain)).abs() < 0.01, "{fen}: {burn} against {plain}");
        }
    }
}
