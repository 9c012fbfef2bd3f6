//! The result of a search in a sentence that claims no more than was shown.

use super::{FoundSet, SearchPage, Standing};
use crate::discover::history::{Challenger, Round};
use crate::discover::testing::{Outcome, Trial};
use base::format::{counted, grouped};
use measure::{EloResult, Verdict};

pub(super) fn of(SearchPage { start, standing, found, history, .. }: &SearchPage<'_>) -> String {
    match (standing, found) {
        (Standing::Failed(reason), _) => {
            format!("The search for a set better than {start} has failed: {reason}.")
        }
        (Standing::Fixed | Standing::Grows, None) => {
            format!("The search for a set better than {start} is running.")
        }
        (Standing::Fixed | Standing::Grows, Some(FoundSet { set, baseline, .. })) => {
            format!("{set} won the race; its confirming games against {baseline} are running.")
        }
        (Standing::Over, None) => nothing_found(start, &history.rounds),
        (Standing::Over, Some(found)) => verdict_on(found),
    }
}

/// `Found: ALL + PV. Against ALL: +20 ± 9 Elo at equal time (5,000 nodes) (2,000 games).`
fn verdict_on(FoundSet { set, baseline, elo, verdict, .. }: &FoundSet) -> String {
    let answer = match verdict {
        Verdict::Pays => format!("Found: {set}."),
        Verdict::DoesNotPay => {
            format!("Not found: {set} won the race and is weaker in the confirming games.")
        }
        Verdict::Undecided(remedy) => format!(
            "Not confirmed: {set} won the race, and the confirming games do not decide \
             ({remedy})."
        ),
        Verdict::Withheld(_) | Verdict::Unknown => {
            format!("Not confirmed: {set} won the race, and has no verdict.")
        }
    };
    let results: Vec<String> = elo.iter().map(result).collect();
    match results.is_empty() {
        true => answer,
        false => format!("{answer} Against {baseline}: {}.", results.join(", ")),
    }
}

/// Text of the result under one limit; with too many forfeits the missing verdict alone.
fn result(EloResult { limit, estimate, games, too_many_forfeits }: &EloResult) -> String {
    match too_many_forfeits {
        Some(forfeits) => format!("no verdict at {limit}: {forfeits}"),
        None => {
            let games = grouped(u64::from(*games));
            format!("{} Elo at {limit} ({games} games)", estimate.signed())
        }
    }
}

/// Only games that refused every trained set show that nothing is better.
fn nothing_found(start: &str, rounds: &[Round]) -> String {
    let trained: usize = rounds.iter().map(|round| round.tried.len()).sum();
    let challengers = rounds.iter().flat_map(|round| &round.challengers);
    let refused = challengers.filter(|challenger| is_refused(challenger)).count();
    if trained > 0 && refused == trained {
        return format!("No trained set is better than {start}.");
    }
    let screened: usize = rounds.iter().map(|round| round.findings.all.len()).sum();
    let of_trained = match trained {
        0 => "none of them was a discovery and trained".to_owned(),
        _ => format!("{trained} of them trained, and {refused} rejected by games"),
    };
    format!(
        "No set was shown to be better than {start}: {} screened, {of_trained}.",
        counted(screened as u64, "candidate")
    )
}

fn is_refused(challenger: &Challenger) -> bool {
    let mut tests = challenger.trial.iter().flat_map(Trial::tests);
    tests.any(|test| test.outcome() == Outcome::NoStronger)
}
