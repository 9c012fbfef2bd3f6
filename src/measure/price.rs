//! Price of time: Elo per doubling.

use serde::{Deserialize, Serialize};

use crate::{Match, MatchPlayer, Played};
use arena::{Limit, NetId};
use base::{Key, KeyError};
use plan::{Context, JobError, Traits, Work};

/// A net against itself with half the time: a set whose nodes take twice as long gets half
/// of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceOfTime(Match);

impl PriceOfTime {
    /// Of a net, played as in `like`; `None` of a limit under which speed does not count.
    pub fn of(net: &NetId, limit: Limit, games: u64, like: &Match) -> Option<Self> {
        let seats = [limit, limit.halved()?].map(|limit| MatchPlayer::new(net.clone(), limit));
        Some(Self(Match { seats, games, ..like.clone() }))
    }

    pub fn game(&self) -> &Match {
        &self.0
    }
}

impl Work for PriceOfTime {
    const KIND: &'static str = "price-of-time";
    const STAGE: &'static str = "price of time";
    const VERSION: u32 = 1;
    type Output = Played;

    fn signature(&self) -> Option<u64> {
        self.0.signature()
    }

    fn needs(&self) -> Vec<Key> {
        self.0.needs()
    }

    fn traits(&self) -> Traits {
        Traits { shards: 1, ..self.0.traits() }
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        self.0.games()
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Played, JobError> {
        self.0.run(context)
    }
}
