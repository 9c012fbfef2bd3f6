//! What a quantised net gets wrong on positions it was not trained on.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Desk, MeasureError, Measurement, NetId};
use arena::contender::Evaluation;
use base::Key;
use chess::Scene;
use data::Sample;
use training::TrainingConfig;
use training::loss::Target;

/// Loss of the integers that play, against the targets of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The net.
    pub net: NetId,
    /// Positions prepared; those that validate are asked.
    pub positions: Key,
    /// What is taken for right, and how far from it a net is.
    pub teaching: Teaching,
}

/// What a loss depends on besides the net and the positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Teaching {
    target: Target,
    output_scale_cp: f64,
    exponent: f64,
}

impl Teaching {
    /// That of the end of a training.
    pub fn of(config: &TrainingConfig) -> Self {
        Self {
            target: Target::last(config),
            output_scale_cp: config.output_scale_cp,
            exponent: config.loss_exponent,
        }
    }

    /// |σ(evaluation) − target|^exponent.
    fn loss(&self, centipawns: i32, sample: &Sample) -> f64 {
        let points = 1.0 / (1.0 + (-f64::from(centipawns) / self.output_scale_cp).exp());
        (points - f64::from(self.target.of(sample))).abs().powf(self.exponent)
    }
}

impl Measurement for Loss {
    /// Mean over the positions; nothing if none validate, or of what is no net.
    type Found = Option<f64>;
    const KIND: &'static str = "loss";
    const VERSION: u32 = 1;

    fn nets(&self) -> Vec<&NetId> {
        vec![&self.net]
    }

    fn positions(&self) -> Option<Key> {
        Some(self.positions)
    }

    fn searches(&self) -> bool {
        false
    }

    fn is_timed(&self) -> bool {
        false
    }

    fn take(&self, desk: &mut Desk<'_>) -> Result<Option<f64>, MeasureError> {
        let (shelf, watch) = desk.shelf();
        let evaluation = shelf.evaluation(&self.net)?;
        let dataset = shelf.dataset(self.positions, watch)?;
        let Evaluation::Net(net) = evaluation else { return Ok(None) };
        let loss = |sample: &Sample| {
            let (position, turn) = (Scene::from(&sample.position), sample.position.turn());
            self.teaching.loss(net.evaluate(&position, turn), sample)
        };
        let losses: Vec<f64> = dataset.validation.par_iter().map(loss).collect();
        // Summed in their order, so that threads do not show.
        let sum: f64 = losses.iter().sum();
        Ok((!losses.is_empty()).then(|| sum / losses.len() as f64))
    }
}
