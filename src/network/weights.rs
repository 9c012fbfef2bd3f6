//! From Burn tensors to plain numbers, and back.

use burn::tensor::{Device, Tensor};

use super::front::RowPrecision;
use super::init::parameter;
use super::model::{DenseLayer, Transformer};
use super::{Nnue, OUTPUT_SCALE};
use nnue::{Architecture, DenseWeights, FloatWeights};

impl Nnue {
    /// The weights in the form that is quantised, stored and played: matrices
    /// with a row per neuron, the output in centipawns.
    pub fn to_float_weights(&self) -> FloatWeights {
        let transformer = self.transformer.as_ref();
        let rows = transformer.map(|it| self.used(it.weights.val()));
        let bias = transformer.map(|it| self.used(it.bias.val()));
        let head = self.psqt.as_ref().map(|it| it.val());
        let of_rows = rows.as_ref().or(head.as_ref()).map_or(0, |rows| rows.dims()[0]);
        let weights = FloatWeights {
            architecture: Architecture { features: of_rows, layers: self.layers.clone() },
            ft_weights: rows.map(values).unwrap_or_default(),
            ft_bias: bias.map(values).unwrap_or_default(),
            psqt: head.map(values).unwrap_or_default(),
            dense: self.dense.iter().map(DenseLayer::to_weights).collect(),
            skip: if self.layers.addition().is_some() { 1.0 } else { 0.0 },
        };
        weights.with_output_times(OUTPUT_SCALE)
    }

    /// A network of plain weights, to be trained further.
    ///
    /// A skip has no weight of its own here, so that of its neuron takes it over.
    pub fn of_weights(weights: FloatWeights, device: &Device) -> Self {
        let weights = with_unit_skip(weights.with_output_times(1.0 / OUTPUT_SCALE));
        let FloatWeights { architecture, ft_weights, ft_bias, psqt, dense, .. } = weights;
        let Architecture { features, layers } = architecture;
        let (width, buckets) = (layers.width(), layers.buckets().count());
        let shapes = layers.dense();
        let layer = |(dense, shape): (DenseWeights, &nnue::DenseShape)| DenseLayer {
            weights: parameter(
                turned(&dense.weights, shape.sums, shape.inputs),
                [buckets, shape.inputs, shape.sums],
                device,
            ),
            bias: parameter(dense.bias, [buckets, shape.sums], device),
        };
        Self {
            is_quantisation_aware: false,
            penalty: 0.0,
            row_precision: RowPrecision::default(),
            transformer: (width > 0).then(|| Transformer {
                weights: parameter(ft_weights, [features, width], device),
                bias: parameter(ft_bias, [width], device),
            }),
            psqt: layers.has_psqt().then(|| parameter(psqt, [features, buckets], device)),
            dense: dense.into_iter().zip(&shapes).map(layer).collect(),
            layers,
        }
    }
}

impl DenseLayer {
    /// Weights with a row per neuron, and biases.
    fn to_weights(&self) -> DenseWeights {
        let weights = values(self.weights.val().swap_dims(1, 2));
        DenseWeights { weights, bias: values(self.bias.val()) }
    }
}

/// The same net with a skip of factor 1; the weights of its neuron take up the factor.
fn with_unit_skip(mut weights: FloatWeights) -> FloatWeights {
    let factor = weights.skip;
    let addition = weights.architecture.layers.addition().filter(|_| factor != 0.0);
    let Some((place, addition)) = addition else { return weights };
    let shape = weights.architecture.layers.dense()[place];
    let DenseWeights { weights: matrix, bias } = &mut weights.dense[place];
    let own = shape.sums - addition.neurons();
    for rows in matrix.chunks_exact_mut(shape.inputs * shape.sums) {
        rows[own * shape.inputs..].iter_mut().for_each(|weight| *weight *= factor);
    }
    let added = bias.chunks_exact_mut(shape.sums).flat_map(|bias| &mut bias[own..]);
    added.for_each(|bias| *bias *= factor);
    weights.skip = 1.0;
    weights
}

/// Transposes of `rows × columns` matrices.
fn turned(matrices: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let of_one = |matrix: &[f32]| -> Vec<f32> {
        let column = |column| matrix.iter().skip(column).step_by(columns).copied();
        (0..columns).flat_map(column).collect()
    };
    matrices.chunks_exact(rows * columns).flat_map(of_one).collect()
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
    use crate::PositionBuckets;
    use crate::front::ActiveFeatures;
    use burn::tensor::{Int, TensorData};
    use chess::{Position, Scene};
    use features::{Feature, FeatureSet};
    use nnue::testing::{all_layers, random_weights};

    /// The plain computation of the `nnue` room is the reference, and weights come back
    /// from a network as they went in.
    #[test]
    fn burn_and_plain_numbers_agree_on_centipawns() {
        let features = FeatureSet::parse("ALL").unwrap();
        for layers in all_layers() {
            let weights = random_weights(&features, &layers, 3);
            let network = Nnue::of_weights(weights.clone(), &Device::flex());
            let again = network.to_float_weights();
            for fen in [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            ] {
                let position = Position::from_fen(fen).unwrap();
                let raw: f32 = network.forward(input(&features, &layers, &position)).into_scalar();
                let burn = f64::from(raw) * OUTPUT_SCALE;
                for plain in [&weights, &again] {
                    let plain = plain.evaluate(&features, &Scene::from(&position), position.turn());
                    let size = 1.0 + f64::from(plain.abs());
                    let is_near = (burn - f64::from(plain)).abs() < 1e-4 * size;
                    assert!(is_near, "{layers} {fen}: {burn}, {plain}");
                }
            }
        }
    }

    fn input(features: &FeatureSet, layers: &nnue::Layers, position: &Position) -> Input {
        let scene = Scene::from(position);
        let lists = [position.turn(), !position.turn()].map(|perspective| {
            let mut active: Vec<Feature> = Vec::new();
            features.active(&scene, perspective, &mut active);
            active.into_iter().map(|feature| feature.0 as i32).collect::<Vec<_>>()
        });
        let indices = TensorData::new(lists.concat(), [2, lists[0].len()]);
        let indices = Tensor::<2, Int>::from_data(indices, &Device::flex());
        let bucket = layers.buckets().of(&scene, position.turn()) as i32;
        let of_each = if layers.buckets().count() > 1 { vec![bucket] } else { Vec::new() };
        let active = ActiveFeatures::new(indices, None);
        Input { active, buckets: PositionBuckets::listed(of_each, &Device::flex()) }
    }
}
