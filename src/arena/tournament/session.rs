//! The threads that play a tournament's missing games, and the collector of their results.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::log::GameLog;
use super::schedule::{Pairing, PlayerId};
use super::{PlayerFactory, TournamentConfig};
use crate::game::{Player, play_game};
use crate::record::{GameKey, GameRecord};
use crate::rules::Referee;
use base::Shard;
use base::journal::JournalError;
use chess::ByColor;

/// Finished games by their keys.
pub(super) type Games = BTreeMap<GameKey, GameRecord>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Play on.
    Continue,
    /// Begin no new game; those in progress are finished and kept.
    Enough,
}

/// Receives the games finished so far, first those of the log (without a new game), then after
/// every game.
pub(super) type GameWatch<'w> = dyn FnMut(&Games, Option<&GameRecord>) -> Flow + Send + 'w;

pub(crate) struct TournamentSession<'s, 'p> {
    config: &'s TournamentConfig,
    pairings: &'s [Pairing],
    players: &'s PlayerFactory<'p>,
    stop: &'s AtomicBool,
    enough: AtomicBool,
    next: AtomicUsize,
    shard: Shard,
}

/// Collects finished games, from one thread at a time.
struct Collector<'d, 'w> {
    log: Option<GameLog>,
    games: Games,
    error: Option<JournalError>,
    watch: &'d mut GameWatch<'w>,
}

/// The players that a thread has made so far.
type ThreadPlayers<'p> = HashMap<PlayerId, Box<dyn Player + 'p>>;

impl<'s, 'p> TournamentSession<'s, 'p> {
    pub(crate) fn new(
        config: &'s TournamentConfig,
        pairings: &'s [Pairing],
        players: &'s PlayerFactory<'p>,
        stop: &'s AtomicBool,
    ) -> Self {
        let (enough, next) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { config, pairings, players, stop, enough, next, shard: Shard::ALL }
    }

    /// The same for a part of the pairs.
    pub(crate) fn of_shard(self, shard: Shard) -> Self {
        Self { shard, ..self }
    }

    /// Plays the games that the log lacks, until `watch` ends the session, and returns all finished
    /// games.
    pub(crate) fn run(
        self,
        log: Option<&Path>,
        watch: &mut GameWatch<'_>,
    ) -> Result<Games, JournalError> {
        let (log, games) = match log {
            Some(path) => {
                let (log, games) = GameLog::open(path, self.config, self.pairings)?;
                (Some(log), games)
            }
            None => (None, Games::new()),
        };
        let missing = self.missing_games(&games);
        if watch(&games, None) == Flow::Continue {
            let collector = Mutex::new(Collector { log, games, error: None, watch });
            self.play_all(&missing, &collector);
            let collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
            collector.error.map_or(Ok(collector.games), Err)
        } else {
            Ok(games)
        }
    }

    /// Games not played yet, pair by pair and in each pair through all pairings, so that a
    /// tournament stopped half way has compared all equally.
    fn missing_games(&self, known: &Games) -> Vec<GameKey> {
        let pairings = self.pairings.len();
        let colours = self.config.identity.colours;
        self.config
            .pairs(self.shard)
            .flat_map(|pair| (0..pairings).map(move |pairing| (pairing, pair)))
            .flat_map(|(pairing, pair)| {
                let game = move |&swapped: &bool| GameKey { pairing, pair, swapped };
                colours.games().iter().map(game)
            })
            .filter(|key| !known.contains_key(key))
            .collect()
    }

    fn play_all(&self, missing: &[GameKey], collector: &Mutex<Collector<'_, '_>>) {
        let threads = self.config.threads.clamp(1, missing.len().max(1));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(missing, collector));
            }
        });
    }

    /// Plays one missing game after the other until none is left or `watch` ends the session.
    fn work(&self, missing: &[GameKey], collector: &Mutex<Collector<'_, '_>>) {
        let mut players_here = ThreadPlayers::new();
        while let Some(&key) = missing.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if self.stop.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed) {
                return;
            }
            let Some(record) = self.play(key, &mut players_here) else { return };
            let flow = collector.lock().unwrap_or_else(PoisonError::into_inner).take(record);
            if flow == Flow::Enough {
                self.enough.store(true, Ordering::Relaxed);
            }
        }
    }

    /// `None` if the game was stopped.
    fn play(&self, key: GameKey, players_here: &mut ThreadPlayers<'p>) -> Option<GameRecord> {
        let Pairing { first, second } = self.pairings[key.pairing];
        let (white, black) = if key.swapped { (second, first) } else { (first, second) };
        let opening = &self.config.openings[key.pair];
        let mut take = |id| players_here.remove(&id).unwrap_or_else(|| (self.players)(id));
        let (mut white_player, mut black_player) = (take(white), take(black));
        let at_board =
            ByColor::<&mut dyn Player> { white: &mut *white_player, black: &mut *black_player };
        let TournamentConfig { identity, tables, .. } = self.config;
        let referee = Referee { rules: &identity.rules, tables: tables.as_deref() };
        let game = play_game(opening, at_board, referee, self.stop);
        players_here.insert(white, white_player);
        players_here.insert(black, black_player);
        let name = |PlayerId(id): PlayerId| identity.players[id].as_str();
        Some(GameRecord::new(key, name(white), name(black), opening, &game?))
    }
}

impl Collector<'_, '_> {
    /// Logs a game and passes it to the watch. After a failure no more games are logged.
    fn take(&mut self, record: GameRecord) -> Flow {
        if self.error.is_some() {
            return Flow::Enough;
        }
        if let Some(Err(error)) = self.log.as_mut().map(|log| log.append(&record)) {
            self.error = Some(error);
            return Flow::Enough;
        }
        let key = record.key;
        self.games.insert(key, record);
        (self.watch)(&self.games, self.games.get(&key))
    }
}
