//! Results of games in a terminal, during play and after.

use std::fmt::Write;

use arena::contender::Contender;
use arena::{Estimate, PairingResult, Pentanomial, Sprt, SprtStatus, Trinomial};
use base::format::{ascii, ascii_signed, likelihood, percentage};
use base::printable;
use measure::tournament;

/// Score of a match of two in a line; empty with more players.
pub(super) fn live(pairs: &[Pentanomial]) -> String {
    match pairs {
        [pairs] => of_pairs(pairs),
        _ => String::new(),
    }
}

pub(super) fn live_test(sprt: &Sprt, status: &SprtStatus) -> String {
    format!("{}  {}", llr(sprt, status.llr), of_pairs(&status.pairs))
}

fn of_pairs(pairs: &Pentanomial) -> String {
    let (Some(score), Some(elo)) = (pairs.score(), pairs.elo()) else { return String::new() };
    let (value, margin) = (ascii_signed(elo.value, 1), ascii(elo.margin(), 1));
    format!("{}  Elo {value} ± {margin}", percentage(score, 1))
}

/// `LLR 1.02 (-2.94, 2.94)`.
pub(super) fn llr(sprt: &Sprt, llr: f64) -> String {
    let (low, high) = sprt.bounds();
    let [llr, low, high] = [llr, low, high].map(|number| ascii(number, 2));
    format!("LLR {llr} ({low}, {high})")
}

/// Files of the players whose names differ from them.
pub(super) fn files(contenders: &[Contender]) -> String {
    let lines = contenders.iter().filter_map(|player| {
        let file = player.file.as_ref()?;
        Some(format!("{} is {}\n", player.name, printable(file)))
    });
    lines.collect()
}

/// Result of a match of two, in lines.
pub(super) fn of_match(names: &[String], pairing: &PairingResult) -> String {
    let mut text = String::new();
    let games = &pairing.games;
    let score = games.score().map_or(String::new(), |s| format!(", {}", percentage(s, 1)));
    let [first, second] = [pairing.pairing.first, pairing.pairing.second].map(|id| &names[id.0]);
    let Trinomial { wins, draws, losses } = games;
    // Writing to a string cannot fail.
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    line(format!("{first} against {second}: {wins} wins, {draws} draws, {losses} losses{score}"));
    let c = pairing.pentanomial.counts;
    line(format!("pairs 0 ½ 1 1½ 2: {} {} {} {} {}", c[0], c[1], c[2], c[3], c[4]));
    if let Some(elo) = pairing.pentanomial.elo() {
        line(format!("Elo {}", with_interval(&elo)));
    }
    if let Some(elo) = pairing.pentanomial.normalised_elo() {
        line(format!("normalised Elo {}", with_interval(&elo)));
    }
    match tournament::too_many_forfeits(pairing) {
        None => {
            let superiority = likelihood(pairing.pentanomial.superiority(), 1);
            line(format!("likelihood of superiority of {first}: {superiority}"));
        }
        Some(forfeits) => line(format!("no verdict: {forfeits}")),
    }
    if let Some(white) = pairing.white.score() {
        let drawn = games.draws as f64 / games.games() as f64;
        let [white, drawn] = [white, drawn].map(|share| percentage(share, 1));
        line(format!("White scored {white}, {drawn} drawn"));
    }
    for (name, forfeits) in [first, second].into_iter().zip(&pairing.forfeits) {
        line(format!("forfeited by {name}: {forfeits}"));
    }
    text + &warnings(names, pairing)
}

/// Warnings about the result of a pairing, a line each.
fn warnings(names: &[String], pairing: &PairingResult) -> String {
    tournament::warnings_of(names, pairing)
        .iter()
        .map(|warning| format!("warning: {warning}\n"))
        .collect()
}

/// `+12.3 (-4.1 to +28.7, 95 %)`.
fn with_interval(elo: &Estimate) -> String {
    format!("{} ({}, 95 %)", ascii_signed(elo.value, 1), interval(elo))
}

fn interval(elo: &Estimate) -> String {
    format!("{} to {}", ascii_signed(elo.low, 1), ascii_signed(elo.high, 1))
}
