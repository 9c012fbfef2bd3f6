//! From results to the page of generations.

use crate::config::{Experiment, MatchConfig};
use crate::error::ExperimentError;
use crate::generations::{Generations, TrainOn};
use crate::grid;
use crate::planning::Planning;
use crate::runs::Note;
use crate::summary::provenance;
use arena::{PlayerId, Scale, TournamentResult};
use data::job::Prepared;
use measure::tournament::of as page_of;
use measure::{judge, tournament_of};
use plan::Results;
use report::games::{GamesReport, GenerationRow};
use report::{Provenance, Report, SetRow};
use selfplay::Production;

/// The page of an experiment with a `[selfplay]` table; `None` if its generations have not
/// all met yet.
///
/// # Errors
/// A result that cannot be read.
pub fn of(
    experiment: &Experiment,
    config: &Generations,
    planning: &Planning,
    results: &Results,
    note: &Note,
) -> Result<Option<GamesReport>, ExperimentError> {
    let Some(result) = tournament_of(&planning.inquiry, results)? else { return Ok(None) };
    let judged = judge(&planning.inquiry, results)?;
    let scale = Scale::from(PlayerId(0));
    let made = provenance(&planning.plan, results, &note.command)?;
    let made = Provenance { conditions: conditions(experiment, config)?, ..made };
    let mut report = page_of(&title(experiment), made, &result, &scale, None)?;
    for number in 1..=config.generations.get() {
        let row = row(planning, results, &result, &judged, number)?;
        report.generations.extend(row);
    }
    report.config_toml.clone_from(&note.config);
    let gains: Vec<String> = report.generations.iter().filter_map(gain).collect();
    report.findings.splice(0..0, gains);
    Ok(Some(report))
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

fn row(
    planning: &Planning,
    results: &Results,
    result: &TournamentResult,
    judged: &Report,
    number: u32,
) -> Result<Option<GenerationRow>, ExperimentError> {
    let at = number as usize - 1;
    let made: Option<Production> = results.output(planning.generations[at])?;
    let prepared: Option<Prepared> = results.output(planning.positions[at])?;
    let (Some(made), Some(prepared)) = (made, prepared) else { return Ok(None) };
    let name = Generations::player(number);
    let set = judged.sets.iter().find(|set| set.label() == name);
    let players = [number, number - 1].map(|player| PlayerId(player as usize));
    let pairs = result.head_to_head(players[0], players[1]);
    let of_set = |of: fn(&SetRow) -> Option<base::Estimate>| set.and_then(of);
    Ok(Some(GenerationRow {
        player: Generations::player(number - 1),
        games: made.games,
        positions: made.positions,
        drawn: made.drawn(),
        trained_on: prepared.train,
        validation_loss: of_set(|set| set.validation_loss).map(|loss| loss.value),
        puzzles: of_set(|set| set.puzzle_accuracy),
        nodes_per_second: of_set(|set| set.nodes_per_second),
        gain: pairs.and_then(|pairs| pairs.elo()),
        name,
    }))
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
    let rated =
        experiment.evaluation.matches.iter().map(|MatchConfig { limit, games, .. }| {
            format!("{games} games of each two at {limit}")
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
    ];
    Ok(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
