//! A tournament whose games are kept pairing by pairing.
//!
//! A game depends on its opening and its two players alone. So the games of every two stand
//! in a log of their own, named by what decides them: whoever else takes part, today or
//! later, they are found again and not played twice. Pairings are played one after the other,
//! each by all threads, so that one log at a time is open however many players there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::log::{self, LogError};
use super::{
    ABOUT, ArenaError, Identity, Pairing, PairingResult, PlayerFactory, PlayerId, Progress,
    TournamentConfig, TournamentResult, play_tournament,
};
use crate::record::{GameKey, GameRecord};

/// Where the logs lie.
#[derive(Clone, Copy, Debug)]
pub struct PairingLogs<'l> {
    /// The folder.
    pub folder: &'l Path,
    /// How their names begin; a hash of what decides the games follows.
    pub stem: &'l str,
}

/// Plays what the logs do not hold yet, as [`play_tournament`] does; settings about one
/// player alone stand under [`Identity::key_of`] it.
///
/// # Errors
///
/// As [`play_tournament`].
pub fn play_pairings(
    config: &TournamentConfig,
    logs: PairingLogs<'_>,
    players: &PlayerFactory<'_>,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
    stop: &AtomicBool,
) -> Result<TournamentResult, ArenaError> {
    let pairings = config.identity.checked_pairings()?;
    let total = config.games()?;
    let mut results = Vec::with_capacity(pairings.len());
    for (index, &pairing) in pairings.iter().enumerate() {
        let two = Two::of(config, pairing);
        let path = logs.path(&two.config.identity);
        if !path.exists() {
            logs.adopt(&two.config, &path)?;
        }
        let before = 2 * index * config.openings.len();
        let mut shifted = |at: Progress<'_>| {
            progress(Progress { finished: before + at.finished, total, ..at });
        };
        let seat = |PlayerId(id): PlayerId| players(two.seats[id]);
        let result = play_tournament(&two.config, &seat, Some(&path), &mut shifted, stop)?;
        let only = result.pairings.into_iter().next();
        results.extend(only.map(|only: PairingResult| only.moved(index, pairing, two.turned)));
    }
    Ok(TournamentResult {
        players: config.identity.players.clone(),
        pairs: config.openings.len(),
        pairings: results,
    })
}

/// A pairing as a tournament of its own, its players in the order of their names, so that it
/// is the same whoever comes first elsewhere.
struct Two {
    config: TournamentConfig,
    seats: [PlayerId; 2],
    turned: bool,
}

impl Two {
    fn of(config: &TournamentConfig, pairing: Pairing) -> Self {
        let name = |PlayerId(id): PlayerId| config.identity.players[id].as_str();
        let mut seats = [pairing.first, pairing.second];
        let turned = name(seats[0]) > name(seats[1]);
        if turned {
            seats.reverse();
        }
        let identity = config.identity.of_two(name(seats[0]), name(seats[1]));
        Self { config: TournamentConfig { identity, ..config.clone() }, seats, turned }
    }
}

impl PairingLogs<'_> {
    fn path(&self, two: &Identity) -> PathBuf {
        // Plain data: serialising it cannot fail.
        let key = blake3::hash(&serde_json::to_vec(two).unwrap_or_default()).to_hex();
        self.folder.join(format!("{}-{}.jsonl", self.stem, &key[..12]))
    }

    /// Begins a log with games of the two that stand in one of a larger tournament, as were
    /// kept before each pairing had its own.
    fn adopt(&self, two: &TournamentConfig, path: &Path) -> Result<(), LogError> {
        let Ok(folder) = std::fs::read_dir(self.folder) else { return Ok(()) };
        let begins = format!("{}-", self.stem);
        let is_one = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&begins) && name.ends_with(".jsonl")
        };
        let mut others: Vec<PathBuf> =
            folder.flatten().map(|entry| entry.path()).filter(is_one).collect();
        others.sort();
        let games = others.iter().filter_map(|other| games_of(two, other));
        match games.max_by_key(BTreeMap::len) {
            Some(games) if !games.is_empty() => {
                log::write_whole(path, &two.identity, games.values())
            }
            _ => Ok(()),
        }
    }
}

/// Games of two players in the log of a larger tournament that was played alike.
fn games_of(two: &TournamentConfig, log: &Path) -> Option<BTreeMap<GameKey, GameRecord>> {
    let (identity, records) = log::read_foreign(log)?;
    if !is_part_of(&two.identity, &with_settings_apart(identity)) {
        return None;
    }
    let openings: Vec<_> = two.openings.iter().map(log::as_recorded).collect();
    let [first, second] = [&two.identity.players[0], &two.identity.players[1]];
    let mut games = BTreeMap::new();
    for mut game in records {
        let swapped = match (&game.white, &game.black) {
            (white, black) if (white, black) == (first, second) => false,
            (white, black) if (white, black) == (second, first) => true,
            _ => continue,
        };
        let pair = game.key.pair;
        if openings
            .get(pair)
            .is_some_and(|(start, book)| *start == game.start && *book == game.book)
        {
            game.key = GameKey { pairing: 0, pair, swapped };
            games.entry(game.key).or_insert(game);
        }
    }
    Some(games)
}

/// Whether all that decides the games of the two was so in the larger tournament.
fn is_part_of(two: &Identity, larger: &Identity) -> bool {
    let plays = |player| larger.players.contains(player);
    two.rules == larger.rules
        && two.players.iter().all(plays)
        && two.settings.iter().all(|(key, value)| larger.settings.get(key) == Some(value))
}

/// Experiments had their nets in one setting for all players.
fn with_settings_apart(mut identity: Identity) -> Identity {
    let is_apart = identity.settings.keys().any(|key| key.starts_with(ABOUT));
    if let (false, Some(nets)) = (is_apart, identity.settings.get("nets").cloned()) {
        let nets = identity.players.iter().zip(nets.split(' '));
        let of_players = nets.map(|(player, net)| (Identity::key_of(player), net.to_owned()));
        identity.settings.extend(of_players);
    }
    identity
}
