//! What decides the games of a production, besides who plays them.

use std::num::{NonZeroU32, NonZeroU64};

use super::adjudication::Adjudication;
use super::opening::RandomPlies;
use arena::Switch;

/// How games are made. The same recipe and the same player make the same games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Nodes a move after which no new iteration begins.
    pub nodes: NonZeroU64,
    /// How many random moves open a game.
    pub random_plies: RandomPlies,
    /// Openings judged worse than this for either side are drawn again, in centipawns.
    pub balance: Switch<NonZeroU32>,
    /// When a game is called won or drawn.
    pub adjudication: Adjudication,
    /// Another seed, other games.
    pub seed: u64,
    /// Table of each player, in MiB.
    pub hash_mb: usize,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            nodes: const { NonZeroU64::new(2_500).unwrap() },
            random_plies: RandomPlies::default(),
            balance: Switch(NonZeroU32::new(150)),
            adjudication: Adjudication::default(),
            seed: 1,
            hash_mb: 2,
        }
    }
}
