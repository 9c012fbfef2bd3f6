//! Results for programs.

use serde_json::{Value, json};

use measure::puzzle_page::PuzzleReport;
use measure::puzzles::Proportion;
use measure::puzzles::epd::{EpdOutcome, EpdSuite, PointTotal, SuiteResult};
use report::{Page, render};

/// The page of a suite of puzzles, with the conditions of its making.
pub(super) fn of_page(page: &Page, report: &PuzzleReport, skipped: u64) -> Value {
    let mut all = render::json::page(page);
    let conditions = [
        ("program", json!(report.provenance.program)),
        ("command", json!(report.provenance.command)),
        ("file", json!(report.suite.path)),
        ("blake3", json!(report.suite.blake3)),
        ("selection", json!(report.suite.selection)),
        ("ids_blake3", json!(report.suite.ids_blake3)),
        ("puzzles", json!(report.puzzles())),
        ("skipped_lines", json!(skipped)),
        ("mode", json!(report.mode)),
    ];
    all.extend(conditions.map(|(key, value)| (key.to_owned(), value)));
    all.into()
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
