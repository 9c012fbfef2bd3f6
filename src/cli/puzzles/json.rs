//! Results for programs.

use serde_json::{Value, json};

use crate::cli::Failure;
use puzzles::epd::{EpdOutcome, EpdSuite, PointTotal, SuiteResult};
use puzzles::{Paired, Proportion, RatingBucket};
use report::Estimate;
use report::puzzles::model::{PlayerRow, PuzzleReport, difference, rating};

pub(super) fn print(value: &Value) -> Result<(), Failure> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A suite of puzzles. Shares are 0 to 1; ends that are open are null.
pub(super) fn of_report(report: &PuzzleReport, skipped: u64) -> Value {
    let first = report.players.first().map_or("", |first| &first.name);
    let pair = |(player, paired): (&PlayerRow, &Paired)| {
        let estimate = difference(paired);
        json!({
            "player": player.name,
            "against": first,
            "only_player": paired.first_only,
            "only_against": paired.second_only,
            "both": paired.both,
            "neither": paired.neither,
            "difference": interval(estimate),
            "p_value": paired.p_value(),
        })
    };
    json!({
        "program": report.provenance.program,
        "command": report.provenance.command,
        "file": report.suite.path,
        "blake3": report.suite.blake3,
        "selection": report.suite.selection,
        "ids_blake3": report.suite.ids_blake3,
        "puzzles": report.puzzles(),
        "skipped_lines": skipped,
        "mode": report.mode,
        "players": report.players.iter().map(player).collect::<Vec<_>>(),
        "pairs": report.compared().map(pair).collect::<Vec<_>>(),
    })
}

fn player(player: &PlayerRow) -> Value {
    let summary = &player.summary;
    let bucket = |bucket: &RatingBucket| {
        let to = bucket.from + RatingBucket::WIDTH;
        json!({ "from": bucket.from, "to": to, "solved": share(bucket.solved) })
    };
    let theme = |(theme, solved): &(String, Proportion)| json!({ "theme": theme, "solved": share(*solved) });
    json!({
        "name": player.name,
        "fingerprint": player.fingerprint,
        "seconds": player.seconds,
        "solved": share(summary.solved),
        "moves": share(summary.moves),
        "puzzle_rating": summary.rating.map(|found| interval(rating(found))),
        "by_rating": summary.by_rating.iter().map(bucket).collect::<Vec<_>>(),
        "unrated": share(summary.unrated),
        "by_theme": summary.by_theme.iter().map(theme).collect::<Vec<_>>(),
    })
}

fn share(of: Proportion) -> Value {
    let interval = of.interval();
    json!({
        "successes": of.successes,
        "trials": of.trials,
        "share": of.share(),
        "low": interval.low,
        "high": interval.high,
    })
}

fn interval(of: Estimate) -> Value {
    json!({ "value": of.value, "low": of.low, "high": of.high })
}

/// A player's answers to a suite in EPD.
pub(super) fn of_epd(
    player: &str,
    suite: &EpdSuite,
    result: &SuiteResult,
    outcomes: &[EpdOutcome],
) -> Value {
    let group =
        |(title, total): &(String, PointTotal)| json!({ "part": title, "points": points(total) });
    let answers = suite.questions.iter().zip(outcomes).map(|(question, outcome)| {
        let played = outcome.played.filter(|&played| question.position.is_legal(played));
        json!({
            "id": question.id,
            "fen": question.position.fen(),
            "played": played.map(|played| question.position.san(played)),
            "right": outcome.is_right,
            "points": outcome.points,
        })
    });
    json!({
        "player": player,
        "file": suite.source.path,
        "blake3": suite.source.blake3,
        "skipped_lines": suite.skipped.total(),
        "right": share(result.right),
        "points": result.points.as_ref().map(points),
        "by_part": result.by_group.iter().map(group).collect::<Vec<_>>(),
        "answers": answers.collect::<Vec<_>>(),
    })
}

fn points(total: &PointTotal) -> Value {
    let interval = total.interval();
    json!({
        "points": total.points,
        "most": total.most,
        "questions": total.questions,
        "low": interval.low,
        "high": interval.high,
    })
}
