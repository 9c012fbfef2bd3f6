//! Weights as plain floats: the output of training and the input of quantisation.

use super::activation::Activation;
use super::architecture::{Architecture, Layers};
use chess::{Color, Scene};
use features::{Feature, FeatureSet, TrainedSet, Weighted};

/// A trained net in floating point. The output is in centipawns for the side
/// to move, so the weights of the last layer are centipawns per unit of
/// activation: `dense` where there is one hidden layer, `out` where there are
/// two, the feature transformer's in the linear model.
///
/// Tensors of layers that the net does not have are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatWeights {
    /// Which layers there are.
    pub architecture: Architecture,
    /// `[features][width]`, row of a feature contiguous; the width is L1, or 1
    /// in the linear model.
    pub ft_weights: Vec<f32>,
    /// `[width]`; zero in the linear model, where it would cancel.
    pub ft_bias: Vec<f32>,
    /// `[buckets][outputs][2 * l1]`: the layer that reads the feature
    /// transformer, with L2 outputs or 1; the first `l1` inputs are the side
    /// to move's.
    pub dense_weights: Vec<f32>,
    /// `[buckets][outputs]`.
    pub dense_bias: Vec<f32>,
    /// `[buckets][l2]`.
    pub out_weights: Vec<f32>,
    /// `[buckets]`.
    pub out_bias: Vec<f32>,
}

impl FloatWeights {
    /// All tensors, with names for people.
    pub fn tensors(&self) -> [(&'static str, &[f32]); 6] {
        [
            ("feature transformer", &self.ft_weights),
            ("feature transformer bias", &self.ft_bias),
            ("dense layer", &self.dense_weights),
            ("dense layer bias", &self.dense_bias),
            ("output", &self.out_weights),
            ("output bias", &self.out_bias),
        ]
    }

    /// The same with the layer that makes the output multiplied by `factor`, and
    /// the output with it.
    pub fn with_output_times(mut self, factor: f64) -> Self {
        let last: [&mut [f32]; 2] = match self.architecture.layers {
            Layers::Linear => [&mut self.ft_weights, &mut []],
            Layers::One { .. } => [&mut self.dense_weights, &mut self.dense_bias],
            Layers::Two { .. } => [&mut self.out_weights, &mut self.out_bias],
        };
        for value in last.into_iter().flatten() {
            *value = (f64::from(*value) * factor) as f32;
        }
        self
    }

    /// The weights of the set that is played, from those of the set that was
    /// trained: factors are added to the rows that share them. Evaluations stay
    /// the same, but for rounding.
    pub fn folded(mut self, trained: &TrainedSet) -> Self {
        self.ft_weights = trained.fold(self.ft_weights, self.architecture.layers.width());
        self.architecture.features = trained.set().size();
        self
    }

    /// The first-layer row of a feature.
    pub fn row(&self, feature: Feature) -> &[f32] {
        let width = self.architecture.layers.width();
        &self.ft_weights[feature.0 as usize * width..][..width]
    }

    /// Bias plus the rows of the active features of one perspective, each
    /// times its value; `[width]`.
    pub(crate) fn accumulate(
        &self,
        features: &FeatureSet,
        scene: &Scene,
        perspective: Color,
    ) -> Vec<f32> {
        let mut active: Vec<Weighted> = Vec::new();
        features.active(scene, perspective, &mut active);
        let mut sums = self.ft_bias.clone();
        for Weighted { feature, value } in active {
            for (sum, weight) in sums.iter_mut().zip(self.row(feature)) {
                *sum += value * weight;
            }
        }
        sums
    }

    /// Centipawns for the side to move, computed plainly in floating point.
    pub fn evaluate(&self, features: &FeatureSet, scene: &Scene, turn: Color) -> f32 {
        let layers = self.architecture.layers;
        let activation = layers.activation();
        let inputs: Vec<f32> = [turn, !turn]
            .into_iter()
            .flat_map(|perspective| self.accumulate(features, scene, perspective))
            .map(|sum| activation.of(sum))
            .collect();
        let bucket = layers.buckets().of(scene.board().occupied().count());
        match layers {
            Layers::Linear => inputs[0] - inputs[1],
            Layers::One { .. } => self.dense(bucket, &inputs)[0],
            Layers::Two { .. } => self.output(bucket, self.dense(bucket, &inputs), activation),
        }
    }

    /// The sums of the dense layer of a bucket.
    pub(super) fn dense(&self, bucket: usize, inputs: &[f32]) -> Vec<f32> {
        let outputs = self.architecture.layers.dense_outputs();
        let biases = &self.dense_bias[bucket * outputs..][..outputs];
        let rows = self.dense_weights[bucket * outputs * inputs.len()..].chunks_exact(inputs.len());
        rows.zip(biases).map(|(row, bias)| dot(row, inputs) + bias).collect()
    }

    /// The output layer of a bucket, from the sums below it.
    fn output(&self, bucket: usize, sums: Vec<f32>, activation: Activation) -> f32 {
        let hidden: Vec<f32> = sums.into_iter().map(|sum| activation.of(sum)).collect();
        let weights = &self.out_weights[bucket * hidden.len()..][..hidden.len()];
        dot(weights, &hidden) + self.out_bias[bucket]
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
