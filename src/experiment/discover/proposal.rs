//! Candidates and their screening.

use discovery::jobs::{Costs, Screen};
use discovery::{Candidate, CandidateGain, Findings, Grammar, Purpose};

use crate::discover::planner::{Model, SearchPlanner};
use crate::discover::{DiscoverError, addition};

/// Screens all candidates beside a net, sorted by the criterion of the file.
pub(crate) fn screened(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
) -> Result<Findings, DiscoverError> {
    let candidates = candidates(planner, base)?;
    let names = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    let screen = Screen {
        net: base.net.clone(),
        loss_target: planner.loss_target(),
        games: planner.held_out(Purpose::Screening, planner.search.screened),
        prior_cp: planner.search.prior,
        candidates: names,
    };
    let title = format!("screening beside {}", base.expression);
    let found = planner.output(screen, &title)?;
    let costs = costs(planner, base, &candidates)?;
    Ok(Findings::of(found.loss, &found.own_gain, found.candidates, &costs)
        .sorted(planner.search.by))
}

/// Cost floor in ns: timing noise is of this size.
const LEAST_NS: f64 = 25.0;

/// Cost of each candidate minus that of the summands it replaces, in ns a move.
fn costs(
    planner: &mut SearchPlanner<'_>,
    base: &Model,
    candidates: &[Candidate],
) -> Result<Vec<f64>, DiscoverError> {
    let mut sets: Vec<String> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    // By their definitions, since the base may use names of the file.
    sets.extend(base.set.summands().iter().map(|summand| summand.definition.clone()));
    let costs = Costs { sets, width: planner.width() };
    let title = format!("costs of candidates beside {}", base.expression);
    let all = planner.output(costs, &title)?;
    let (own, of_base) = all.split_at(candidates.len());
    let names = planner.names();
    let cost = |(candidate, ns): (&Candidate, &f64)| {
        let replaced = addition::replaced(&base.set, &candidate.set, &names);
        let summands = base.set.summands().iter().zip(of_base);
        let is_replaced = |text: &str| replaced.iter().any(|one| one.text == text);
        let saved: f64 = summands.filter(|(one, _)| is_replaced(&one.text)).map(|(_, ns)| ns).sum();
        (ns - saved).max(LEAST_NS)
    };
    Ok(candidates.iter().zip(own).map(cost).collect())
}

/// A candidate that parsed before and does not parse now.
pub(crate) fn unreadable(error: Box<features::ExpressionError>) -> DiscoverError {
    DiscoverError::Failed { title: "a candidate".to_owned(), reason: error.to_string() }
}

/// Candidates of the file and of the grammar that the base does not contain.
fn candidates(planner: &SearchPlanner<'_>, base: &Model) -> Result<Vec<Candidate>, DiscoverError> {
    let names = planner.names();
    let own = planner.search.candidates.iter();
    let own = own.filter_map(|text| Candidate::compile(text, &names).ok());
    let mut all: Vec<Candidate> = Vec::new();
    let proposed = planner.search.grammar().into_iter();
    let proposed = proposed
        .flat_map(|grammar: &Grammar| grammar.beside(&base.set, planner.search.most_features));
    add(&mut all, own.filter(|own| !base.set.has_image(&own.set)).chain(proposed));
    match all.is_empty() {
        true => Err(DiscoverError::NoCandidates { set: base.expression.clone() }),
        false => Ok(all),
    }
}

fn add(all: &mut Vec<Candidate>, more: impl IntoIterator<Item = Candidate>) {
    for candidate in more {
        if !all.iter().any(|known| known.set.canonical() == candidate.set.canonical()) {
            all.push(candidate);
        }
    }
}

/// The first `count` discoveries, without linear images of each other.
pub(crate) fn best_few(findings: &Findings, count: usize) -> Vec<CandidateGain> {
    let mut chosen: Vec<(CandidateGain, Candidate)> = Vec::new();
    let promising = findings.all.iter().filter(|finding| finding.is_discovery());
    for finding in promising {
        let Ok(candidate) = Candidate::parse(&finding.candidate) else { continue };
        let is_new = chosen.iter().all(|(_, known)| {
            !known.set.has_image(&candidate.set) && !candidate.set.has_image(&known.set)
        });
        if is_new && chosen.len() < count {
            chosen.push((finding.clone(), candidate));
        }
    }
    chosen.into_iter().map(|(finding, _)| finding).collect()
}
