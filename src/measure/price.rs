//! What time is worth.

use serde::{Deserialize, Serialize};

use crate::{Desk, Match, MeasureError, Measurement, NetId, Played, Seat};
use arena::Limit;

/// A net against itself with half the time: a set whose nodes take twice as long gets half
/// of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceOfTime(Match);

impl PriceOfTime {
    /// Of a net, played as in `like`; `None` of a limit that is no time.
    pub fn of(net: &NetId, limit: Limit, games: u64, like: &Match) -> Option<Self> {
        let seats = [limit, limit.halved()?].map(|limit| Seat { net: net.clone(), limit });
        Some(Self(Match { seats, games, ..like.clone() }))
    }

    pub fn game(&self) -> &Match {
        &self.0
    }
}

impl Measurement for PriceOfTime {
    type Found = Played;
    const KIND: &'static str = "price-of-time";
    const VERSION: u32 = 1;

    fn nets(&self) -> Vec<&NetId> {
        self.0.nets()
    }

    fn searches(&self) -> bool {
        self.0.searches()
    }

    fn is_timed(&self) -> bool {
        self.0.is_timed()
    }

    fn games(&self) -> Result<Option<String>, MeasureError> {
        self.0.games()
    }

    fn take(&self, desk: &mut Desk<'_>) -> Result<Played, MeasureError> {
        self.0.take(desk)
    }
}
