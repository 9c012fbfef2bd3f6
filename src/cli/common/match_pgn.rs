//! The file that a match writes its games into.
//!
//! Games of another match are not replaced; nor are they appended to, for the same match played
//! twice would then count twice.

use std::fs;
use std::path::Path;

use super::Failure;
use arena::{TournamentConfig, holds_other_games, logged_games};

/// Refuses a file that holds other games than those of the match's log.
pub(crate) fn ensure_replaceable(
    path: &Path,
    config: &TournamentConfig,
    log: Option<&Path>,
) -> Result<(), Failure> {
    if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Ok(());
    }
    let unreadable = |error| Failure::message(format!("{}: {error}", path.display()));
    let games = fs::read(path).map_err(unreadable)?;
    let own = log.map_or(Ok(Vec::new()), |log| logged_games(config, log));
    let own = own?;
    match holds_other_games(&games, &own)? {
        false => Ok(()),
        true => Err(Failure::usage(format!(
            "--pgn {}: the file has games of another match; give another name, or \
             remove the file",
            path.display()
        ))),
    }
}
