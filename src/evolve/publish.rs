//! The page's content, from the results of the jobs.

use std::path::Path;

use arena::{ByColour, Pentanomial, RandomPlies, SeedEstimate, mean_of_seeds, pool};
use base::Estimate;
use base::format::grouped;
use evolution::{Colours, CourseRound, Opponents};
use experiment::summary;
use measure::Ablated;
use plan::Results;
use plan::evolution::{Errors, Evolved, Tried};
use report::evolution::{
    AblationRow, Ablations, ColourShares, ErrorMeans, EvolutionReport, MethodRow, TrialResult,
};
use report::{CurveSeries, LearningPanel, Provenance};

use super::config::{FitnessConfig, GenomeConfig};
use super::planning::PlannedSearch;
use super::{Config, EvolveError, Planning, TrialConfig};

/// A search with what came of it.
struct Search {
    evolved: Evolved,
    /// For each trial of the file what came of each answer that played, and what it had cost.
    trials: Vec<Vec<(f64, Tried)>>,
}

/// A method of the file and its searches.
struct Method<'c> {
    label: &'c str,
    /// Of what it spends.
    unit: &'static str,
    searches: Vec<Search>,
}

pub(super) fn report(
    config: &Config,
    planning: &Planning,
    folder: &Path,
    command: &str,
) -> Result<EvolutionReport, EvolveError> {
    let results = Results::of(folder);
    let mut methods = Vec::new();
    for (method, planned) in config.methods.iter().zip(&planning.searches) {
        let searches = planned.iter().map(|one| search(one, &results)).collect::<Result<_, _>>()?;
        let unit = config.budget_of(method).unit();
        methods.push(Method { label: method.label(), unit, searches });
    }
    let rows = methods.iter().map(|method| row(method, &methods, config)).collect();
    Ok(EvolutionReport {
        name: config.name.clone(),
        question: config.question.clone(),
        warnings: warnings(config, &methods),
        unit: config.budget.unit(),
        trials: config.trials.iter().map(|trial| told(config, trial)).collect(),
        methods: rows,
        panels: panels(config, &methods),
        ablations: ablations(config, planning, &results)?,
        provenance: provenance(config, planning, &results, command)?,
    })
}

fn search(planned: &PlannedSearch, results: &Results) -> Result<Search, EvolveError> {
    let missing = || EvolveError::Failed(vec![(planned.key.to_string(), "no result".to_owned())]);
    let evolved: Evolved = results.found(planned.key)?.ok_or_else(missing)?;
    let mut trials = Vec::new();
    for matches in &planned.trials {
        let mut of_trial = Vec::new();
        for &(answer, key) in matches {
            let tried: Tried = results.found(key)?.ok_or_else(missing)?;
            let spent = evolved.answers.get(answer).map_or(0, |answer| answer.spent);
            of_trial.push((spent as f64, tried));
        }
        trials.push(of_trial);
    }
    Ok(Search { evolved, trials })
}

/// What parts of the search bring, the part that brings most first.
fn ablations(
    config: &Config,
    planning: &Planning,
    results: &Results,
) -> Result<Vec<Ablations>, EvolveError> {
    let mut all = Vec::new();
    for (told, planned) in config.ablations.iter().zip(&planning.ablations) {
        let mut rows = Vec::new();
        for &(part, key) in planned {
            let missing = || EvolveError::Failed(vec![(part.to_string(), "no result".to_owned())]);
            let Ablated { result, nodes } = results.found(key)?.ok_or_else(missing)?;
            let elo = result.pentanomial.elo();
            let ratio = nodes.ratio();
            let about = part.about();
            rows.push(AblationRow { part: part.to_string(), about, elo, nodes: ratio });
        }
        let elo = |row: &AblationRow| row.elo.map_or(f64::NEG_INFINITY, |elo| elo.value);
        rows.sort_by(|a, b| elo(b).total_cmp(&elo(a)));
        all.push(Ablations {
            evaluation: told.evaluation.clone(),
            games: told.games.get(),
            nodes: told.nodes.get(),
            depth: told.depth.get(),
            rows,
        });
    }
    Ok(all)
}

