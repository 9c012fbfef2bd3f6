//! Results as text.

use report::terminal;
use std::fmt::Write;

use base::format::{p_value, percentage};
use puzzles::{Proportion, RatingBucket};
use report::Estimate;
use report::Mark;
use report::puzzles::model::{PlayerRow, PuzzleReport, difference, rating, share};

/// All tables of a suite of puzzles.
pub(super) fn of_report(report: &PuzzleReport) -> String {
    let mut text = format!("{}\n", totals(report));
    if report.players.iter().any(|player| !player.summary.by_rating.is_empty()) {
        let _ = write!(text, "\n{}\n", by_rating(report));
    }
    if report.players.iter().any(|player| !player.summary.by_theme.is_empty()) {
        let _ = write!(text, "\n{}\n", by_theme(report));
    }
    text + &pairs(report)
}

/// `88.2 % (86.1–90.1)`.
pub(super) fn percent(of: Proportion) -> String {
    share(of).map_or("—".to_owned(), |share| {
        let Estimate { low, high, .. } = share.scaled(100.0);
        format!("{} ({low:.1}–{high:.1})", percentage(share.value, 1))
    })
}

fn totals(report: &PuzzleReport) -> terminal::Sheet {
    let header = ["player", "puzzles solved", "moves found", "puzzle rating", "time"];
    let mut totals = terminal::compact(header, 1);
    for player in &report.players {
        let summary = &player.summary;
        totals.add_row([
            player.name.clone(),
            counted(summary.solved),
            counted(summary.moves),
            summary.rating.map_or("—".to_owned(), |found| rating(found).plain()),
            format!("{:.1} s", player.seconds),
        ]);
    }
    totals
}

/// `123 of 456, 27.0 % (23.1–31.2)`.
pub(super) fn counted(of: Proportion) -> String {
    format!("{} of {}, {}", of.successes, of.trials, percent(of))
}

fn names(report: &PuzzleReport) -> impl Iterator<Item = String> {
    report.players.iter().map(|player| player.name.clone())
}

fn by_rating(report: &PuzzleReport) -> terminal::Sheet {
    let mut by_rating = terminal::compact(
        ["rating", "puzzles"].map(String::from).into_iter().chain(names(report)),
        1,
    );
    let buckets = report.players.first().map_or(&[][..], |player| &player.summary.by_rating);
    for (i, bucket) in buckets.iter().enumerate() {
        let from = bucket.from;
        let range = format!("{from}–{}", from + RatingBucket::WIDTH - 1);
        // All players were asked the same, so they have the same ranges.
        let of = |player: &PlayerRow| player.summary.by_rating.get(i).map(|bucket| bucket.solved);
        by_rating.add_row(row(report, range, bucket.solved.trials, of));
    }
    by_rating
}

fn by_theme(report: &PuzzleReport) -> terminal::Sheet {
    let mut by_theme = terminal::compact(
        ["theme", "puzzles"].map(String::from).into_iter().chain(names(report)),
        1,
    );
    let themes = report.players.first().map_or(&[][..], |player| &player.summary.by_theme);
    for (i, (theme, of)) in themes.iter().enumerate() {
        let solved = |player: &PlayerRow| player.summary.by_theme.get(i).map(|(_, of)| *of);
        by_theme.add_row(row(report, theme.clone(), of.trials, solved));
    }
    by_theme
}

fn row(
    report: &PuzzleReport,
    name: String,
    puzzles: u64,
    of: impl Fn(&PlayerRow) -> Option<Proportion>,
) -> Vec<String> {
    let shares = report.players.iter().map(|player| of(player).map_or("—".to_owned(), percent));
    [name, puzzles.to_string()].into_iter().chain(shares).collect()
}

/// `= 0.031`, `< 0.001`.
fn told_p(p: f64) -> String {
    let told = p_value(p);
    if told.starts_with(['<', '>']) { told } else { format!("= {told}") }
}

/// A line for each player after the first.
fn pairs(report: &PuzzleReport) -> String {
    let Some(first) = report.players.first() else { return String::new() };
    let mut text = String::new();
    for (player, paired) in report.compared() {
        let points = difference(paired).scaled(100.0);
        let _ = write!(
            text,
            "\n{} {} − {}: {} percentage points, p {} (only {} {}, only {} {}, both {}, neither {})",
            Mark::from(points.verdict()).sign(),
            player.name,
            first.name,
            points.signed(),
            told_p(paired.p_value()),
            player.name,
            paired.first_only,
            first.name,
            paired.second_only,
            paired.both,
            paired.neither,
        );
    }
    text
}
