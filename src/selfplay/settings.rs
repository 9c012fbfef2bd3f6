//! Settings of self-play games, and what identifies a file of them.

use std::num::{NonZeroU32, NonZeroU64};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::temperature::Temperature;
use arena::contender::Evaluation;
use arena::{
    BookOrder, DrawRule, GameRules, Opening, Openings, OpeningsError, RandomPlies, ResignRule,
    Switch,
};
use base::{Content, Shard};
use engine::bench::SIGNATURE;

/// Settings of games: the same settings and the same player make the same games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfplaySettings {
    /// Nodes a move after which no new iteration begins.
    pub nodes: NonZeroU64,
    /// Nodes after which a search ends at once; ten times as many by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_nodes: Option<NonZeroU64>,
    /// A book of openings by its content, instead of the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<Content>,
    /// Number of random moves that open a game, after those of the book.
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

impl SelfplaySettings {
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

fn is_off<T>(switch: &Switch<T>) -> bool {
    switch.0.is_none()
}

impl Default for SelfplaySettings {
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

/// Openings of a book for self-play.
///
/// # Errors
/// A file that cannot be read; a book without an opening in which a move can be made.
pub fn book(path: &Path) -> Result<Vec<Opening>, SelfplayBookError> {
    let openings = Openings::from_book(path, None, BookOrder::Sequential)?;
    match openings.as_slice() {
        [] => Err(SelfplayBookError::Empty { path: path.to_owned() }),
        openings => Ok(openings.to_vec()),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SelfplayBookError {
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error("{}: no opening with a legal move", path.display())]
    Empty { path: PathBuf },
}

/// Settings that determine the games of a file. The target is not among them: fewer games are the
/// first ones of more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GamesIdentity {
    /// Signature of the search.
    search: u64,
    player: String,
    #[serde(flatten)]
    settings: SelfplaySettings,
    /// Numbers of the games of a shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    games: Option<Range<u64>>,
}

impl GamesIdentity {
    pub(crate) fn new(player: &Evaluation, settings: &SelfplaySettings) -> Self {
        let (search, player) = (SIGNATURE, player.fingerprint());
        Self { search, player, settings: settings.clone(), games: None }
    }

    pub(crate) fn of_shard(self, shard: Shard, numbers: Range<u64>) -> Self {
        Self { games: (shard != Shard::ALL).then_some(numbers), ..self }
    }

    /// Whether this is a shard of `whole` that begins with game `first`.
    pub(crate) fn is_shard_of(&self, whole: &Self, first: u64) -> bool {
        let begins = self.games.as_ref().is_some_and(|games| games.start == first);
        begins && Self { games: None, ..self.clone() } == *whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::identity::{differences, summary};

    #[test]
    fn differences_are_named() {
        let identity = |player: &Evaluation, settings| GamesIdentity::new(player, &settings);
        let usual = identity(&Evaluation::Pesto, SelfplaySettings::default());
        let text = serde_json::to_string(&usual).unwrap();
        assert_eq!(serde_json::from_str::<GamesIdentity>(&text).unwrap(), usual);
        let settings = SelfplaySettings {
            seed: 2,
            balance: "off".parse().unwrap(),
            temperature: "25/20".parse().unwrap(),
            ..SelfplaySettings::default()
        };
        assert_eq!(
            summary(&differences(&usual, &identity(&Evaluation::Material, settings))).unwrap(),
            "balance was 150, now it is off; player was pesto, now it is material; \
             seed was 1, now it is 2; temperature was not set, now it is 25/20"
        );
    }

    #[test]
    fn shards_follow_each_other() {
        let whole = GamesIdentity::new(&Evaluation::Pesto, &SelfplaySettings::default());
        let shard = whole.clone().of_shard("2/3".parse().unwrap(), 4..8);
        assert!(shard.is_shard_of(&whole, 4) && !shard.is_shard_of(&whole, 40));
        assert!(!whole.is_shard_of(&whole, 0));
        assert_eq!(whole.clone().of_shard(Shard::ALL, 0..8), whole);
    }
}
