//! The network as a Burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::Tensor;

use super::activation::clipped_relu;
use super::sparse::{ActiveFeatures, feature_transformer};

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
    /// [`sparse`](super::sparse)).
    pub fn forward(&self, active: ActiveFeatures) -> Tensor<2> {
        let rows = active.rows();
        let [_, l1] = self.ft_weights.dims();
        let hidden = feature_transformer(self.ft_weights.val(), self.ft_bias.val(), active)
            .reshape([rows / 2, 2 * l1]);
        self.output.forward(clipped_relu(self.l2.forward(hidden)))
    }
}
