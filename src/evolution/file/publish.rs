//! The page, from the results of the jobs.

use crate::{Colours, RoundSummary, Tried};
use arena::{ByColour, student_mean};
use measure::Ablated;
use plan::Results;
use report::Page;

use super::conditions::{provenance, trial_text};
use super::curves::panels;
use super::found::{self, Method, Search, elo, mean, points, pooled};
use super::page::{
    AblationRow, Ablations, ColourShares, ErrorMeans, MethodComparison, MethodRow, TrialResult,
};
use super::{Config, EvolveError, SearchPlanning};

pub(super) fn page(
    config: &Config,
    planning: &SearchPlanning,
    results: &Results,
    command: &str,
) -> Result<Page, EvolveError> {
    let methods = found::all(config, planning, results)?;
    let rows = methods.iter().map(|method| row(method, &methods, config)).collect();
    let comparison = MethodComparison {
        name: config.name.clone(),
        question: config.question.clone(),
        warnings: warnings(config, &methods),
        unit: config.budget.unit(),
        trials: config.trials.iter().map(|trial| trial_text(config, trial)).collect(),
        methods: rows,
        panels: if methods.is_empty() { Vec::new() } else { panels(config, &methods) },
        ablations: ablations(config, planning, results)?,
        provenance: provenance(config, planning, results, command)?,
    };
    Ok(comparison.page()?)
}

/// Elo of parts of the search, the largest first.
fn ablations(
    config: &Config,
    planning: &SearchPlanning,
    results: &Results,
) -> Result<Vec<Ablations>, EvolveError> {
    let mut all = Vec::new();
    for (settings, planned) in config.ablations.iter().zip(&planning.ablations) {
        let mut rows = Vec::new();
        for &(part, key) in planned {
            let Some(Ablated { result, nodes }) = results.output(key)? else { continue };
            let elo = result.pentanomial.elo();
            let ratio = nodes.ratio();
            let about = part.about();
            rows.push(AblationRow { part: part.to_string(), about, elo, nodes: ratio });
        }
        let elo = |row: &AblationRow| row.elo.map_or(f64::NEG_INFINITY, |elo| elo.value);
        rows.sort_by(|a, b| elo(b).total_cmp(&elo(a)));
        all.push(Ablations {
            evaluation: settings.evaluation.clone(),
            games: settings.games.get(),
            nodes: settings.nodes.get(),
            depth: settings.depth.get(),
            rows,
        });
    }
    Ok(all)
}

fn row(method: &Method<'_>, all: &[Method<'_>], config: &Config) -> MethodRow {
    let searches = &method.searches;
    let last = |search: &Search| search.evolved.rounds.last().copied();
    let of_last = |figure: fn(&RoundSummary) -> f64| {
        mean(searches.iter().filter_map(last).map(|round| figure(&round)))
    };
    MethodRow {
        label: method.label.to_owned(),
        seeds: searches.len(),
        unit: method.unit,
        spent: of_last(|round| round.spent as f64),
        rounds: mean(searches.iter().map(|search| search.evolved.round_count as f64)),
        seconds: mean(searches.iter().map(|search| search.evolved.seconds)),
        diversity: of_last(|round| round.diversity),
        colours: colours(searches),
        errors: errors(searches),
        trials: (0..config.trials.len()).map(|trial| final_result(method, all, trial)).collect(),
    }
}

/// Mean errors of the last answers.
fn errors(searches: &[Search]) -> Option<ErrorMeans> {
    let last = || searches.iter().filter_map(|search| search.evolved.errors.last());
    let judged_by: Vec<f64> = last().map(|errors| errors.judged_by).collect();
    let held_out: Vec<f64> = last().filter_map(|errors| errors.held_out).collect();
    Some(ErrorMeans { judged_by: student_mean(&judged_by)?, held_out: student_mean(&held_out) })
}

fn colours(searches: &[Search]) -> Option<ColourShares> {
    let mut all = Colours::default();
    searches.iter().for_each(|search| all += search.evolved.colours);
    let [white, black] = [all.white.games() as f64, all.black.games() as f64];
    let scores = [all.white, all.black].map(|games| games.score().unwrap_or(0.5));
    (white + black > 0.0).then(|| ColourShares { with_white: white / (white + black), scores })
}

fn final_result(method: &Method<'_>, all: &[Method<'_>], trial: usize) -> Option<TrialResult> {
    let last = points(method, trial).checked_sub(1)?;
    let place = all.iter().position(|one| one.label == method.label)?;
    let elo = pooled(all, trial, last).get(place).copied().flatten()?;
    let tried = || method.searches.iter().filter_map(|search| search.trials.get(trial)?.get(last));
    let games: u64 = tried().map(|(_, tried)| games_of(&tried.colours)).sum();
    let white = mean(tried().map(|(_, tried)| white_score(&tried.colours)));
    Some(TrialResult { elo, white, games })
}

fn games_of(colours: &Colours) -> u64 {
    colours.white.games() + colours.black.games()
}

/// Score of White over both players.
fn white_score(colours: &Colours) -> f64 {
    let mut white = colours.white;
    white += colours.black.inverted();
    white.score().unwrap_or(0.5)
}

fn warnings(config: &Config, methods: &[Method<'_>]) -> Vec<String> {
    let mut warnings = Vec::new();
    for method in methods {
        if let Some(shares) = colours(&method.searches).filter(|shares| shares.with_white != 0.5) {
            warnings.push(format!(
                "The games of {} are not balanced by colour: {} % are with White. Their \
                 scores include White's advantage.",
                method.label,
                base::format::fixed(100.0 * shares.with_white, 0)
            ));
        }
    }
    warnings.extend(lopsided(config, methods));
    for trial in config.trials.iter().filter(|trial| trial.colours == ByColour::White) {
        warnings.push(format!(
            "Elo {} is from games of the answers with White alone: no measure of \
             strength, and shown for comparison with one.",
            trial_text(config, trial)
        ));
    }
    warnings
}

/// Matches that one side won so clearly that they have no Elo, and are in no mean.
fn lopsided(config: &Config, methods: &[Method<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    for method in methods {
        for (place, trial) in config.trials.iter().enumerate() {
            let matches = method.searches.iter().flat_map(|search| &search.trials[place]);
            let has_none = |tried: &Tried| elo(tried).is_none_or(|elo| !elo.is_bounded());
            let count = matches.filter(|(_, tried)| has_none(tried)).count();
            if count > 0 {
                lines.push(format!(
                    "In {count} of the matches of {} {} one side won too many games for an \
                     Elo estimate: the means exclude them.",
                    method.label,
                    trial_text(config, trial)
                ));
            }
        }
    }
    lines
}
