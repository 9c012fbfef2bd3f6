//! A sentence for each player.

use crate::puzzles::Paired;
use base::estimate::{Separation, per_cent};
use base::format::p_value;
use report::{Finding, Mark};

use super::{PlayerRow, PuzzleReport, difference, rating, share};

/// The first player's results, then the differences of the others from it.
pub(super) fn of(report: &PuzzleReport) -> Vec<Finding> {
    let first = report.players.first();
    let compared =
        |(player, paired): (&PlayerRow, &Paired)| Some(against(player, paired, &first?.name));
    first.map(alone).into_iter().chain(report.compared().filter_map(compared)).collect()
}

fn alone(player: &PlayerRow) -> Finding {
    let solved = share(player.summary.solved).map_or("nothing".to_owned(), per_cent);
    let moves = share(player.summary.moves).map_or("none".to_owned(), per_cent);
    let rated = player
        .summary
        .rating
        .map_or(String::new(), |found| format!("; its puzzle rating is {}", rating(found).plain()));
    Finding {
        mark: Mark::Remark,
        subject: player.name.clone(),
        text: format!("solves {solved} of the puzzles and finds {moves} of the moves{rated}."),
    }
}

fn against(player: &PlayerRow, paired: &Paired, first: &str) -> Finding {
    let points = difference(paired).scaled(100.0);
    let (verdict, p) = (points.verdict(), p_value(paired.p_value()));
    let text = match verdict {
        Separation::Better => {
            format!("solves {} percentage points more than {first} (p {p}).", points.plain())
        }
        Separation::Worse => {
            let fewer = points.negated().plain();
            format!("solves {fewer} percentage points fewer than {first} (p {p}).")
        }
        Separation::Open => {
            format!("is not separable from {first} ({} points, p {p}).", points.signed())
        }
    };
    Finding { mark: verdict.into(), subject: player.name.clone(), text }
}
