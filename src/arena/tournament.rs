//! Tournaments: round robins, gauntlets and single matches.
//!
//! The result of a tournament is a function of its [`TournamentConfig`] and
//! the players alone. Each game depends only on its opening and its two players (which are cleared
//! before it), so games may be played in any order, on any number of threads, and over several
//! sessions: every finished game is appended to a log at once, and a tournament with a log plays
//! only the missing games.

mod counts;
mod log;
mod result;
mod schedule;
mod session;
#[cfg(test)]
mod tests;

pub use result::{PairingResult, TournamentResult};
pub use schedule::{ByColour, Pairing, PlayerId, TournamentSchedule};
pub(super) use session::{Flow, TournamentSession};

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::game::Player;
use super::openings::Opening;
use super::pentanomial::Pentanomial;
use super::record::GameRecord;
use super::rules::GameRules;
use base::Shard;
use base::journal::JournalError;
use chess::EndgameTable;
use counts::PairCounts;
use engine::bench::SIGNATURE;
use log::GameLog;

/// Everything that decides the games, apart from the openings.
///
/// The journal begins with it, and a journal of another identity is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentIdentity {
    /// Distinct names of the players.
    pub players: Vec<String>,
    /// Pairings of the players.
    pub schedule: TournamentSchedule,
    pub rules: GameRules,
    /// Colours with which each opening is played.
    #[serde(default, skip_serializing_if = "ByColour::is_both")]
    pub colours: ByColour,
    /// All other settings that decide the games: nodes per move, hashes of the nets, openings, the
    /// search's signature.
    pub settings: BTreeMap<String, String>,
}

/// A tournament to be played.
#[derive(Clone, Debug)]
pub struct TournamentConfig {
    /// Settings that decide the games.
    pub identity: TournamentIdentity,
    /// Each pairing plays each opening, as a rule twice with colours swapped; the
    /// openings are distinct (see [`super::Openings::take`]). More may be
    /// added later: the log's games are kept.
    pub openings: Vec<Opening>,
    /// Concurrent games, at least 1; without influence on the outcome.
    pub threads: usize,
    /// Endgame tables for adjudication; the identity's settings must name them.
    pub tables: Option<Arc<dyn EndgameTable>>,
}

/// Makes a player, once for each thread in which it plays.
pub type PlayerFactory<'f> = dyn Fn(PlayerId) -> Box<dyn Player + 'f> + Sync + 'f;

/// A game has been finished.
#[derive(Clone, Copy, Debug)]
pub struct GameProgress<'g> {
    /// Games finished, those found in the log included.
    pub finished: usize,
    /// Games of the whole tournament.
    pub total: usize,
    /// The game that has just been finished.
    pub game: &'g GameRecord,
    /// Finished pairs of each pairing, those found in the log included.
    pub pairs: &'g [Pentanomial],
}

/// A tournament that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    #[error("a tournament needs at least two players, not {0}")]
    TooFewPlayers(usize),
    #[error("two players have the name `{0}`; give distinct names")]
    SameName(String),
    #[error("pairing with player {player} of {players}")]
    NoSuchPlayer { player: usize, players: usize },
    #[error("an SPRT is a match between two players, not {0}")]
    NotAMatch(usize),
    #[error(transparent)]
    Log(#[from] JournalError),
}