/// `against material, 100 nodes a move`.
fn told(config: &Config, trial: &TrialConfig) -> String {
    let colours = if trial.colours == ByColour::White { ", White alone" } else { "" };
    let against = match (trial.against.as_str(), &config.genome) {
        ("start", GenomeConfig::Tables(genome)) => genome.tables.as_str(),
        ("start", GenomeConfig::Margins(_)) => "the usual margins",
        ("start", GenomeConfig::Weights(_)) => "the net as it was",
        (other, _) => other,
    };
    format!("against {against}, {} nodes a move{colours}", grouped(trial.nodes.get()))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn row(method: &Method<'_>, all: &[Method<'_>], config: &Config) -> MethodRow {
    let searches = &method.searches;
    let last = |search: &Search| search.evolved.rounds.last().copied();
    let of_last = |figure: fn(&CourseRound) -> f64| {
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

/// Of the last answers.
fn errors(searches: &[Search]) -> Option<ErrorMeans> {
    let last = || searches.iter().filter_map(|search| search.evolved.errors.last());
    let judged_by: Vec<f64> = last().map(|errors| errors.judged_by).collect();
    let held_out: Vec<f64> = last().filter_map(|errors| errors.held_out).collect();
    Some(ErrorMeans { judged_by: mean_of_seeds(&judged_by)?, held_out: mean_of_seeds(&held_out) })
}

fn colours(searches: &[Search]) -> Option<ColourShares> {
    let mut all = Colours::default();
    searches.iter().for_each(|search| all += search.evolved.colours);
    let [white, black] = [all.white.games() as f64, all.black.games() as f64];
    let scores = [all.white, all.black].map(|games| games.score().unwrap_or(0.5));
    (white + black > 0.0).then(|| ColourShares { with_white: white / (white + black), scores })
}

/// Elo of what was tried. Of White alone it is that of single games.
fn elo(tried: &Tried) -> Option<Estimate> {
    match tried.result.pentanomial == Pentanomial::default() {
        false => tried.result.pentanomial.elo(),
        true => tried.colours.white.elo(),
    }
}

/// Elo at a point of the curves: of every method, since their seeds say together how far seeds
/// scatter.
fn pooled(all: &[Method<'_>], trial: usize, point: usize) -> Vec<Option<Estimate>> {
    let of_search = |search: &Search| {
        let (_, tried) = search.trials.get(trial)?.get(point)?;
        SeedEstimate::of(&elo(tried)?)
    };
    let of_method =
        |method: &Method<'_>| method.searches.iter().filter_map(of_search).collect::<Vec<_>>();
    let sets: Vec<Vec<SeedEstimate>> = all.iter().map(of_method).collect();
    pool(&sets).into_iter().map(|pooled| pooled.map(|pooled| pooled.elo)).collect()
}

fn points(method: &Method<'_>, trial: usize) -> usize {
    method
        .searches
        .iter()
        .filter_map(|search| Some(search.trials.get(trial)?.len()))
        .min()
        .unwrap_or(0)
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

/// Share of the points that White took, whoever had it.
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
                "The games of {} were not balanced by colour: {} % were played with White. What it \
                 was told is wrong by what White is worth.",
                method.label,
                base::format::fixed(100.0 * shares.with_white, 0)
            ));
        }
    }
    warnings.extend(lopsided(config, methods));
    for trial in config.trials.iter().filter(|trial| trial.colours == ByColour::White) {
        warnings.push(format!(
            "Elo {} is of games that the answers played with White alone: it is no measure of \
             strength, and shown to be compared with one.",
            told(config, trial)
        ));
    }
    warnings
}

