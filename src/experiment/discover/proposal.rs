//! What could be added, and what each of it would explain.

use discovery::jobs::{Costs, Screen};
use discovery::{Candidate, Finding, Findings, Grammar, Purpose};

use crate::discover::workshop::{Model, Workshop};
use crate::discover::{DiscoverError, addition};

/// Screens all candidates beside a net; the best first.
pub(crate) fn screened(shop: &mut Workshop<'_>, base: &Model) -> Result<Findings, DiscoverError> {
    let candidates = candidates(shop, base)?;
    let names = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    let screen = Screen {
        net: base.net.clone(),
        teaching: shop.teaching(),
        games: shop.held_out(Purpose::Screening, shop.search.screened),
        prior_cp: shop.search.prior,
        candidates: names,
    };
    let title = format!("screening beside {}", base.expression);
    let found = shop.ask_one(screen, &title)?;
    let costs = costs(shop, base, &candidates)?;
    Ok(Findings::of(found.loss, &found.own_gain, found.candidates, &costs).sorted(shop.search.by))
}

/// Nothing is cheaper than that: what is measured of sets varies by as much.
const LEAST_NS: f64 = 25.0;

/// What each candidate costs more than what it takes the place of.
fn costs(
    shop: &mut Workshop<'_>,
    base: &Model,
    candidates: &[Candidate],
) -> Result<Vec<f64>, DiscoverError> {
    let mut sets: Vec<String> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    // By their definitions: the base may use names of the file.
    sets.extend(base.set.summands().iter().map(|summand| summand.definition.clone()));
    let costs = Costs { sets, width: shop.width() };
    let title = format!("costs of what was screened beside {}", base.expression);
    let all = shop.ask_one(costs, &title)?;
    let (own, of_base) = all.split_at(candidates.len());
    let names = shop.names();
    let cost = |(candidate, ns): (&Candidate, &f64)| {
        let replaced = addition::replaced(&base.set, &candidate.set, &names);
        let summands = base.set.summands().iter().zip(of_base);
        let is_replaced = |text: &str| replaced.iter().any(|one| one.text == text);
        let saved: f64 = summands.filter(|(one, _)| is_replaced(&one.text)).map(|(_, ns)| ns).sum();
        (ns - saved).max(LEAST_NS)
    };
    Ok(candidates.iter().zip(own).map(cost).collect())
}

/// A candidate that was read before and cannot be read now.
pub(crate) fn unreadable(error: Box<features::ExpressionError>) -> DiscoverError {
    DiscoverError::Failed { title: "a candidate".to_owned(), reason: error.to_string() }
}

/// Those of the file and of the grammar that the base does not say already.
fn candidates(shop: &Workshop<'_>, base: &Model) -> Result<Vec<Candidate>, DiscoverError> {
    let names = shop.names();
    let own = shop.search.candidates.iter();
    let own = own.filter_map(|text| Candidate::compile(text, &names).ok());
    let mut all: Vec<Candidate> = Vec::new();
    let proposed = shop.search.grammar().into_iter();
    let proposed =
        proposed.flat_map(|grammar: &Grammar| grammar.beside(&base.set, shop.search.most_features));
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

/// The first few that are to be believed and say different things: none is a linear image of
/// another.
pub(crate) fn best_few(findings: &Findings, count: usize) -> Vec<Finding> {
    let mut chosen: Vec<(Finding, Candidate)> = Vec::new();
    let hopeful = findings.all.iter().filter(|finding| finding.is_discovery());
    for finding in hopeful {
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
