//! Validation loss of a quantised net.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use arena::NetId;
use arena::contender::Evaluation;
use base::Key;
use chess::Scene;
use data::Sample;
use data::job::dataset;
use nnue::Net;
use plan::{Context, JobError, Traits, Work};
use training::TrainingConfig;
use training::loss::Target;

/// Loss of the integers that play, against the targets of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationLoss {
    pub net: NetId,
    /// Prepared positions; their validation split is used.
    pub positions: Key,
    /// Target and loss function.
    #[serde(rename = "teaching")]
    pub loss_target: LossTarget,
}

/// Target and loss function of a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LossTarget {
    target: Target,
    in_scaling: f64,
    exponent: f64,
}

impl Default for LossTarget {
    fn default() -> Self {
        Self::of(&TrainingConfig::default())
    }
}

impl LossTarget {
    /// Target and loss function at the end of a training.
    pub fn of(config: &TrainingConfig) -> Self {
        Self {
            target: Target::last(config),
            in_scaling: config.in_scaling,
            exponent: config.loss_exponent,
        }
    }

    /// Target and loss function at the end of the training in a net's provenance, if it has one.
    pub fn of_net(net: &Net) -> Option<Self> {
        let training = net.provenance().get("training")?;
        serde_json::from_value(training.clone()).ok().as_ref().map(Self::of)
    }

    /// Centipawns in units of the logistic.
    pub fn logits(&self, centipawns: f64) -> f64 {
        centipawns / self.in_scaling
    }

    /// Expected points of a sample for the side to move.
    pub fn target(&self, sample: &Sample) -> f64 {
        f64::from(self.target.of(sample))
    }

    /// |σ(logits) − target|^exponent.
    pub fn loss(&self, logits: f64, target: f64) -> f64 {
        (logistic(logits) - target).abs().powf(self.exponent)
    }

    /// The slope of the loss over the logits, and the curvature that the loss would have if
    /// points followed them in a line (Gauss and Newton's, never below 0).
    pub fn bend(&self, logits: f64, target: f64) -> (f64, f64) {
        let points = logistic(logits);
        let (off, slope) = (points - target, points * (1.0 - points));
        let exponent = self.exponent;
        let of_loss = exponent * off.abs().powf(exponent - 1.0).copysign(off);
        let bend_of_loss = exponent * (exponent - 1.0) * off.abs().powf(exponent - 2.0);
        // Below a square the loss bends without bound where it is right.
        (of_loss * slope, bend_of_loss.min(1e3) * slope * slope)
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Work for ValidationLoss {
    const KIND: &'static str = "loss";
    const STAGE: &'static str = "evaluating nets";
    const VERSION: u32 = 1;
    /// Mean over the validation positions; `None` if there are none, or if the net is tables.
    type Output = Option<f64>;

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().chain([self.positions]).collect()
    }

    fn traits(&self) -> Traits {
        Traits { affinity: self.net.job(), ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Option<f64>, JobError> {
        let evaluation = self.net.load(context)?;
        let dataset = dataset(context, self.positions)?;
        let Evaluation::Net(net) = evaluation else { return Ok(None) };
        let loss = |sample: &Sample| {
            let (position, turn) = (Scene::from(&sample.position), sample.position.turn());
            let logits = self.loss_target.logits(net.evaluate(&position, turn).into());
            self.loss_target.loss(logits, self.loss_target.target(sample))
        };
        let losses: Vec<f64> = dataset.validation.par_iter().map(loss).collect();
        // Summed in their order, so that threads do not show.
        let sum: f64 = losses.iter().sum();
        Ok((!losses.is_empty()).then(|| sum / losses.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_net_records_its_target() {
        let loss_target = LossTarget::of_net(&nnue::bundled()).unwrap();
        assert_eq!((loss_target.in_scaling, loss_target.exponent), (410.0, 2.6));
        assert_ne!(loss_target, LossTarget::default());
    }
}