/// Matches that one side won so clearly that they have no Elo, and are in no mean.
fn lopsided(config: &Config, methods: &[Method<'_>]) -> Vec<String> {
    let mut told = Vec::new();
    for method in methods {
        for (place, trial) in config.trials.iter().enumerate() {
            let matches = method.searches.iter().flat_map(|search| &search.trials[place]);
            let has_none =
                |tried: &Tried| elo(tried).and_then(|elo| SeedEstimate::of(&elo)).is_none();
            let count = matches.filter(|(_, tried)| has_none(tried)).count();
            if count > 0 {
                told.push(format!(
                    "In {count} of the matches of {} {} one side won so clearly that there is no \
                     Elo: the means leave them out.",
                    method.label,
                    self::told(config, trial)
                ));
            }
        }
    }
    told
}

/// Elo by trial with a curve, errors where positions judge, diversity: of all methods that
/// spend the same.
fn panels(config: &Config, methods: &[Method<'_>]) -> Vec<LearningPanel> {
    let across = config.budget.unit().to_owned();
    let panel = |title: String, unit: &str, series: Vec<CurveSeries>| LearningPanel {
        title,
        unit: unit.to_owned(),
        across: across.clone(),
        series,
    };
    let mut panels = Vec::new();
    let drawn = || methods.iter().filter(|method| method.unit == config.budget.unit());
    for (place, trial) in config.trials.iter().enumerate().filter(|(_, trial)| trial.curve) {
        let series = elo_curves(methods, place, config.budget.unit());
        panels.push(panel(format!("Elo {}", told(config, trial)), "Elo", series));
    }
    if matches!(config.fitness, FitnessConfig::Positions(_)) {
        let judged_by = |errors: &Errors| Some(errors.judged_by);
        let series = drawn().map(|method| error_curve(method, judged_by)).collect();
        panels.push(panel("Mean squared error".to_owned(), "", series));
        let held_out = |errors: &Errors| errors.held_out;
        let series = drawn().map(|method| error_curve(method, held_out)).collect();
        panels.push(panel("Mean squared error, held out".to_owned(), "", series));
    }
    let diversity = drawn().map(|method| course(method, |round| round.diversity)).collect();
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
        CurveSeries { label: method.label.to_owned(), band: points.clone(), points }
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
        Some((mean(searches.iter().filter_map(spent)), mean_of_seeds(&errors)?))
    };
    let points: Vec<(f64, Estimate)> = (0..count).filter_map(point).collect();
    CurveSeries { label: method.label.to_owned(), band: points.clone(), points }
}

/// A line through as many points as fit on a page.
fn course(method: &Method<'_>, figure: fn(&CourseRound) -> f64) -> CurveSeries {
    const POINTS: usize = 60;
    let count = method.searches.iter().map(|search| search.evolved.rounds.len()).min().unwrap_or(0);
    let apart = count.div_ceil(POINTS).max(1);
    let point = |place: usize| {
        let at = |search: &Search| search.evolved.rounds.get(place).copied();
        let rounds: Vec<CourseRound> = method.searches.iter().filter_map(at).collect();
        let value = mean(rounds.iter().map(figure));
        let spent = mean(rounds.iter().map(|round| round.spent as f64));
        (spent, Estimate::new(value, value, value))
    };
    let band: Vec<(f64, Estimate)> = (0..count).step_by(apart).map(point).collect();
    CurveSeries { label: method.label.to_owned(), points: Vec::new(), band }
}

fn provenance(
    config: &Config,
    planning: &Planning,
    results: &Results,
    command: &str,
) -> Result<Provenance, EvolveError> {
    let provenance = summary::provenance(&planning.plan, results, command)?;
    let mut conditions = vec![("searched".to_owned(), searched(config, planning))];
    conditions.push(("judged by".to_owned(), judged_by(&config.fitness)));
    for method in &config.methods {
        if let Some(own) = &method.fitness {
            conditions.push((format!("judged by, {}", method.label()), judged_by(own)));
        }
    }
    for trial in &config.trials {
        let plies = RandomPlies::USUAL;
        let games = format!(
            "{} games of each answer, openings of {plies} random plies",
            grouped(trial.games)
        );
        conditions.push((format!("Elo {}", told(config, trial)), games));
    }
    Ok(Provenance { conditions, ..provenance })
}

fn searched(config: &Config, planning: &Planning) -> String {
    let told = planning.genome.told();
    match &config.genome {
        GenomeConfig::Tables(genome) => format!(
            "{told}, from `{}`, within {} centipawns of the value of the piece",
            genome.tables, genome.range
        ),
        GenomeConfig::Margins(genome) => format!("{told} with `{}`", genome.evaluation),
        GenomeConfig::Weights(genome) => format!(
            "{told}, `{}`, each within {} centipawns of what it is there",
            genome.net.display(),
            genome.range
        ),
    }
}

fn judged_by(fitness: &FitnessConfig) -> String {
    match fitness {
        FitnessConfig::Games(terms) => {
            let against = match terms.opponents {
                Opponents::Population => "each other",
                Opponents::Start => "what the search began with",
                Opponents::Champions => "former answers",
            };
            let colours = match terms.colours {
                ByColour::Both => "",
                ByColour::White => ", with White alone",
            };
            format!(
                "{} games of each point in a round at {} nodes a move against {against}{colours}, \
                 openings of {} random plies",
                terms.games,
                grouped(terms.nodes.get()),
                RandomPlies::USUAL
            )
        }
        FitnessConfig::Positions(positions) => format!(
            "the squared error of the expected score in {} positions of {}",
            grouped(positions.positions),
            positions.file.display()
        ),
    }
}
