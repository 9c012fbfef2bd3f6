//! The file that a match writes its games into.
//!
//! Games of another match are not replaced; nor are they appended to, for the same match played
//! twice would then count twice.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::Failure;
use arena::{TournamentConfig, holds_other_games, logged_games};
use base::compression;

/// Text of a file, plain or compressed.
fn unpacked(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    compression::unpacked(File::open(path)?)?.read_to_end(&mut text)?;
    Ok(text)
}

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
    let games = unpacked(path).map_err(unreadable)?;
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
