//! Results of the searches by method.

use crate::{Evolved, Tried};
use arena::{Opponent, Pentanomial, SeedEstimate, pool};
use base::Estimate;
use plan::{PlanError, Results};

use super::planning::PlannedSearch;
use super::{Config, EvolveError, SearchPlanning};

/// Results of a search.
pub(super) struct Search {
    pub evolved: Evolved,
    /// For each trial of the file the budget spent on each answer and its match.
    pub trials: Vec<Vec<(f64, Tried)>>,
}

/// A method of the file and its searches.
pub(super) struct Method<'c> {
    pub label: &'c str,
    /// Unit of its budget.
    pub unit: &'static str,
    pub searches: Vec<Search>,
}

/// Finished methods in the order of the file.
///
/// # Errors
/// A result that cannot be read.
pub(super) fn all<'c>(
    config: &'c Config,
    planning: &SearchPlanning,
    results: &Results,
) -> Result<Vec<Method<'c>>, EvolveError> {
    let mut methods = Vec::new();
    for (method, planned) in config.methods.iter().zip(&planning.searches) {
        let searches = planned.iter().map(|one| search(one, results));
        let Some(searches) = searches.collect::<Result<Option<_>, PlanError>>()? else { continue };
        let unit = config.budget_of(method).unit();
        methods.push(Method { label: method.label(), unit, searches });
    }
    Ok(methods)
}

/// `None` while a result is missing.
fn search(planned: &PlannedSearch, results: &Results) -> Result<Option<Search>, PlanError> {
    let Some(evolved): Option<Evolved> = results.output(planned.key)? else { return Ok(None) };
    let mut trials = Vec::new();
    for matches in &planned.trials {
        let mut of_trial = Vec::new();
        for &(answer, key) in matches {
            let Some(tried): Option<Tried> = results.output(key)? else { return Ok(None) };
            let spent = evolved.answers.get(answer).map_or(0, |answer| answer.spent);
            of_trial.push((spent as f64, tried));
        }
        trials.push(of_trial);
    }
    Ok(Some(Search { evolved, trials }))
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Elo of a match; with White alone that of single games.
pub(super) fn elo(tried: &Tried) -> Option<Estimate> {
    match tried.result.pentanomial == Pentanomial::default() {
        false => tried.result.pentanomial.elo(),
        true => tried.colours.white.elo(),
    }
}

/// Elo at a point of the curves, for every method: the variance between seeds is pooled over all.
pub(super) fn pooled(all: &[Method<'_>], trial: usize, point: usize) -> Vec<Option<Estimate>> {
    // Searches meet a fixed player, so they share no luck of an opponent.
    let of_search = |variant: usize, (net, search): (usize, &Search)| {
        let (_, tried) = search.trials.get(trial)?.get(point)?;
        SeedEstimate::of(&elo(tried)?, Opponent { variant, net })
    };
    let of_method = |(variant, method): (usize, &Method<'_>)| -> Vec<SeedEstimate> {
        let searches = method.searches.iter().enumerate();
        searches.filter_map(|search| of_search(variant, search)).collect()
    };
    let sets: Vec<Vec<SeedEstimate>> = all.iter().enumerate().map(of_method).collect();
    pool(&sets, &[]).into_iter().map(|pooled| pooled.map(|pooled| pooled.elo)).collect()
}

pub(super) fn points(method: &Method<'_>, trial: usize) -> usize {
    method
        .searches
        .iter()
        .filter_map(|search| Some(search.trials.get(trial)?.len()))
        .min()
        .unwrap_or(0)
}
