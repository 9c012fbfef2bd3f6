//! From Burn tensors to plain numbers.

use burn::nn::Linear;
use burn::tensor::Tensor;

use super::{Nnue, OUTPUT_SCALE};
use nnue::{Architecture, FloatWeights};

impl Nnue {
    /// The weights in the form that is quantised, stored and played: matrices
    /// with a row per output, the last layer in centipawns.
    pub fn to_float_weights(&self) -> FloatWeights {
        let [features, width] = self.ft_weights.dims();
        let (dense_weights, dense_bias) = tensors_of(&self.dense);
        let (out_weights, out_bias) = tensors_of(&self.output);
        let ft_bias = self.ft_bias().map(values);
        let weights = FloatWeights {
            architecture: Architecture { features, layers: self.layers },
            ft_weights: values(self.ft_weights()),
            ft_bias: ft_bias.unwrap_or_else(|| vec![0.0; width]),
            dense_weights,
            dense_bias,
            out_weights,
            out_bias,
        };
        weights.with_output_times(OUTPUT_SCALE)
    }
}

/// Weights with a row per output, and biases; empty without the layer.
fn tensors_of(layer: &Option<Linear>) -> (Vec<f32>, Vec<f32>) {
    let Some(layer) = layer else { return Default::default() };
    let bias = layer.bias.as_ref().map(|bias| values(bias.val()));
    (values(layer.weight.val().transpose()), bias.unwrap_or_default())
}

/// # Panics
/// If the device fails to hand its memory over.
fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as().expect("weights are f32 and the device still answers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;
    use crate::front::ActiveFeatures;
    use crate::init::vector;
    use burn::tensor::{Device, Int, TensorData};
    use chess::{Position, Scene};
    use features::{Feature, FeatureSet};
    use nnue::{HiddenActivation, Layers};

    /// Nets of all kinds, with buckets that differ.
    fn networks() -> Vec<Nnue> {
        let squared = HiddenActivation::SquaredClippedRelu;
        let clipped = HiddenActivation::ClippedRelu;
        [(0, 0, clipped, 1), (64, 0, squared, 1), (16, 0, clipped, 8), (64, 16, clipped, 1)]
            .into_iter()
            .chain([(16, 8, squared, 5)])
            .map(|(l1, l2, activation, buckets)| {
                let layers = Layers::new(l1, l2, activation, buckets).unwrap();
                let architecture = Architecture { features: 768, layers };
                let mut network = Nnue::init(architecture, 0.1, 3, &Device::flex());
                let (_, mut bias) = tensors_of(&network.dense);
                for (i, value) in bias.iter_mut().enumerate() {
                    *value += (i % 7) as f32 / 20.0;
                }
                if let Some(dense) = &mut network.dense {
                    dense.bias = Some(vector(bias, &Device::flex()));
                }
                network
            })
            .collect()
    }

    /// The plain computation of the `nnue` room is the reference.
    #[test]
    fn burn_and_plain_numbers_agree_on_centipawns() {
        let features = FeatureSet::parse("ALL").unwrap();
        for network in networks() {
            let weights = network.to_float_weights();
            for fen in [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            ] {
                let position = Position::from_fen(fen).unwrap();
                let scene = Scene::from(&position);
                let lists = [position.turn(), !position.turn()].map(|perspective| {
                    let mut active: Vec<Feature> = Vec::new();
                    features.active(&scene, perspective, &mut active);
                    active.into_iter().map(|feature| feature.0 as i32).collect::<Vec<_>>()
                });
                let width = lists[0].len();
                let indices = TensorData::new(lists.concat(), [2, width]);
                let indices = Tensor::<2, Int>::from_data(indices, &Device::flex());
                let active = ActiveFeatures::new(indices, None);
                let pieces = vec![scene.board().occupied().count() as u8];
                let raw: f32 = network.forward(Input { active, pieces }).into_scalar();
                let burn = f64::from(raw) * OUTPUT_SCALE;
                let plain = weights.evaluate(&features, &scene, position.turn());
                let layers = network.layers();
                assert!((burn - f64::from(plain)).abs() < 0.01, "{layers} {fen}: {burn}, {plain}");
            }
        }
    }
}
