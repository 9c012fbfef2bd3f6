//! The file that a match writes its games into.
//!
//! It is written whole, from the log if there is one, so a match that goes on replaces what it
//! wrote before. Games of another match are not replaced; nor are they appended to, for the same
//! match played twice would then count twice.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::Failure;
use arena::{TournamentConfig, logged_games, write_pgn};

/// Refuses a file that holds other games than those of the match's log.
pub(super) fn ensure_replaceable(
    path: &Path,
    config: &TournamentConfig,
    log: Option<&Path>,
) -> Result<(), Failure> {
    if !fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) {
        return Ok(());
    }
    let own = games_of(log, config)?;
    let unreadable = |error| Failure::message(format!("{}: {error}", path.display()));
    // Without games of its own it needs no look at those of others, which may be many.
    let is_own = !own.is_empty() && {
        let text = fs::read(path).map_err(unreadable)?;
        games(&String::from_utf8_lossy(&text)).all(|game| own.contains(game))
    };
    match is_own {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "--pgn {}: the file holds games that are not of this match; give another name, or \
             remove the file",
            path.display()
        ))),
    }
}

/// The games of the log as they are written.
fn games_of(log: Option<&Path>, config: &TournamentConfig) -> Result<HashSet<String>, Failure> {
    let Some(log) = log else { return Ok(HashSet::new()) };
    let records = logged_games(config, log).map_err(Failure::from_error)?;
    let mut text = Vec::new();
    write_pgn(&mut text, "", &records).map_err(Failure::from_error)?;
    Ok(games(&String::from_utf8_lossy(&text)).map(str::to_owned).collect())
}

/// Games from their second tag on: the first one names the command.
fn games(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.split("[Event \"").filter(|game| !game.trim().is_empty());
    whole.map(|game| game.split_once('\n').map_or(game, |(_, rest)| rest).trim_end())
}
