//! The loss of each method.

mod pqr;
mod target_scores;

pub use pqr::Pqr;
pub use target_scores::{Target, TargetScores};

use burn::tensor::Tensor;

use super::{Method, TrainingConfig};

#[derive(Clone, Copy, Debug)]
pub enum Loss {
    TargetScores(TargetScores),
    Pqr(Pqr),
}

impl Loss {
    pub fn new(config: &TrainingConfig) -> Self {
        match config.method {
            Method::TargetScores => Loss::TargetScores(TargetScores::new(config)),
            Method::Pqr(pqr) => Loss::Pqr(pqr),
        }
    }

    /// The loss of raw outputs, `[positions shown, 1]`, those of a sample one below
    /// the other, with targets, `[samples, 1]`, which a ranking does not use.
    pub fn of(&self, output: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        match self {
            Loss::TargetScores(loss) => loss.of(output, targets),
            Loss::Pqr(loss) => loss.of(output),
        }
    }

    /// The loss of a net with a constant output of 0.
    pub(crate) fn baseline(&self, targets: &[f32]) -> f64 {
        match self {
            Loss::TargetScores(loss) => loss.baseline(targets),
            Loss::Pqr(loss) => loss.baseline(),
        }
    }
}
