//! Loss reduction of one net relative to another on the same positions.

use data::SamplesByGame;
use measure::LossTarget;
use nnue::Net;
use serde::{Deserialize, Serialize};

use crate::gain::Gain;
use crate::predictions::Predictions;

/// Two nets on the positions of some games.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Contrast {
    /// Mean loss of the first.
    pub loss: f64,
    /// Paired loss reduction of the second: its interval over games is far narrower than those of the
    /// two losses.
    pub gain: Gain,
}

impl Contrast {
    /// Two nets with the same training target.
    pub fn of(nets: [&Net; 2], games: &SamplesByGame, loss_target: &LossTarget) -> Self {
        let [first, second] = nets.map(|net| Predictions::of(net, games, loss_target));
        let gain = |row| first.loss_moved_by(row, 0.0) - second.loss_moved_by(row, 0.0);
        Self { loss: first.loss(), gain: Gain::of(games, 0.0, gain) }
    }

    /// The gain in per cent of the first one's loss.
    pub fn percent(&self) -> base::Estimate {
        self.gain.loss.scaled(100.0 / self.loss)
    }
}
