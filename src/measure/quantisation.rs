//! What quantisation changed.

use serde::{Deserialize, Serialize};

use crate::{Desk, MeasureError, Measurement, NetId};
use arena::contender::Evaluation;
use base::Key;
use nnue::QuantisationError;
use training::health::sample_positions;

/// Differences between a trained net's floats and its integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantisation {
    /// The net, which a job trained: of others there are no floats.
    pub net: NetId,
    /// Positions prepared, of which some are asked.
    pub positions: Key,
}

impl Measurement for Quantisation {
    /// Nothing of what is no net.
    type Found = Option<QuantisationError>;
    const KIND: &'static str = "quantisation";
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

    fn take(&self, desk: &mut Desk<'_>) -> Result<Option<QuantisationError>, MeasureError> {
        let (shelf, watch) = desk.shelf();
        let weights = shelf.weights(&self.net, watch)?;
        let (shelf, watch) = desk.shelf();
        let dataset = shelf.dataset(self.positions, watch)?;
        let Evaluation::Net(net) = desk.shelf.evaluation(&self.net)? else { return Ok(None) };
        let positions = sample_positions(&dataset.train, &dataset.validation);
        Ok(Some(QuantisationError::measure(&weights, &net, &positions)))
    }
}
