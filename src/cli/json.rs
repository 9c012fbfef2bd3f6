//! Answers for programs: a line of JSON each, of which `event` says what it is.
//!
//! Numbers are those that people are told, not rounded; what is not known, or has no bound, is
//! `null`.

use serde_json::{Value, json};

use arena::{
    Decision, Estimate, PairingResult, Pentanomial, Progress, Ratings, Sprt, SprtStatus,
    TournamentResult,
};
use measure::tournament;

/// Prints a line.
pub(super) fn print(line: &Value) {
    println!("{line}");
}

pub(super) fn estimate(Estimate { value, low, high }: &Estimate) -> Value {
    // What is infinite is no number of JSON, and becomes null.
    json!({ "value": value, "low": low, "high": high })
}

/// What pairs say.
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
pub(super) fn game(at: &Progress<'_>) -> Value {
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

/// What two came to, from the first one's side.
pub(super) fn meeting(names: &[String], pairing: &PairingResult) -> Value {
    let players = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    let forfeits = pairing.forfeits.each_ref().map(arena::Forfeits::total);
    json!({
        "players": players,
        "wins": pairing.games.wins, "draws": pairing.games.draws, "losses": pairing.games.losses,
        "pairs": pairs(&pairing.pentanomial),
        "forfeits": forfeits, "duplicates": pairing.duplicates,
        "no_verdict": tournament::spoilt(pairing).map(|spoilt| spoilt.to_string()),
        "warnings": tournament::warnings_of(names, pairing),
    })
}

/// A match or a tournament is over; `warnings` are those of the machine.
pub(super) fn result(result: &TournamentResult, warnings: &[String]) -> Value {
    let meetings: Vec<Value> =
        result.pairings.iter().map(|pairing| meeting(&result.players, pairing)).collect();
    json!({
        "event": "result", "complete": result.is_complete(), "players": result.players,
        "meetings": meetings, "warnings": warnings,
    })
}

/// The same with ratings.
pub(super) fn rated(played: &TournamentResult, ratings: &Ratings, warnings: &[String]) -> Value {
    let mut line = result(played, warnings);
    let of = |standing: &arena::Standing| {
        json!({
            "name": standing.name,
            "elo": estimate(&standing.rating),
            "against_the_first": standing.direct.as_ref().map(estimate),
            "pairs": standing.overall.pairs(),
        })
    };
    line["ratings"] = ratings.standings.iter().map(of).collect();
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
