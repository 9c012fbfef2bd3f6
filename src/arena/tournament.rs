//! Many games: everybody against everybody, or against one.
//!
//! The result of a tournament is a function of its [`TournamentConfig`] and
//! the players alone. Each game depends on nothing but its opening and its two
//! players (who forget everything before it), so games may be played in any
//! order, on any number of threads, and over several sittings: every finished
//! game is appended to a log at once, and a tournament that finds its log
//! plays only what is missing.

mod log;
mod result;
mod schedule;
#[cfg(test)]
mod tests;

pub use log::LogError;
pub use result::{PairingResult, TournamentResult};
pub use schedule::{Pairing, PlayerId, Schedule};

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use self::log::GameLog;
use super::game::{Player, play_game};
use super::openings::Opening;
use super::record::{GameKey, GameRecord};
use super::rules::GameRules;
use crate::chess::ByColor;

/// Everything that decides the games, apart from the openings.
///
/// It heads the log, and a log with another identity is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Distinct names of the players.
    pub players: Vec<String>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// When games end.
    pub rules: GameRules,
    /// Whatever else decides the games: nodes per move, hashes of the nets,
    /// version of the program…
    pub settings: BTreeMap<String, String>,
}

/// A tournament to be played.
#[derive(Clone, Debug)]
pub struct TournamentConfig {
    /// What decides the games.
    pub identity: Identity,
    /// Each pairing plays each opening twice, with colours swapped; the
    /// openings are distinct (see [`super::Openings::take`]). More may be
    /// added later: the log's games are kept.
    pub openings: Vec<Opening>,
    /// Games played at once, at least 1; has no influence on the outcome.
    pub threads: usize,
}

/// Makes a player. Called once for each thread in which the player plays.
pub type PlayerFactory<'f> = dyn Fn(PlayerId) -> Box<dyn Player + 'f> + Sync + 'f;

/// A game has been finished.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'g> {
    /// Games finished, those found in the log included.
    pub finished: usize,
    /// Games of the whole tournament.
    pub total: usize,
    /// The game that has just been finished.
    pub game: &'g GameRecord,
}

/// A tournament that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// Nobody to play against.
    #[error("a tournament needs at least two players, not {0}")]
    TooFewPlayers(usize),
    /// Names must tell players apart.
    #[error("two players are called `{0}`; give each its own name")]
    SameName(String),
    /// A gauntlet against nobody.
    #[error("the gauntlet's reference is player {reference}, but there are {players} players")]
    NoSuchReference {
        /// Index given.
        reference: usize,
        /// Number of players.
        players: usize,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
}

/// Plays what the log does not hold yet, and returns the whole result.
///
/// Without a log nothing is kept between calls. When `stop` is raised the
/// games in progress are abandoned and the result is of what was finished
/// ([`TournamentResult::is_complete`] tells).
///
/// # Errors
///
/// A senseless configuration; a log that cannot be read or written, or that
/// belongs to another tournament.
pub fn play_tournament(
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    log: Option<&Path>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
    stop: &AtomicBool,
) -> Result<TournamentResult, ArenaError> {
    let pairings = config.identity.checked_pairings()?;
    let (log, known) = match log {
        Some(path) => {
            let (log, known) = GameLog::open(path, config, &pairings)?;
            (Some(log), known)
        }
        None => (None, BTreeMap::new()),
    };
    let missing = missing_games(&pairings, config.openings.len(), &known);
    let session = Session {
        config,
        pairings: &pairings,
        players,
        stop,
        missing: &missing,
        next: AtomicUsize::new(0),
        desk: Mutex::new(Desk { log, games: known, error: None, progress }),
    };
    session.run();
    let desk = session.desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    match desk.error {
        Some(error) => Err(error.into()),
        None => Ok(TournamentResult::new(config, &pairings, desk.games)),
    }
}

impl Identity {
    /// The pairings, if the configuration makes sense.
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
        if let Schedule::Gauntlet(PlayerId(reference)) = self.schedule
            && reference >= players
        {
            return Err(ArenaError::NoSuchReference { reference, players });
        }
        Ok(self.schedule.pairings(players))
    }
}

/// Games not played yet, pair by pair and in each pair through all pairings,
/// so that a tournament stopped half way has compared everybody alike.
fn missing_games(
    pairings: &[Pairing],
    pairs: usize,
    known: &BTreeMap<GameKey, GameRecord>,
) -> Vec<GameKey> {
    let mut missing = Vec::new();
    for pair in 0..pairs {
        for pairing in 0..pairings.len() {
            let games = [false, true].map(|swapped| GameKey { pairing, pair, swapped });
            missing.extend(games.into_iter().filter(|key| !known.contains_key(key)));
        }
    }
    missing
}

/// One sitting of a tournament.
struct Session<'s, 'p> {
    config: &'s TournamentConfig,
    pairings: &'s [Pairing],
    players: &'s PlayerFactory<'p>,
    stop: &'s AtomicBool,
    missing: &'s [GameKey],
    next: AtomicUsize,
    desk: Mutex<Desk<'s>>,
}

/// Where finished games are handed in.
struct Desk<'s> {
    log: Option<GameLog>,
    games: BTreeMap<GameKey, GameRecord>,
    error: Option<LogError>,
    progress: &'s mut (dyn FnMut(Progress<'_>) + Send),
}

impl<'p> Session<'_, 'p> {
    fn run(&self) {
        let threads = self.config.threads.clamp(1, self.missing.len().max(1));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work());
            }
        });
    }

    /// Plays one missing game after the other until there is none.
    fn work(&self) {
        let mut seats = HashMap::new();
        while let Some(&key) = self.missing.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let Some(record) = self.play(key, &mut seats) else { return };
            if !self.hand_in(record) {
                return;
            }
        }
    }

    fn play(&self, key: GameKey, seats: &mut Seats<'p>) -> Option<GameRecord> {
        let Pairing { first, second } = self.pairings[key.pairing];
        let (white, black) = if key.swapped { (second, first) } else { (first, second) };
        let opening = &self.config.openings[key.pair];
        let mut take = |id| seats.remove(&id).unwrap_or_else(|| (self.players)(id));
        let (mut white_player, mut black_player) = (take(white), take(black));
        let at_board =
            ByColor::<&mut dyn Player> { white: &mut *white_player, black: &mut *black_player };
        let game = play_game(opening, at_board, &self.config.identity.rules, self.stop);
        seats.insert(white, white_player);
        seats.insert(black, black_player);
        let name = |PlayerId(id): PlayerId| self.config.identity.players[id].as_str();
        Some(GameRecord::new(key, name(white), name(black), opening, &game?))
    }

    /// Logs a game; `false` if that failed, now or before in another thread.
    fn hand_in(&self, record: GameRecord) -> bool {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        if desk.error.is_some() {
            return false;
        }
        if let Some(Err(error)) = desk.log.as_mut().map(|log| log.append(&record)) {
            desk.error = Some(error);
            return false;
        }
        let total = 2 * self.pairings.len() * self.config.openings.len();
        let finished = desk.games.len() + 1;
        (desk.progress)(Progress { finished, total, game: &record });
        desk.games.insert(record.key, record);
        true
    }
}

/// The players that a thread has made so far.
type Seats<'p> = HashMap<PlayerId, Box<dyn Player + 'p>>;
