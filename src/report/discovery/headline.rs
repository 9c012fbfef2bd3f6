//! What came of a search, in a sentence that says no more than was shown.

use super::{DiscoveryReport, FoundSet, RoundReport, Standing};
use crate::EloResult;
use base::format::{counted, grouped};

pub(super) fn of(report: &DiscoveryReport) -> String {
    let start = &report.start;
    match (&report.standing, &report.found) {
        (Standing::Failed(reason), _) => {
            format!("A search for a set that is better than {start}, which ended: {reason}.")
        }
        (Standing::UnderWay, None) => {
            format!("A search for a set that is better than {start}, under way.")
        }
        (Standing::UnderWay, Some(FoundSet { set, rival, .. })) => {
            format!("Found: {set}; it is being judged against {rival}.")
        }
        (Standing::Over, None) => nothing_found(start, &report.rounds),
        (Standing::Over, Some(found)) => verdict_on(found),
    }
}

/// `Found: ALL + PV. Against ALL: +20 ± 9 Elo at 10 ms (2,000 games).`
fn verdict_on(FoundSet { set, rival, elo, .. }: &FoundSet) -> String {
    let told: Vec<String> = elo.iter().map(told).collect();
    match told.is_empty() {
        true => format!("Found: {set}."),
        false => format!("Found: {set}. Against {rival}: {}.", told.join(", ")),
    }
}

/// The result under one limit; of one that is spoilt only that it is.
fn told(EloResult { limit, estimate, games, spoilt }: &EloResult) -> String {
    match spoilt {
        Some(spoilt) => format!("no verdict at {limit}, since {spoilt}"),
        None => {
            let games = grouped(u64::from(*games));
            format!("{} Elo at {limit} ({games} games)", estimate.signed())
        }
    }
}

/// That nothing is better is told where games have refused all that was trained.
fn nothing_found(start: &str, rounds: &[RoundReport]) -> String {
    let trained: usize = rounds.iter().map(|round| round.tried.len()).sum();
    let refused = |round: &RoundReport| {
        let mut refused: Vec<&str> = Vec::new();
        for test in round.tests.iter().filter(|test| test.is_refused) {
            if !refused.contains(&test.challenger.as_str()) {
                refused.push(&test.challenger);
            }
        }
        refused.len()
    };
    let refused: usize = rounds.iter().map(refused).sum();
    if trained > 0 && refused == trained {
        return format!("Nothing that was tried is better than {start}.");
    }
    let screened: usize = rounds.iter().map(|round| round.screened.len()).sum();
    let of_trained = match trained {
        0 => "none of them was a discovery and trained".to_owned(),
        _ => format!("{trained} of them were trained, and games refused {refused}"),
    };
    format!(
        "Nothing was shown to be better than {start}: {} screened, {of_trained}.",
        counted(screened as u64, "candidate")
    )
}
