//! The meaning of each ±: one statement for each figure, true of it alone; and the search behind
//! games and puzzles.

use super::lineup::Lineup;
use super::model::{Report, SetRow};
use crate::search_note;
use arena::{SeedSpread, SpreadSource, loss_scatter};
use base::format::fixed;

/// A sentence for each figure of the result table that has an interval or a range, and one for the
/// search.
pub(super) fn of(report: &Report, lineup: &Lineup) -> Vec<String> {
    let any = |has: fn(&SetRow) -> bool| report.sets.iter().any(has);
    let mut all = Vec::new();
    if !lineup.limits.is_empty() {
        all.push(of_elo(report.elo_spread));
    }
    if any(|set| set.validation_loss.is_some()) {
        all.push(of_losses(report));
    }
    if !report.losses_compare() {
        all.push(OF_OTHER_LOSSES.to_owned());
    }
    if any(|set| set.puzzle_accuracy.is_some() || set.one_ply.is_some()) {
        all.push(of_puzzles(report));
    }
    if !lineup.limits.is_empty() || any(|set| set.puzzle_accuracy.is_some()) {
        all.push(search_note());
    }
    if any(|set| set.expected.is_some()) {
        all.push(OF_EXPECTED.to_owned());
    }
    let is_timed_in_games = lineup.is_timed_in_games();
    match is_timed_in_games {
        true => all.push(OF_TIME_IN_GAMES.to_owned()),
        false if any(|set| set.nodes_per_second.is_some()) => all.push(OF_SPEED.to_owned()),
        false => {}
    }
    all
}

const OF_EXPECTED: &str = "Expected on the clock: Elo at fixed nodes − Elo per doubling of time \
                           × log₂ of the time per node.";

/// Text for losses that do not compare.
pub(super) const OF_OTHER_LOSSES: &str = "The losses have different targets, exponents or positions and do not \
                                   compare between sets; games compare such sets.";

/// Intervals of Elo.
pub(super) fn of_elo(spread: Option<SeedSpread>) -> String {
    match spread {
        Some(SeedSpread { median, low, high }) => format!(
            "Elo: 95 % intervals include the noise of the games and the spread between seeds; nets of \
             one set scatter by {median:.0} Elo ({low:.0} to {high:.0}) beside that noise."
        ),
        None => "Elo: 95 % intervals of the games alone: with one seed the spread between seeds \
                 is unknown, and another seed may lie outside."
            .to_owned(),
    }
}

fn of_losses(report: &Report) -> String {
    match between_seeds(report.loss_spread) {
        Some(spread) => format!(
            "Validation loss: mean over the seeds, 95 % intervals from their spread, {spread}{}.",
            scatter(report)
        ),
        None => "Validation loss: one seed, spread between seeds unknown.".to_owned(),
    }
}

/// `; nets of one set scatter by 0.35 % (standard deviation)`, where seeds are several.
fn scatter(report: &Report) -> String {
    let of_set = |set: &SetRow| set.runs.iter().filter_map(|run| run.validation_loss).collect();
    let losses: Vec<Vec<f64>> = report.sets.iter().map(of_set).collect();
    loss_scatter(&losses).map_or(String::new(), |scatter| {
        let per_cent = fixed(100.0 * scatter, 2);
        format!("; nets of one set scatter by {per_cent} % (standard deviation)")
    })
}

/// The source of the spread between seeds; `None` if it is unknown.
fn between_seeds(spread: SpreadSource) -> Option<&'static str> {
    match spread {
        SpreadSource::Unknown => None,
        SpreadSource::Pooled => Some("pooled over the sets"),
        SpreadSource::PerSet => Some("that of the set's own seeds"),
        SpreadSource::Mixed => Some(
            "that of the set's own seeds where there are five or more, else pooled over the sets",
        ),
    }
}

fn of_puzzles(report: &Report) -> String {
    let seeds = report.sets.iter().map(|set| set.runs.len()).max().unwrap_or(0);
    match seeds {
        0 | 1 => {
            "Puzzles: 95 % intervals of the puzzles (Wilson); spread between seeds \
                  unknown."
        }
        _ => {
            "Puzzles: mean over the seeds, 95 % intervals of the puzzles (Wilson) or of the set's \
              own seeds, the wider of both."
        }
    }
    .to_owned()
}

const OF_SPEED: &str = "Nodes/s: medians over rounds of one search tree for all nets. Time per node: \
                        median over the rounds of the ratio in a round, with a 95 % interval.";

const OF_TIME_IN_GAMES: &str = "Equal time (N reference nodes): the time in which the reference searches N nodes per \
                                move. Time per node, with a 95 % interval, decides the nodes of the other \
                                sets in this time: mean over the moves of games. Nodes/s: median over rounds of one search tree \
                                for all nets.";
