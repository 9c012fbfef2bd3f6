//! Curves of the results over the budget spent.

use crate::{Errors, RoundSummary};
use arena::student_mean;
use base::Estimate;
use report::{CurveSeries, LearningPanel};

use super::Config;
use super::conditions::trial_text;
use super::config::FitnessConfig;
use super::found::{Method, Search, mean, points, pooled};

/// Elo by trial with a curve, errors where positions judge, diversity: of all methods that
/// spend the same.
pub(super) fn panels(config: &Config, methods: &[Method<'_>]) -> Vec<LearningPanel> {
    let across = config.budget.unit().to_owned();
    let panel = |title: String, unit: &str, series: Vec<CurveSeries>| LearningPanel {
        remark: String::new(),
        title,
        unit: unit.to_owned(),
        across: across.clone(),
        series,
    };
    let mut panels = Vec::new();
    let drawn = || methods.iter().filter(|method| method.unit == config.budget.unit());
    for (place, trial) in config.trials.iter().enumerate().filter(|(_, trial)| trial.curve) {
        let series = elo_curves(methods, place, config.budget.unit());
        panels.push(panel(format!("Elo {}", trial_text(config, trial)), "Elo", series));
    }
    if matches!(config.fitness, FitnessConfig::Positions(_)) {
        let judged_by = |errors: &Errors| Some(errors.judged_by);
        let series = drawn().map(|method| error_curve(method, judged_by)).collect();
        panels.push(panel("Mean squared error".to_owned(), "", series));
        let held_out = |errors: &Errors| errors.held_out;
        let series = drawn().map(|method| error_curve(method, held_out)).collect();
        panels.push(panel("Mean squared error, held out".to_owned(), "", series));
    }
    let diversity = drawn().map(|method| method_curve(method, |round| round.diversity)).collect();
    panels.push(panel("Diversity".to_owned(), "", diversity));
    panels
}

fn elo_curves(methods: &[Method<'_>], trial: usize, unit: &str) -> Vec<CurveSeries> {
    let most = methods.iter().map(|method| points(method, trial)).max().unwrap_or(0);
    let by_point: Vec<_> = (0..most).map(|point| pooled(methods, trial, point)).collect();
    let curve = |(place, method): (usize, &Method<'_>)| {
        let points: Vec<(f64, Estimate)> = (0..points(method, trial))
            .filter_map(|point| {
                let at = |search: &Search| Some(search.trials.get(trial)?.get(point)?.0);
                let spent = mean(method.searches.iter().filter_map(at));
                Some((spent, by_point[point].get(place).copied().flatten()?))
            })
            .collect();
        CurveSeries {
            label: method.label.to_owned(),
            band: points.clone(),
            points,
            ..CurveSeries::default()
        }
    };
    methods.iter().enumerate().filter(|(_, method)| method.unit == unit).map(curve).collect()
}

/// Errors of the answers by what had been spent.
fn error_curve(method: &Method<'_>, figure: fn(&Errors) -> Option<f64>) -> CurveSeries {
    let searches = &method.searches;
    let count = searches.iter().map(|search| search.evolved.errors.len()).min().unwrap_or(0);
    let point = |place: usize| {
        let of_search = |search: &Search| figure(&search.evolved.errors[place]);
        let errors: Vec<f64> = searches.iter().filter_map(of_search).collect();
        let spent = |search: &Search| search.evolved.answers.get(place).map(|one| one.spent as f64);
        Some((mean(searches.iter().filter_map(spent)), student_mean(&errors)?))
    };
    let points: Vec<(f64, Estimate)> = (0..count).filter_map(point).collect();
    CurveSeries {
        label: method.label.to_owned(),
        band: points.clone(),
        points,
        ..CurveSeries::default()
    }
}

/// A line through as many points as fit on a page.
fn method_curve(method: &Method<'_>, figure: fn(&RoundSummary) -> f64) -> CurveSeries {
    const POINTS: usize = 60;
    let count = method.searches.iter().map(|search| search.evolved.rounds.len()).min().unwrap_or(0);
    let apart = count.div_ceil(POINTS).max(1);
    let point = |place: usize| {
        let at = |search: &Search| search.evolved.rounds.get(place).copied();
        let rounds: Vec<RoundSummary> = method.searches.iter().filter_map(at).collect();
        let value = mean(rounds.iter().map(figure));
        let spent = mean(rounds.iter().map(|round| round.spent as f64));
        (spent, Estimate::new(value, value, value))
    };
    let band: Vec<(f64, Estimate)> = (0..count).step_by(apart).map(point).collect();
    CurveSeries { label: method.label.to_owned(), band, ..CurveSeries::default() }
}
