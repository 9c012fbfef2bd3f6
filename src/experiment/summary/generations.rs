//! From the registry to the page of generations.

use super::rounds;
use super::solved::accuracy;
use crate::config::{Experiment, MatchConfig};
use crate::error::ExperimentError;
use crate::generations::{Generations, TrainOn};
use crate::grid;
use crate::measure::{GenerationRecord, PuzzleRecord, Speed, TournamentRecord, Trained, kind};
use crate::registry::Registry;
use arena::{PlayerId, Scale, TournamentResult, page};
use report::Estimate;
use report::games::{GamesReport, GenerationRow};
use report::machine::processor;

/// The page of an experiment with a `[selfplay]` table.
///
/// # Errors
/// If the generations have not played each other yet, or the registry cannot be read.
pub fn of(
    registry: &Registry,
    experiment: &Experiment,
    config: &Generations,
) -> Result<GamesReport, ExperimentError> {
    let unrated = || ExperimentError::Unrated { experiment: experiment.name.clone() };
    let records = records(registry, experiment, config)?.ok_or_else(unrated)?;
    let tournament: Option<TournamentRecord> =
        registry.get(&experiment.name, TournamentRecord::SUBJECT, kind::TOURNAMENT)?;
    let played = tournament
        .filter(|played| played.runs.iter().eq(records.iter().map(|generation| &generation.run)));
    let result = played.ok_or_else(unrated)?.result;
    let scale = Scale::from(PlayerId(0));
    let mut report =
        page::of(&title(experiment), conditions(experiment, config)?, &result, &scale, None)?;
    for (number, record) in (1..).zip(&records) {
        report.generations.push(row(registry, experiment, &result, number, record)?);
    }
    let (config_toml, setting) = registry.experiment(&experiment.name)?.unwrap_or_default();
    report.config_toml = config_toml;
    report.command = setting["command"].as_str().unwrap_or_default().to_owned();
    let gains: Vec<String> = report.generations.iter().filter_map(gain).collect();
    report.findings.splice(0..0, gains);
    Ok(report)
}

/// The name, and what is asked.
fn title(experiment: &Experiment) -> String {
    let Experiment { name, question, .. } = experiment;
    match question.as_str() {
        "" => name.clone(),
        question => format!("{name}: {question}"),
    }
}

/// What a generation brought, in words.
fn gain(generation: &GenerationRow) -> Option<String> {
    let GenerationRow { name, player, gain, .. } = generation;
    gain.map(|elo| format!("{name} against {player}, who made the games: {} Elo.", elo.signed()))
}

/// All generations in order; `None` if one is missing.
fn records(
    registry: &Registry,
    experiment: &Experiment,
    config: &Generations,
) -> Result<Option<Vec<GenerationRecord>>, ExperimentError> {
    let record =
        |number| registry.get(&experiment.name, &Generations::player(number), kind::GENERATION);
    (1..=config.generations.get()).map(record).collect()
}

fn row(
    registry: &Registry,
    experiment: &Experiment,
    result: &TournamentResult,
    number: u32,
    record: &GenerationRecord,
) -> Result<GenerationRow, ExperimentError> {
    let (name, run) = (&experiment.name, &record.run);
    let trained: Option<Trained> = registry.get(name, run, kind::TRAINED)?;
    let speed: Option<Speed> = registry.get(name, run, kind::SPEED)?;
    let puzzles: Option<PuzzleRecord> = registry.get(name, run, kind::PUZZLES_NODES)?;
    let players = [number, number - 1].map(|player| PlayerId(player as usize));
    let pairs = result.head_to_head(players[0], players[1]);
    Ok(GenerationRow {
        name: Generations::player(number),
        player: Generations::player(number - 1),
        games: record.made.games,
        positions: record.made.positions,
        drawn: record.made.drawn(),
        trained_on: record.positions,
        validation_loss: trained.and_then(|trained| trained.validation_loss()),
        puzzles: accuracy(puzzles.iter()),
        nodes_per_second: rounds(&speed.iter().collect::<Vec<_>>()),
        gain: pairs.and_then(|pairs| pairs.elo()).map(Estimate::from),
    })
}

/// How games and nets were made, and how they were rated.
fn conditions(
    experiment: &Experiment,
    config: &Generations,
) -> Result<Vec<(String, String)>, ExperimentError> {
    let Generations { positions, nodes, random_plies, balance, seed, .. } = config;
    let nets = grid::expand(experiment)?.into_iter().map(|spec| spec.label());
    let trained_on = match config.train_on {
        TrainOn::All => "the games of all generations so far",
        TrainOn::Latest => "the games of its own generation",
    };
    let rated = experiment.evaluation.matches.iter().map(|MatchConfig { nodes, games, .. }| {
        format!("{games} games of each two at {nodes} nodes a move")
    });
    let named = [
        (
            "self-play",
            format!(
                "{positions} positions a generation at {nodes} nodes a move, {random_plies} random \
                 plies, balance {balance}, seed {seed}"
            ),
        ),
        ("nets", nets.collect()),
        ("trained on", trained_on.to_owned()),
        ("rated by", rated.collect()),
        ("machine", processor()),
        ("program", format!("oplus {}, `oplus run`", env!("CARGO_PKG_VERSION"))),
    ];
    Ok(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
