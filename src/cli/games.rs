//! Playing games while somebody watches.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::progress::Progress;
use crate::arena::{PlayerFactory, TournamentConfig, TournamentResult, play_tournament};
use crate::experiment::Observer;

/// Plays a tournament and shows how far it is. `stage` says what for.
pub fn play(
    stage: &str,
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    log: Option<&Path>,
    stop: &AtomicBool,
) -> Result<TournamentResult, Failure> {
    let games = config.games().map_err(Failure::from_error)?;
    let mut progress = Progress::default();
    progress.begin(stage, games as u64, "games");
    let progress = Mutex::new(progress);
    let mut on_game = |at: crate::arena::Progress<'_>| {
        if let Ok(mut progress) = progress.lock() {
            progress.advance(at.finished as u64, "");
        }
    };
    let result = play_tournament(config, players, log, &mut on_game, stop);
    if let Ok(mut progress) = progress.lock() {
        progress.end("");
    }
    result.map_err(Failure::from_error)
}
