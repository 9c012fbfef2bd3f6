//! By how much one net is wrong less than another, on the same positions.

use data::SamplesByGame;
use measure::Teaching;
use nnue::Net;
use serde::{Deserialize, Serialize};

use crate::gain::Gain;
use crate::outlook::Outlook;

/// Two nets on the positions of some games.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Contrast {
    /// Mean loss of the first.
    pub loss: f64,
    /// By how much that of the second is less, position by position: with an interval over
    /// games that is far narrower than what both losses vary by.
    pub gain: Gain,
}

impl Contrast {
    /// Of two nets that are taught alike.
    pub fn of(nets: [&Net; 2], games: &SamplesByGame, teaching: &Teaching) -> Self {
        let [first, second] = nets.map(|net| Outlook::of(net, games, teaching));
        let gain = |row| first.loss_moved_by(row, 0.0) - second.loss_moved_by(row, 0.0);
        Self { loss: first.loss(), gain: Gain::of(games, 0.0, gain) }
    }

    /// The gain in per cent of the first one's loss.
    pub fn percent(&self) -> base::Estimate {
        self.gain.loss.scaled(100.0 / self.loss)
    }
}
