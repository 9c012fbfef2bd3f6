//! The job that screens candidates beside a net.

use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::{Candidate, Gain, Parts, Predictions, Screened, Screening, ScreeningError};
use arena::NetId;
use base::Key;
use measure::LossTarget;
use plan::{Context, JobError, Work};

/// Share of the screened games that gains are measured on; weights are fitted on the others.
const TEST_SHARE: f64 = 0.3;

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

/// Gains of candidates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScreenResult {
    /// Mean loss of the net.
    pub loss: f64,
    /// Gain of one more weight for each of the net's own features.
    pub own_gain: Gain,
    pub candidates: Vec<Screened>,
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
        let games = Parts::of(self.games.load(context)?, TEST_SHARE);
        let predictions =
            games.as_ref().map(|games| Predictions::of(&net, games, &self.loss_target));
        let prior = self.loss_target.logits(self.prior_cp);
        let screening = Screening::new(net.features(), predictions, prior, context.observer)
            .map_err(job_error)?;
        let (stop, count) = (context.stop, candidates.len() as u64);
        let mut control = context.control();
        let candidates = control.follow("screening", count, "candidates", |progress| {
            let screened = |done, name: &str| progress(done, name.to_owned());
            screening.screen(&candidates, &screened, stop)
        });
        let candidates = candidates.map_err(job_error)?;
        Ok(ScreenResult { loss: screening.loss(), own_gain: screening.own_gain, candidates })
    }
}

/// Checks before the first training that there are enough games to screen on.
///
/// # Errors
/// [`ScreeningError::TooFewGames`]; data that cannot be read; [`JobError::Stopped`].
pub fn check_games(games: &HeldOut, context: &mut Context<'_>) -> Result<(), JobError> {
    Parts::of(games.load(context)?, TEST_SHARE).check().map_err(job_error)
}

fn job_error(error: ScreeningError) -> JobError {
    match error {
        ScreeningError::Stopped => JobError::Stopped,
        ScreeningError::TooFewGames { .. } => error.into(),
    }
}
