//! Candidates beside a net, screened on games.

use serde::{Deserialize, Serialize};

use super::{Candidate, Parts, Screened, Screening, ScreeningError};
use crate::gain::Gain;
use crate::predictions::Predictions;
use data::SamplesByGame;
use features::FeatureSet;
use measure::Teaching;
use nnue::Net;
use plan::Control;

/// A net and the settings of screening beside it.
#[derive(Clone, Copy)]
pub struct Screener<'a> {
    pub net: &'a Net,
    /// Features of the net, and those that count as such.
    pub own: &'a FeatureSet,
    /// Loss and target of the net's training.
    pub target: &'a Teaching,
    /// Share of the games that gains are measured on; weights are fitted on the others.
    pub held_out: f64,
    /// Standard deviation of the prior of a weight, in centipawns.
    pub prior_cp: f64,
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

impl Screener<'_> {
    /// Share of held-out games of jobs, and the default of commands.
    pub const HELD_OUT: f64 = 0.3;

    /// # Errors
    /// Too few games; the stop flag.
    pub fn screen(
        &self,
        games: SamplesByGame,
        candidates: &[Candidate],
        control: &mut Control<'_>,
    ) -> Result<ScreenResult, ScreeningError> {
        let games = Parts::of(games, self.held_out);
        control.observer.begin("evaluating", 0, "positions");
        let predictions = games.as_ref().map(|games| Predictions::of(self.net, games, self.target));
        control.observer.end("");
        let prior = self.target.logits(self.prior_cp);
        let screening = Screening::new(self.own, predictions, prior, control.observer)?;
        let (stop, count) = (control.stop, candidates.len() as u64);
        let candidates = control.follow("screening", count, "candidates", |progress| {
            let screened = |done, name: &str| progress(done, name.to_owned());
            screening.screen(candidates, &screened, stop)
        })?;
        control.observer.end("");
        Ok(ScreenResult { loss: screening.loss(), own_gain: screening.own_gain, candidates })
    }
}
