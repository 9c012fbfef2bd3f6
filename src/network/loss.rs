//! Loss of a net's expected points against those of the targets.
//!
//! `|σ(slope · output) − target|^exponent`, as a mean over a batch. On a processor it is made of
//! stock operations, some twenty in both directions; on a graphics card, where each of them is a
//! launch that takes longer than its arithmetic, it is an operation of our own ([`cube`]).

#[cfg(feature = "wgpu")]
mod cube;

use burn::tensor::{Tensor, activation};

/// The shape of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLoss {
    /// Units of the logistic per unit of output.
    pub slope: f64,
    /// At least 1: by which power larger errors weigh more.
    pub exponent: f64,
}

impl PowerLoss {
    /// The mean over a batch, `[1]`, of raw outputs and targets, both `[positions, 1]`. There is
    /// no gradient for the targets.
    pub fn of(self, output: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        #[cfg(feature = "wgpu")]
        if crate::device::is_card(&output.device()) {
            return cube::power_loss(output, targets, self);
        }
        let points = activation::sigmoid(output.mul_scalar(self.slope));
        (points - targets).abs().powf_scalar(self.exponent).mean()
    }
}