/// Plays the games that the log lacks, and returns the whole result.
///
/// Without a log nothing is kept between calls. When `stop` is raised, games in progress are
/// abandoned and the result has the finished ones only (see [`TournamentResult::is_complete`]).
///
/// # Errors
///
/// An invalid configuration; a log that cannot be read or written, or that belongs to another
/// tournament.
pub fn play_tournament(
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    log: Option<&Path>,
    progress: &mut (dyn FnMut(GameProgress<'_>) + Send),
    stop: &AtomicBool,
) -> Result<TournamentResult, ArenaError> {
    play_shard(Shard::ALL, config, players, log, progress, stop)
}

/// The same for a part of the pairs, which has a log of its own: [`gather`] joins the games of all
/// parts.
///
/// # Errors
/// As those of [`play_tournament`].
pub fn play_shard(
    shard: Shard,
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    log: Option<&Path>,
    progress: &mut (dyn FnMut(GameProgress<'_>) + Send),
    stop: &AtomicBool,
) -> Result<TournamentResult, ArenaError> {
    let pairings = config.identity.checked_pairings()?;
    let total = config.games_of(shard)?;
    let mut counts = PairCounts::new(pairings.len());
    let session = TournamentSession::new(config, &pairings, players, stop).of_shard(shard);
    let games = session.run(log, &mut |games, new| {
        match new {
            None => games.values().for_each(|game| counts.add(game)),
            Some(game) => {
                counts.add(game);
                progress(GameProgress {
                    finished: games.len(),
                    total,
                    game,
                    pairs: counts.pairs(),
                });
            }
        }
        Flow::Continue
    })?;
    Ok(TournamentResult::new(config, &pairings, games))
}

/// The games of a tournament's log; none without a log.
///
/// # Errors
/// A log that cannot be read, or that belongs to another tournament.
pub fn logged_games(config: &TournamentConfig, log: &Path) -> Result<Vec<GameRecord>, ArenaError> {
    if !log.exists() {
        return Ok(Vec::new());
    }
    let pairings = config.identity.checked_pairings()?;
    let (_, games) = GameLog::open(log, config, &pairings)?;
    Ok(games.into_values().collect())
}

/// Adds the games of the parts' logs to a tournament's log; returns the number of new games.
///
/// # Errors
/// A log that cannot be read or written, or that belongs to another tournament.
pub fn gather(
    config: &TournamentConfig,
    log: &Path,
    parts: &[PathBuf],
) -> Result<usize, ArenaError> {
    let pairings = config.identity.checked_pairings()?;
    let (mut whole, mut known) = GameLog::open(log, config, &pairings)?;
    let before = known.len();
    for part in parts {
        let (_, games) = GameLog::open(part, config, &pairings)?;
        for (key, game) in games {
            if let Entry::Vacant(place) = known.entry(key) {
                whole.append(place.insert(game))?;
            }
        }
    }
    Ok(known.len() - before)
}

impl TournamentConfig {
    /// Games of the whole tournament: each pairing plays each opening, twice if with both colours.
    ///
    /// # Errors
    /// An invalid configuration.
    pub fn games(&self) -> Result<usize, ArenaError> {
        self.games_of(Shard::ALL)
    }

    /// Games of a part of the pairs.
    ///
    /// # Errors
    /// An invalid configuration.
    pub fn games_of(&self, shard: Shard) -> Result<usize, ArenaError> {
        let per_opening = self.identity.colours.games().len();
        let openings = self.pairs(shard).len();
        Ok(per_opening * self.identity.checked_pairings()?.len() * openings)
    }

    /// The pairs of a part, by the numbers of their openings.
    fn pairs(&self, shard: Shard) -> Range<usize> {
        let Range { start, end } = shard.range(self.openings.len() as u64);
        start as usize..end as usize
    }
}

impl TournamentIdentity {
    /// Identity of players by name and fingerprint. It includes the search's signature: another
    /// search plays other games.
    pub fn new(
        players: impl IntoIterator<Item = (String, String)>,
        schedule: TournamentSchedule,
        rules: GameRules,
        openings: String,
    ) -> Self {
        let (names, fingerprints): (Vec<_>, Vec<_>) = players.into_iter().unzip();
        let numbered = (1..).zip(fingerprints).map(|(n, player)| (format!("player {n}"), player));
        let common = [("openings", openings), ("search", SIGNATURE.to_string())];
        let common = common.map(|(key, value)| (key.to_owned(), value));
        let settings = numbered.chain(common).collect();
        Self { players: names, schedule, rules, colours: ByColour::Both, settings }
    }

    #[must_use]
    pub fn by_colour(self, colours: ByColour) -> Self {
        Self { colours, ..self }
    }

    /// The pairings, if the configuration is valid.
    pub fn checked_pairings(&self) -> Result<Vec<Pairing>, ArenaError> {
        let players = self.players.len();
        if players < 2 {
            return Err(ArenaError::TooFewPlayers(players));
        }
        let mut names: Vec<&String> = self.players.iter().collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(ArenaError::SameName(twice[0].clone()));
        }
        let named = match &self.schedule {
            TournamentSchedule::RoundRobin => Vec::new(),
            TournamentSchedule::Gauntlet(reference) => vec![*reference],
            TournamentSchedule::Chosen(chosen) => {
                chosen.iter().flat_map(|p| [p.first, p.second]).collect()
            }
        };
        if let Some(&PlayerId(stranger)) = named.iter().find(|id| id.0 >= players) {
            return Err(ArenaError::NoSuchPlayer { player: stranger, players });
        }
        Ok(self.schedule.pairings(players))
    }
}
