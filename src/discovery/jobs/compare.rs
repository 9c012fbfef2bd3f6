//! The job that compares the losses of two nets on the same positions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::Contrast;
use arena::NetId;
use base::Key;
use measure::LossTarget;
use plan::{Context, JobError, Work};

/// Compares the losses of two nets on held-out games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    /// The baseline, and the net that may be better.
    pub nets: [NetId; 2],
    /// Loss and target of the training of both.
    #[serde(rename = "teaching")]
    pub loss_target: LossTarget,
    pub games: HeldOut,
}

impl Work for Compare {
    const KIND: &'static str = "compare";
    const STAGE: &'static str = "comparing nets";
    const VERSION: u32 = 2;
    type Output = Contrast;

    fn needs(&self) -> Vec<Key> {
        self.nets.iter().filter_map(NetId::job).chain([self.games.positions]).collect()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Contrast, JobError> {
        let [first, second] = &self.nets;
        let nets = [first.load_net(context)?, second.load_net(context)?];
        let games = self.games.load(context)?;
        Ok(Contrast::of(nets.each_ref().map(Arc::as_ref), &games, &self.loss_target))
    }
}
