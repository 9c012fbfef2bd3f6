//! The job that ranks rows of a net by saliency.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::{RowRank, rank};
use arena::NetId;
use base::Key;
use measure::LossTarget;
use plan::{Context, JobError, Work};

/// Ranks some rows of a net.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    pub net: NetId,
    /// Loss and target of the net's training.
    #[serde(rename = "teaching")]
    pub loss_target: LossTarget,
    pub games: HeldOut,
    pub rows: Range<usize>,
}

/// Ranked rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranked {
    /// Indices from the start of the range, the most salient first.
    pub rows: Vec<u32>,
    /// Rows with any saliency: the others were never active.
    pub useful: usize,
}

impl Work for Rank {
    const KIND: &'static str = "rank";
    const STAGE: &'static str = "ranking rows";
    const VERSION: u32 = 3;
    type Output = Ranked;

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().chain([self.games.positions]).collect()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Ranked, JobError> {
        let net = self.net.load_net(context)?;
        let games = self.games.load(context)?;
        let (weights, features) = (net.to_floats(), net.features());
        let ranking = rank(&weights, features, &games, &self.loss_target, context.observer);
        let missing = || JobError::message(format!("{} has fewer rows", self.net));
        let wanted = ranking.rows.get(self.rows.clone()).ok_or_else(missing)?;
        let mut rows: Vec<&RowRank> = wanted.iter().collect();
        // Ordered by the rise of the loss without them, most rows of a large set come by chance.
        rows.sort_by(|a, b| b.saliency.total_cmp(&a.saliency));
        let useful = rows.iter().take_while(|row| row.saliency > 0.0).count();
        let rows = rows.iter().map(|row| row.feature - self.rows.start as u32).collect();
        Ok(Ranked { rows, useful })
    }
}
