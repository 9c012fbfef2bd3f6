//! The result of a search in a sentence that claims no more than was shown.

use super::{FoundSet, SearchPage, Standing};
use crate::discover::history::{Challenger, Round};
use crate::discover::testing::{Outcome, Trial};
use base::estimate::Separation;
use base::format::{counted, grouped};
use measure::answer::Challenge;
use measure::{EloResult, Verdict};
use report::{Fact, Finding, Mark};

pub(super) fn of(SearchPage { start, standing, found, history, .. }: &SearchPage<'_>) -> Finding {
    match (standing, found) {
        (Standing::Failed(reason), _) => Finding::remark(format!(
            "The search for a set better than {start} has failed: {reason}."
        )),
        (Standing::Fixed | Standing::Grows, None) => {
            Finding::remark(format!("The search for a set better than {start} is running."))
        }
        (Standing::Fixed | Standing::Grows, Some(FoundSet { set, baseline, .. })) => {
            Finding::remark(format!(
                "{set} is the best candidate; its confirming games against {baseline} are running."
            ))
        }
        (Standing::Over, None) => Finding::remark(nothing_found(start, &history.rounds)),
        (Standing::Over, Some(found)) => verdict_on(found),
    }
}

/// Strongest set, cost and certainty at the end of a search: by the confirming games, or by the last
/// test of the best rejected candidate; empty without their verdict.
pub(super) fn answer(page: &SearchPage<'_>) -> Vec<Fact> {
    match (&page.standing, &page.found) {
        (Standing::Over, Some(found)) => confirmed(found, page.warnings.len()),
        (Standing::Over, None) => page
            .history
            .rounds
            .last()
            .map_or_else(Vec::new, |round| rejected(round, page.warnings.len())),
        _ => Vec::new(),
    }
}

fn confirmed(found: &FoundSet, warnings: usize) -> Vec<Fact> {
    let valid = found.results().into_iter().find(|result| result.too_many_forfeits.is_none());
    valid.map_or_else(Vec::new, |result| {
        Challenge {
            set: &found.set,
            reference: &found.baseline,
            result,
            mark: found.verdict.mark(),
            cost: found.cost,
            seeds: found.seeds,
            warnings,
            has_equals: false,
            remarks: vec!["fresh nets, openings and positions".to_owned()],
        }
        .facts()
    })
}

fn rejected(round: &Round, warnings: usize) -> Vec<Fact> {
    let results = round.challengers.iter().filter_map(|challenger| {
        Some((challenger, challenger.trial.as_ref()?.tests().last()?.result()?))
    });
    let place = |elo: &EloResult| (elo.limit.counts_speed(), elo.estimate.value);
    let highest = results.reduce(|a, b| if place(&b.1) > place(&a.1) { b } else { a });
    let Some((challenger, result)) = highest else { return Vec::new() };
    let facts = Challenge {
        set: &challenger.model.expression,
        reference: &round.base.expression,
        result: &result,
        mark: result.mark(),
        cost: challenger.tried.cost,
        seeds: 1,
        warnings,
        has_equals: false,
        remarks: Vec::new(),
    }
    .facts();
    let Ok([strongest, cost, certainty]) = <[Fact; 3]>::try_from(facts) else { return Vec::new() };
    // The base that stays is no discovery, and few candidates play.
    let won = match result.mark() {
        Mark::Worse => format!("{} {}", strongest.value, strongest.detail),
        _ => strongest.detail,
    };
    let few = format!("{} of {} played", played(round), candidates(round));
    vec![
        Fact::new("Found", "no better set", won),
        cost,
        Fact::new("Certainty", few, certainty.detail),
    ]
}

fn candidates(round: &Round) -> String {
    counted(round.findings.all.len() as u64, "candidate")
}

fn played(round: &Round) -> usize {
    round.challengers.iter().filter(|challenger| challenger.trial.is_some()).count()
}

/// `▲ Found: ALL + PV beats ALL in the confirming games: +20 ± 9 Elo at equal time
/// (5,000 reference nodes) (2,000 games).`
fn verdict_on(found: &FoundSet) -> Finding {
    let FoundSet { set, baseline, cost, verdict, .. } = found;
    let (mark, answer) = match verdict {
        Verdict::Pays => {
            (Mark::Better, format!("Found: {set} beats {baseline} in the confirming games"))
        }
        Verdict::DoesNotPay => {
            let answer = "Not found: the best candidate";
            (Mark::Worse, format!("{answer}, {set}, loses to {baseline} in the confirming games"))
        }
        Verdict::Undecided(remedy) => {
            let answer = "Not confirmed: the best candidate";
            let open = format!("is not separable from {baseline} in the confirming games");
            (Mark::NotSeparable, format!("{answer}, {set}, {open} ({remedy})"))
        }
        Verdict::Withheld(_) | Verdict::Unknown => {
            let answer = "Not confirmed: the best candidate";
            (Mark::NoVerdict, format!("{answer}, {set}, has no verdict against {baseline}"))
        }
    };
    let mut results: Vec<String> = found.results().into_iter().map(result).collect();
    results.extend(cost.map(|cost| format!("time per node × {}", cost.plain())));
    let text = match results.is_empty() {
        true => format!("{answer}."),
        false => format!("{answer}: {}.", results.join(", ")),
    };
    Finding { mark, ..Finding::remark(text) }
}

/// Text of the result under one limit; with too many forfeits the missing verdict alone.
fn result(EloResult { limit, estimate, games, too_many_forfeits }: &EloResult) -> String {
    match too_many_forfeits {
        Some(forfeits) => format!("no verdict at {limit}: {forfeits}"),
        None => {
            let games = grouped(u64::from(*games));
            let open = match estimate.verdict() {
                Separation::Open => ", not separable",
                Separation::Better | Separation::Worse => "",
            };
            format!("{} Elo at {limit} ({games} games{open})", estimate.signed())
        }
    }
}

/// A test that accepts 0 Elo against `elo1` excludes no gain between them.
fn nothing_found(start: &str, rounds: &[Round]) -> String {
    let trained: usize = rounds.iter().map(|round| round.tried.len()).sum();
    let challengers = rounds.iter().flat_map(|round| &round.challengers);
    let refused = challengers.filter(|challenger| is_refused(challenger)).count();
    if trained > 0 && refused == trained {
        return format!("The tests accepted no trained set as stronger than {start}.");
    }
    let screened: usize = rounds.iter().map(|round| round.findings.all.len()).sum();
    let played: usize = rounds.iter().map(played).sum();
    let of_trained = match trained {
        0 => "none of them was a discovery and trained".to_owned(),
        _ => format!("{trained} of them trained, {played} tested by games"),
    };
    let screened = counted(screened as u64, "candidate");
    format!("No set was shown to be better than {start}: {screened} screened, {of_trained}.")
}

fn is_refused(challenger: &Challenger) -> bool {
    let mut tests = challenger.trial.iter().flat_map(Trial::tests);
    tests.any(|test| test.outcome() == Outcome::NoStronger)
}
