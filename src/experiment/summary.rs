//! From results to the report: figures, names, provenance.

pub mod generations;

use super::axes::Setting;
use super::config::Experiment;
use super::error::ExperimentError;
use super::grid;
use super::lints;
use super::planning::Planning;
use super::study::Note;
use base::format::counted;
use data::dataset::split_warning;
use data::job::{Prepared, licence_of};
use measure::{Report, SetRow, judge};
use plan::{Plan, Results};
use report::{DataFile, Machine, Provenance};

/// The report of an experiment as far as it is done.
///
/// # Errors
/// A result that cannot be read.
pub fn of(
    experiment: &Experiment,
    planning: &Planning,
    results: &Results,
    note: &Note,
) -> Result<Report, ExperimentError> {
    let mut report = judge(&planning.evaluation_plan, results)?;
    let few_games = lints::few_games(experiment).map(|warning| format!("{warning}."));
    report.warnings.splice(0..0, few_games);
    let prepared = prepared(planning, results)?;
    // Sets of positions of the same files have the same to say.
    for warning in prepared.iter().flat_map(|(prepared, _)| data_warnings(prepared)) {
        if !report.warnings.contains(&warning) {
            report.warnings.push(warning);
        }
    }
    name_settings(&mut report, experiment)?;
    report.name = experiment.name.clone();
    report.question = experiment.question.clone();
    report.config_toml = note.config.clone();
    report.notes = notes(experiment);
    report.provenance = Provenance {
        data: data_files(&prepared),
        ..provenance(&planning.plan, results, &note.command)?
    };
    report.provenance.conditions.extend(positions_of_several_files(&prepared));
    Ok(report)
}

/// Adds to each set its values of the keys that the grid varies.
fn name_settings(report: &mut Report, experiment: &Experiment) -> Result<(), ExperimentError> {
    for spec in grid::expand(experiment)? {
        let (features, variant) = (spec.features.expression(), spec.variant(experiment));
        let is_same = |set: &&mut SetRow| set.features == features && set.variant == variant;
        if let Some(set) = report.sets.iter_mut().find(is_same) {
            let lists = spec.lists(experiment).map(|(axis, level)| (axis.to_owned(), level));
            set.settings = lists.chain(spec.settings.iter().map(Setting::written)).collect();
        }
    }
    Ok(())
}

/// Hosts, times and versions of the jobs of a plan.
///
/// # Errors
/// A result that cannot be read.
pub fn provenance(
    plan: &Plan,
    results: &Results,
    command: &str,
) -> Result<Provenance, ExperimentError> {
    let mut provenance = Provenance { command: command.to_owned(), ..Provenance::default() };
    let mut last = String::new();
    for planned in plan.jobs() {
        let Some(result) = results.get(planned.key)? else { continue };
        let plan::ResultProvenance { program, processor, cores, finished, seconds } =
            result.provenance;
        provenance.seconds += seconds;
        if finished >= last {
            provenance.date = finished.split('T').next().unwrap_or_default().to_owned();
            provenance.program = format!("oplus {program}");
            provenance.machine = Machine { cpu: processor, cores };
            last = finished;
        }
    }
    Ok(provenance)
}

/// Sets of positions that are prepared, with their licences.
fn prepared(
    planning: &Planning,
    results: &Results,
) -> Result<Vec<(Prepared, String)>, ExperimentError> {
    let mut all = Vec::new();
    for &key in &planning.positions {
        let licence = licence_of(&planning.plan.inputs, key);
        all.extend(results.output::<Prepared>(key)?.map(|prepared| (prepared, licence)));
    }
    Ok(all)
}

/// Each file once; of several sets of positions the numbers are those of the largest.
fn data_files(prepared: &[(Prepared, String)]) -> Vec<DataFile> {
    let mut files: Vec<DataFile> = Vec::new();
    for (data, licence) in prepared {
        // Datasets count the positions of all of their files together.
        let is_alone = data.dataset.sources.len() == 1;
        let positions = is_alone.then_some(data.train + data.validation);
        for source in &data.dataset.sources {
            let hash = source.blake3.to_string();
            match files.iter_mut().find(|file| file.hash == hash) {
                Some(known) => known.positions = known.positions.max(positions),
                None => files.push(DataFile {
                    path: source.path.display().to_string(),
                    hash,
                    licence: licence.clone(),
                    positions,
                    games: games(data).filter(|_| is_alone),
                }),
            }
        }
    }
    files
}

/// Games read; `None` of lists of positions.
fn games(data: &Prepared) -> Option<u64> {
    Some(data.dataset.games.read).filter(|&games| games > 0)
}

/// Positions and games of datasets of several files, a line each.
fn positions_of_several_files(prepared: &[(Prepared, String)]) -> Vec<(String, String)> {
    let several =
        prepared.iter().map(|(data, _)| data).filter(|data| data.dataset.sources.len() > 1);
    let mut lines: Vec<(String, String)> = Vec::new();
    for data in several {
        let positions = counted(data.train + data.validation, "position");
        let of_games =
            games(data).map_or(String::new(), |games| format!(" of {}", counted(games, "game")));
        let files = counted(data.dataset.sources.len() as u64, "file");
        let line =
            ("data".to_owned(), format!("{positions}{of_games} in {files}, after the filter"));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Remarks on numbers that are easily misread.
fn notes(experiment: &Experiment) -> Vec<String> {
    let ranked = experiment.methods().iter().any(|method| method.needs_choices());
    let losses = "Losses are those of target-scores for every method; a ranking method does not train \
                  the scale of scores, so its loss is no measure of strength.";
    ranked.then(|| losses.to_owned()).into_iter().collect()
}

fn data_warnings(prepared: &Prepared) -> Vec<String> {
    let skipped = |counts: &data::dataset::EntryCounts, kind: &str| {
        let total = counts.skipped.total();
        (total > 0).then(|| format!("{total} unreadable {kind} of the data were skipped."))
    };
    let data::Dataset { games, listed, .. } = &prepared.dataset;
    let split = split_warning(listed.read).map(|warning| format!("{warning}."));
    [skipped(games, "games"), skipped(listed, "lines"), split].into_iter().flatten().collect()
}
