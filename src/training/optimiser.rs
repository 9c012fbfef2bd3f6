//! Optimisers.
//!
//! All three are of Adam's family: two [`moments`] of the gradient per weight
//! and one pass over memory per step. Why these: Adam is what the thesis used
//! and what the results here are compared with. AdamW is the field's workhorse
//! (bullet's default); its weight decay keeps weights small, which is what a
//! quantised net needs, without bending the step sizes as a penalty in the
//! loss would. Ranger is what nnue-pytorch, the trainer of Stockfish's nets,
//! has settled on over the years, and the other optimiser that bullet offers.
//! Muon, Lion and the like were left out: Muon orthogonalises dense matrices,
//! while nearly all weights of an NNUE stand in the sparse first layer, and
//! Lion's sign moves a rare feature's row by as much as a common one's.

mod adam;
mod moments;
mod ranger;

use burn::optim::ModuleOptimizer;
use serde::{Deserialize, Serialize};

use adam::Adam;
use ranger::Ranger;

/// An optimiser as an experiment names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// Adam.
    #[default]
    Adam,
    /// Adam with decoupled weight decay.
    Adamw,
    /// Rectified Adam with lookahead.
    Ranger,
}

impl Optimiser {
    /// As a Burn optimiser. Adam has no weight decay; the configuration refuses it
    /// there.
    pub fn build(self, weight_decay: f64) -> ModuleOptimizer {
        match self {
            Optimiser::Adam => Adam { weight_decay: 0.0 }.into(),
            Optimiser::Adamw => Adam { weight_decay }.into(),
            Optimiser::Ranger => Ranger { weight_decay }.into(),
        }
    }

    /// Tensors of optimiser state per parameter.
    pub fn tensors_per_parameter(self) -> usize {
        match self {
            Optimiser::Adam | Optimiser::Adamw => moments::TENSORS,
            Optimiser::Ranger => moments::TENSORS + 1,
        }
    }
}
