//! Quantisation error of a net.

use serde::{Deserialize, Serialize};

use arena::NetId;
use arena::contender::Evaluation;
use base::Key;
use data::job::dataset;
use nnue::QuantisationError;
use plan::{Context, JobError, Traits, Work};
use training::health::sample_positions;

/// Differences between a trained net's floats and its integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantisation {
    /// Net of a training job: other nets have no floats.
    pub net: NetId,
    /// Prepared positions; a sample of them is used.
    pub positions: Key,
}

impl Work for Quantisation {
    const KIND: &'static str = "quantisation";
    const STAGE: &'static str = "evaluating nets";
    const VERSION: u32 = 1;
    /// `None` for tables.
    type Output = Option<QuantisationError>;

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().chain([self.positions]).collect()
    }

    fn traits(&self) -> Traits {
        Traits { affinity: self.net.job(), ..Traits::default() }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Option<QuantisationError>, JobError> {
        let trained = self.net.job();
        let trained =
            trained.ok_or_else(|| JobError::message(format!("no training job of {}", self.net)))?;
        let weights = training::weights(context, trained)?;
        let dataset = dataset(context, self.positions)?;
        let Evaluation::Net(net) = self.net.load(context)? else { return Ok(None) };
        let positions = sample_positions(&dataset.train, &dataset.validation);
        Ok(Some(QuantisationError::measure(&weights, &net, &positions)))
    }
}
