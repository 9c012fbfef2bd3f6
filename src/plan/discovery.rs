//! What is asked of nets to find sets, as definitions and results.

use std::num::NonZeroU64;
use std::ops::Range;

use ::discovery::Purpose;
use base::Key;
use measure::{NetId, Teaching};
use serde::{Deserialize, Serialize};

pub use crate::worker::check_screening as check;

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Discovery {
    /// What would candidates explain?
    Screen(Screen),
    /// What do sets cost?
    Costs(Costs),
    /// Which of two nets is right more often?
    Compare(Compare),
    /// Which rows does a net live on?
    Rank(Rank),
}

/// Games that no net was trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The job that prepares positions, of which these are those that validate.
    pub positions: Key,
    pub purpose: Purpose,
    /// At most about so many positions.
    pub at_most: NonZeroU64,
}

/// Candidates to be asked beside a net. The answer is [`Screened`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    pub net: NetId,
    /// What it was taught.
    pub teaching: Teaching,
    /// What it is asked about.
    pub games: HeldOut,
    /// Centipawns that a weight rarely exceeds.
    pub prior_cp: f64,
    /// The candidates, as expressions.
    pub candidates: Vec<String>,
}

/// Sets whose costs are measured on a quiet machine. The answer are nanoseconds a move of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    pub sets: Vec<String>,
    /// Weights of a row.
    pub width: usize,
}

/// Two nets to be compared on the same positions. The answer is a
/// [`Contrast`](::discovery::Contrast).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    /// The first, and the one that may be better.
    pub nets: [NetId; 2],
    /// What both were taught.
    pub teaching: Teaching,
    /// What they are asked about.
    pub games: HeldOut,
}

/// Rows to be ranked. The answer is [`Ranked`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rank {
    pub net: NetId,
    /// What it was taught.
    pub teaching: Teaching,
    /// What it is asked about.
    pub games: HeldOut,
    pub rows: Range<usize>,
}

/// What candidates came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Screened {
    /// Mean loss of the net.
    pub loss: f64,
    /// What one more weight for each of the net's own features gains.
    pub own_gain: ::discovery::Gain,
    pub candidates: Vec<::discovery::Screened>,
}

/// Rows that were ranked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ranked {
    /// Counted from the first that was asked; the most salient first.
    pub rows: Vec<u32>,
    /// How many of them are salient at all: the others were never active.
    pub useful: usize,
}

impl Discovery {
    /// Raised whenever that is asked otherwise than before.
    pub(crate) fn version(&self) -> u32 {
        match self {
            Self::Compare(_) => 2,
            Self::Screen(_) | Self::Costs(_) | Self::Rank(_) => 3,
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Screen(_) => "screen",
            Self::Costs(_) => "costs",
            Self::Compare(_) => "compare",
            Self::Rank(_) => "rank",
        }
    }

    fn games(&self) -> Option<&HeldOut> {
        match self {
            Self::Screen(Screen { games, .. })
            | Self::Compare(Compare { games, .. })
            | Self::Rank(Rank { games, .. }) => Some(games),
            Self::Costs(_) => None,
        }
    }

    fn nets(&self) -> &[NetId] {
        match self {
            Self::Screen(Screen { net, .. }) | Self::Rank(Rank { net, .. }) => {
                std::slice::from_ref(net)
            }
            Self::Compare(Compare { nets, .. }) => nets,
            Self::Costs(_) => &[],
        }
    }

    /// Jobs that have to be done before.
    pub(crate) fn needs(&self) -> Vec<Key> {
        let nets = self.nets().iter().filter_map(NetId::job);
        nets.chain(self.games().map(|games| games.positions)).collect()
    }

    /// Whether clocks decide what comes of it.
    pub(crate) fn is_timed(&self) -> bool {
        matches!(self, Self::Costs(_))
    }
}
