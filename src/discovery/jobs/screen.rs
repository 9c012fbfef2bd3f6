//! The job that screens candidates beside a net.

use serde::{Deserialize, Serialize};

use super::{HeldOut, job_error};
use crate::{Candidate, Parts, ScreenResult, Screener};
use arena::NetId;
use base::Key;
use measure::LossTarget;
use plan::{Context, JobError, Work};

/// Fits a weight for each feature of each candidate to the residuals of a net, and measures the
/// loss reduction of the weights on other games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    pub net: NetId,
    /// Loss and target of the net's training.
    #[serde(rename = "teaching")]
    pub loss_target: LossTarget,
    pub games: HeldOut,
    /// Standard deviation of the prior of a weight, in centipawns.
    pub prior_cp: f64,
    /// Feature expressions.
    pub candidates: Vec<String>,
}

impl Work for Screen {
    const KIND: &'static str = "screen";
    const STAGE: &'static str = "screening candidates";
    const VERSION: u32 = 3;
    type Output = ScreenResult;

    fn needs(&self) -> Vec<Key> {
        self.net.job().into_iter().chain([self.games.positions]).collect()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<ScreenResult, JobError> {
        let net = self.net.load_net(context)?;
        let candidates: Vec<Candidate> =
            self.candidates.iter().map(|text| Candidate::parse(text)).collect::<Result<_, _>>()?;
        let games = self.games.load(context)?;
        let screener = Screener {
            net: &net,
            own: net.features(),
            target: &self.loss_target,
            held_out: Screener::HELD_OUT,
            prior_cp: self.prior_cp,
        };
        screener.screen(games, &candidates, &mut context.control()).map_err(job_error)
    }
}

/// Checks before the first training that there are enough games to screen on.
///
/// # Errors
/// `ScreeningError::TooFewGames`; data that cannot be read; [`JobError::Stopped`].
pub fn check_games(games: &HeldOut, context: &mut Context<'_>) -> Result<(), JobError> {
    Parts::of(games.load(context)?, Screener::HELD_OUT).check().map_err(job_error)
}
