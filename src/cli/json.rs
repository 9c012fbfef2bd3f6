//! Output for programs: a line of JSON each, with its kind as `event`.
//!
//! Numbers are not rounded; unknown and unbounded ones are `null`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use arena::{
    Decision, Estimate, GameProgress, Pentanomial, Ratings, Sprt, SprtStatus, TournamentResult,
};
use base::{Observer, Stopwatch};
use measure::tournament;
use report::Page;
pub(super) use report::render::json::estimate;
use report::render::json::rows;
use selfplay::Throughput;

pub(super) fn print(line: &Value) {
    println!("{line}");
}

/// Statistics of pairs.
pub(super) fn pairs(pairs: &Pentanomial) -> Value {
    let of = |elo: Option<Estimate>| elo.as_ref().map(estimate);
    json!({
        "counts": pairs.counts,
        "score": pairs.score(),
        "elo": of(pairs.elo()),
        "normalised_elo": of(pairs.normalised_elo()),
        "superiority": pairs.superiority(),
    })
}

/// A game is finished.
pub(super) fn game(at: &GameProgress<'_>) -> Value {
    let standing: Vec<Value> = at.pairs.iter().map(pairs).collect();
    json!({
        "event": "game", "finished": at.finished, "total": at.total,
        "white": at.game.white, "black": at.game.black, "result": at.game.result_text(),
        "reason": at.game.reason, "pairs": standing,
    })
}

/// A game of a test is finished.
pub(super) fn step(games: u64, status: &SprtStatus) -> Value {
    json!({
        "event": "game", "finished": games, "pairs": pairs(&status.pairs), "llr": status.llr,
        "decision": decision(status.decision),
    })
}

fn decision(decision: Decision) -> Option<&'static str> {
    match decision {
        Decision::Continue => None,
        Decision::AcceptH0 => Some("H0"),
        Decision::AcceptH1 => Some("H1"),
    }
}

/// A match or a tournament is over; `warnings` are those of the machine.
pub(super) fn result(result: &TournamentResult, warnings: &[String]) -> Value {
    let of_pairs = |pairing| tournament::warnings_of(&result.players, pairing);
    let of_pairs = result.pairings.iter().flat_map(of_pairs);
    json!({
        "event": "result", "complete": result.is_complete(), "players": result.players,
        "meetings": rows(&tournament::meetings(result)),
        "warnings": of_pairs.chain(warnings.iter().cloned()).collect::<Vec<_>>(),
    })
}

pub(super) fn rated(played: &TournamentResult, ratings: &Ratings, warnings: &[String]) -> Value {
    let mut line = result(played, warnings);
    line["ratings"] = rows(&tournament::players(played, ratings)).into();
    line
}

/// A test is over.
pub(super) fn tested(
    played: &TournamentResult,
    sprt: &Sprt,
    status: &SprtStatus,
    warnings: &[String],
) -> Value {
    let mut line = result(played, warnings);
    let (low, high) = sprt.bounds();
    line["sprt"] = json!({
        "elo0": sprt.elo0, "elo1": sprt.elo1, "model": sprt.model.to_string(),
        "llr": status.llr, "bounds": [low, high], "decision": decision(status.decision),
    });
    line
}

/// The content of a page, and its path.
pub(super) fn of_page(page: &Page, path: &Path) -> Value {
    let mut line = report::render::json::page(page);
    line.insert("event".to_owned(), "result".into());
    line.insert("page".to_owned(), json!(path));
    line.into()
}

/// A file of games is complete; the throughput is that of the session, if it made any.
pub(super) fn of_games(file: &Path, made: impl Serialize, throughput: Option<Throughput>) -> Value {
    let per_second = throughput.map(|made| made.positions as f64 / made.seconds.max(1e-9));
    json!({
        "event": "result", "file": file, "made": made, "positions_per_second": per_second,
    })
}

/// Progress as lines: stages as they begin and end, and how far they are once a second.
#[derive(Default)]
pub(super) struct Lines {
    stage: String,
    total: u64,
    unit: &'static str,
    stopwatch: Stopwatch,
    printed: Option<Instant>,
}

impl Observer for Lines {
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str) {
        *self = Self { stage: stage.to_owned(), total, unit, ..Self::default() };
        print(&json!({ "event": "begin", "stage": stage, "total": total, "unit": unit }));
    }

    fn advance(&mut self, done: u64, note: &str) {
        let per_second = self.stopwatch.pace(done).rate();
        if self.printed.is_some_and(|printed| printed.elapsed() < Duration::from_secs(1)) {
            return;
        }
        self.printed = Some(Instant::now());
        let Self { stage, total, unit, .. } = self;
        print(&json!({
            "event": "progress", "stage": stage, "done": done, "total": total, "unit": unit,
            "per_second": per_second, "note": note,
        }));
    }

    fn end(&mut self, result: &str) {
        print(&json!({ "event": "end", "stage": self.stage, "result": result }));
    }

    fn warn(&mut self, message: &str) {
        print(&json!({ "event": "warning", "message": message }));
    }

    fn say(&mut self, line: &str) {
        print(&json!({ "event": "message", "message": line }));
    }
}
