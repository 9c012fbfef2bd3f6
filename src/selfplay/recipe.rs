//! What decides the games of a production, besides who plays them.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use super::temperature::Temperature;
use arena::{DrawRule, GameRules, RandomPlies, ResignRule, Switch};
use base::Content;

/// How games are made. The same recipe and the same player make the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Nodes a move after which no new iteration begins.
    pub nodes: NonZeroU64,
    /// Nodes after which a search ends at once; ten times as many if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_nodes: Option<NonZeroU64>,
    /// A book of openings by its content, instead of the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Content>,
    /// How many random moves open a game, after those of the book.
    pub random_plies: RandomPlies,
    /// Openings judged worse than this for either side are drawn again, in centipawns.
    pub balance: Switch<NonZeroU32>,
    /// Moves that are drawn by chance.
    #[serde(default = "off", skip_serializing_if = "is_off")]
    pub temperature: Switch<Temperature>,
    pub rules: GameRules,
    /// Another seed, other games.
    pub seed: u64,
    /// Table of each player, in MiB.
    pub hash_mb: usize,
}

impl Recipe {
    /// Games are played on longer than in a match before a win is called: how they are won
    /// is worth learning.
    pub const RULES: GameRules = GameRules {
        draw: Some(DrawRule { from_move: 40, moves: 5, bound_cp: 8 }),
        resign: Some(ResignRule { moves: 2, bound_cp: 1_500 }),
        max_plies: Some(400),
        ..GameRules::without_adjudication()
    };
}

fn off<T>() -> Switch<T> {
    Switch(None)
}

/// What recipes did not have once is not written where it is not wanted, so that they keep
/// their keys.
fn is_off<T>(switch: &Switch<T>) -> bool {
    switch.0.is_none()
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            nodes: const { NonZeroU64::new(2_500).unwrap() },
            hard_nodes: None,
            book: None,
            random_plies: RandomPlies::between(6, 9),
            balance: Switch(NonZeroU32::new(150)),
            temperature: Switch(None),
            rules: Self::RULES,
            seed: 1,
            hash_mb: 2,
        }
    }
}
