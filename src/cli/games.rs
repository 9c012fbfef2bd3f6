//! Games with progress, and their PGN and page.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::command_line::command_line;
use super::match_flags::{MatchFlags, Output};
use super::progress::Progress;
use super::signals::stop_flag;
use super::{Failure, json, standings};
use arena::contender::Contender;
use arena::{
    ArenaError, Bootstrap, GameProgress, GameRecord, PlayerFactory, RatingScale, Ratings, Sprt,
    SprtMatch, SprtStatus, TournamentConfig, TournamentResult, Watchdog, play_sprt,
    play_tournament, write_pgn,
};
use base::Observer;
use base::partial::PartialFile;
use measure::tournament;
use plan::Control;
use report::{Page, Provenance};

/// Plays under a watchdog for standstills of the machine; returns its warnings.
pub(super) fn watched<T>(contenders: &[Contender], play: impl FnOnce() -> T) -> (T, Vec<String>) {
    if !contenders.iter().any(|one| one.time_control().is_timed()) {
        return (play(), Vec::new());
    }
    let watchdog = Watchdog::start();
    let played = play();
    let warning = watchdog.finish().warning();
    (played, warning.into_iter().collect())
}

/// Plays a tournament with progress; `stage` is its label.
pub(super) fn play(
    stage: &str,
    config: &TournamentConfig,
    players: &PlayerFactory<'_>,
    output: Output<'_>,
    stop: &AtomicBool,
) -> Result<TournamentResult, Failure> {
    let games = config.games()? as u64;
    with_progress(stage, games, |advance| {
        let mut on_game = |at: GameProgress<'_>| {
            if output.json {
                json::print(&json::game(&at));
            }
            advance(at.finished as u64, standings::live(at.pairs));
        };
        play_tournament(config, players, output.log, &mut on_game, stop)
    })
}

/// Plays a test with its LLR as progress.
pub(super) fn test(
    config: &TournamentConfig,
    sprt: &Sprt,
    players: &PlayerFactory<'_>,
    output: Output<'_>,
    stop: &AtomicBool,
) -> Result<SprtMatch, Failure> {
    let mut games = 0;
    // Its end is unknown.
    with_progress("sprt", 0, |advance| {
        let mut on_game = |status: &SprtStatus, _: &GameRecord| {
            games += 1;
            if output.json {
                json::print(&json::step(games, status));
            }
            advance(games, standings::live_test(sprt, status));
        };
        play_sprt(config, sprt, players, output.log, &mut on_game, stop)
    })
}

/// Plays games whose progress comes from any thread.
fn with_progress<T: Send>(
    stage: &str,
    total: u64,
    play: impl FnOnce(&(dyn Fn(u64, String) + Sync)) -> Result<T, ArenaError> + Send,
) -> Result<T, Failure> {
    let mut progress = Progress::default();
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    let played = control.follow(stage, total, "games", play);
    progress.end("");
    Ok(played?)
}

/// Context of the results of games.
pub(super) struct Account<'a> {
    /// The command: `oplus match`.
    pub command: &'a str,
    /// Origin of the ratings.
    pub scale: RatingScale,
    /// The test that the games were played for.
    pub sprt: Option<&'a Sprt>,
    /// Warnings from the time of play.
    pub warnings: Vec<String>,
    /// Start of this session.
    pub began: Instant,
}

/// Writes the requested outputs: the games, a page. A stopped match replaces no existing ones.
pub(super) fn keep(
    flags: &MatchFlags,
    result: &TournamentResult,
    account: &Account<'_>,
) -> Result<(), Failure> {
    let is_stopped = stop_flag().load(Ordering::Relaxed) && !result.is_complete();
    if let Some(path) = &flags.pgn {
        let mut out = PartialFile::create(path).map_err(|error| unwritable(path, error))?;
        write_pgn(&mut out, account.command, result.records())?;
        if is_stopped && holds_something(path) {
            let partial = out.leave().map_err(|error| unwritable(path, error))?;
            eprintln!("{} is unchanged; games so far: {}", path.display(), partial.display());
        } else {
            out.finish().map_err(|error| unwritable(path, error))?;
        }
    }
    let has_pairs = result.pairings.iter().any(|pairing| pairing.pentanomial.pairs() > 0);
    let stays = |folder: &Path| is_stopped && holds_something(&folder.join("index.html"));
    if let Some(folder) = flags.report.as_ref().filter(|folder| has_pairs && !stays(folder)) {
        let ratings = match Ratings::of(result, &account.scale, Bootstrap::default()) {
            // The first games need not connect all players.
            Err(_) if is_stopped => return Ok(()),
            rated => rated?,
        };
        let page = page(flags, result, &ratings, account)?;
        let written = page.write(folder)?;
        eprintln!("report: {}", written.page.display());
    }
    Ok(())
}

fn holds_something(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

/// The page of the games.
pub(super) fn page(
    flags: &MatchFlags,
    result: &TournamentResult,
    ratings: &Ratings,
    account: &Account<'_>,
) -> Result<Page, Failure> {
    // Several such pages may be open at once.
    let title = format!("{}: {}", result.players.join(" · "), flags.limits_summary());
    let seconds = account.began.elapsed().as_secs_f64();
    let provenance = Provenance {
        conditions: conditions(flags, result),
        ..Provenance::here(command_line(), base::cores(), seconds)
    };
    let page = tournament::page(&title, provenance, result, ratings, account.sprt);
    let mut page = page?;
    page.warnings.extend_from_slice(&account.warnings);
    Ok(page)
}

/// Prints the reservations about the result.
pub(super) fn warn(account: &Account<'_>) {
    account.warnings.iter().for_each(|warning| println!("warning: {warning}"));
}

/// Conditions of the games, for the page.
fn conditions(flags: &MatchFlags, result: &TournamentResult) -> Vec<(String, String)> {
    let games: u64 = result.pairings.iter().map(|pairing| pairing.games.games()).sum();
    let named = [
        ("limits", flags.limits_summary()),
        ("openings", flags.openings_summary()),
        ("adjudication", flags.adjudication_summary()),
        ("games", games.to_string()),
    ];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Fails if games are missing.
pub(super) fn finished(result: &TournamentResult, log: Option<&Path>) -> Result<(), Failure> {
    match result.is_complete() {
        true => Ok(()),
        false => Err(stopped(log)),
    }
}

/// Games that were stopped are kept in a log only.
pub(super) fn stopped(log: Option<&Path>) -> Failure {
    match log {
        Some(_) => Failure::Stopped("the same command resumes from its log"),
        None => Failure::Interrupted("--log makes matches resumable"),
    }
}

fn unwritable(path: &Path, error: std::io::Error) -> Failure {
    Failure::message(format!("cannot write {}: {error}", path.display()))
}
