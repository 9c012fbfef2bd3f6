//! The network as a Burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;

use super::activation::clipped_relu;
use super::front::{ActiveFeatures, front};
use crate::nnue::Activation;

/// Centipawns per unit of the network's raw output.
///
/// With outputs near 1 instead of near 600 the optimiser, whose steps have the
/// size of the learning rate, reaches useful evaluations in thousands of steps
/// instead of hundreds of thousands. The figure is nnue-pytorch's `nnue2score`.
pub const OUTPUT_SCALE: f64 = 600.0;

/// `(features → L1)×2 → L2 → 1` with clipped ReLU after both hidden layers;
/// the two halves of the first layer share their weights.
#[derive(Module, Debug)]
pub struct Nnue {
    /// Feature transformer, `[features, L1]`.
    pub(super) ft_weights: Param<Tensor<2>>,
    /// `[L1]`.
    pub(super) ft_bias: Param<Tensor<1>>,
    /// `[2 × L1, L2]`, the side to move's half first.
    pub(super) l2: Linear,
    /// `[L2, 1]`.
    pub(super) output: Linear,
}

impl Nnue {
    /// Raw outputs `[batch, 1]`, in units of [`OUTPUT_SCALE`] centipawns, for
    /// the side to move. `active` has `2 × batch` rows, the two perspectives of
    /// a position in consecutive ones, the side to move first (see
    /// [`front`](super::front)).
    pub fn forward(&self, active: ActiveFeatures) -> Tensor<2> {
        let hidden = front(
            self.ft_weights.val(),
            self.ft_bias.val(),
            self.l2.weight.val(),
            active,
            Activation::ClippedRelu,
        );
        let hidden = match &self.l2.bias {
            Some(bias) => hidden + bias.val().unsqueeze(),
            None => hidden,
        };
        self.output.forward(clipped_relu(hidden))
    }
}
