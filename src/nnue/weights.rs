//! Weights as plain floats: what training hands over and quantisation takes.

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
