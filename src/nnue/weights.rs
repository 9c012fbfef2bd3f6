//! Weights as plain floats: what training hands over and quantisation takes.

use crate::chess::{Color, Scene};
use crate::features::{Feature, FeatureSet, TrainedSet, Weighted};

/// Layer sizes: (features → l1)×2 → l2 → 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Architecture {
    /// Inputs: size of the feature set.
    pub features: usize,
    /// Feature transformer outputs per perspective.
    pub l1: usize,
    /// Second hidden layer.
    pub l2: usize,
}

impl Architecture {
    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        (self.features + 1) * self.l1 + (2 * self.l1 + 1) * self.l2 + self.l2 + 1
    }
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({} → {})×2 → {} → 1", self.features, self.l1, self.l2)
    }
}

/// A trained net in floating point. Activation is clipped ReLU (0 to 1) after
/// both hidden layers; the output is in centipawns for the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatWeights {
    /// Layer sizes.
    pub architecture: Architecture,
    /// `[features][l1]`, row of a feature contiguous.
    pub ft_weights: Vec<f32>,
    /// `[l1]`.
    pub ft_bias: Vec<f32>,
    /// `[l2][2 * l1]`; the first `l1` inputs are the side to move's.
    pub l2_weights: Vec<f32>,
    /// `[l2]`.
    pub l2_bias: Vec<f32>,
    /// `[l2]`, centipawns per unit of activation.
    pub out_weights: Vec<f32>,
    /// Centipawns.
    pub out_bias: f32,
}

impl FloatWeights {
    /// The weights of the set that is played, from those of the set that was
    /// trained: factors are added to the rows that share them. Evaluations stay
    /// the same, but for rounding.
    pub fn folded(mut self, trained: &TrainedSet) -> Self {
        self.ft_weights = trained.fold(self.ft_weights, self.architecture.l1);
        self.architecture.features = trained.set().size();
        self
    }

    /// The first-layer row of a feature.
    pub fn row(&self, feature: Feature) -> &[f32] {
        let l1 = self.architecture.l1;
        &self.ft_weights[feature.0 as usize * l1..][..l1]
    }

    /// Bias plus the rows of the active features of one perspective, each
    /// times its value; `[l1]`.
    pub fn accumulate(&self, features: &FeatureSet, scene: &Scene, perspective: Color) -> Vec<f32> {
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
        let inputs: Vec<f32> = [turn, !turn]
            .into_iter()
            .flat_map(|perspective| self.accumulate(features, scene, perspective))
            .map(|sum| sum.clamp(0.0, 1.0))
            .collect();
        let hidden =
            self.l2_weights.chunks_exact(inputs.len()).zip(&self.l2_bias).map(|(row, bias)| {
                let sum: f32 = row.iter().zip(&inputs).map(|(w, x)| w * x).sum();
                (sum + bias).clamp(0.0, 1.0)
            });
        hidden.zip(&self.out_weights).map(|(h, w)| h * w).sum::<f32>() + self.out_bias
    }
}
