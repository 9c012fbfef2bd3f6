//! The grid as a table, with time, memory and disk of each training.

use super::config::Experiment;
use super::error::ExperimentError;
use super::forecast::{Rates, RunSize, games_planned, run_size};
use super::generations::Generations;
use super::grid::{self, RunSpec};
use super::preflight;
use base::format::{counted, duration};
use base::memory::{self, Size};
use data::Sample;
use report::Format::{Count, Id, Seconds, Text};
use report::{Column, Table};

/// # Errors
/// An invalid grid, which reading the file has excluded.
pub(crate) fn of(experiment: &Experiment, rates: &mut Rates) -> Result<String, ExperimentError> {
    if experiment.discover.is_some() {
        return Ok(String::new());
    }
    let runs = grid::expand(experiment)?;
    // Every generation trains the grid's net again.
    let generations = experiment.selfplay.as_ref().map_or(1, |table| table.generations.get());
    let runs: Vec<&RunSpec> = (0..generations).flat_map(|_| &runs).collect();
    let mut seconds = |run: &RunSpec| -> f64 {
        let one = |RunSpec { features, layers, training, .. }: RunSpec| {
            rates.training(&features, &layers, &training, training.threads)
        };
        run.trainings().map(one).sum()
    };
    let rows: Vec<(&RunSpec, RunSize, f64)> =
        runs.iter().map(|&run| (run, run_size(run), seconds(run))).collect();
    let table = Table::of("runs", "Runs", &rows)
        .column(Column::new("features", "features", Text), |(run, ..)| run.features.expression())
        .column(Column::new("size", "size", Count), |(run, ..)| run.features.set().size())
        .column(Column::new("layers", "layers", Text), |(run, ..)| run.layers.to_string())
        .column(Column::new("method", "method", Text), |(run, ..)| method(run))
        .column(Column::new("seed", "seed", Id), |(run, ..)| run.seed)
        .column(Column::new("positions", "positions", Count), |(_, size, _)| size.positions)
        .column(Column::new("seconds", "time", Seconds), |(.., seconds)| *seconds)
        .column(Column::new("memory", "memory", Text), |(run, ..)| memory_to_train(run))
        .column(Column::new("disk", "disk", Text), |(_, size, _)| megabytes(size.bytes))
        .table();
    let seconds = rows.iter().map(|(.., seconds)| seconds).sum();
    let bytes = rows.iter().map(|(_, size, _)| size.bytes).sum();
    let games = games_planned(experiment)?;
    let selfplay = experiment.selfplay.as_ref().map_or(String::new(), selfplay_summary);
    Ok(format!(
        "{table}\n{}, {}; about {} of training, {} on disk{selfplay}\n\
         memory is that of one training, plus {} bytes for each position of the data{}",
        counted(runs.len() as u64, "run"),
        counted(games, "game"),
        duration(seconds),
        megabytes(bytes),
        size_of::<Sample>(),
        memory::available().map_or(String::new(), |free| format!("; {} are free", Size(free))),
    ))
}

/// `1.2 GiB`, or `300 MiB, card 1.2 GiB` on a graphics card, of the largest stage.
fn memory_to_train(run: &RunSpec) -> String {
    let trainings: Vec<RunSpec> = run.trainings().collect();
    let host = trainings.iter().map(|one| preflight::footprint(one).peak()).max();
    let host = Size(host.unwrap_or(0));
    let card = trainings.iter().filter_map(preflight::card_footprint).map(|card| card.bytes());
    match card.max() {
        Some(card) => format!("{host}, card {}", Size(card)),
        None => host.to_string(),
    }
}

/// The method, and what else the grid sets for this run.
fn method(run: &RunSpec) -> String {
    let settings = run.settings.iter().map(|setting| format!(", {}", setting.to_text()));
    run.training.method.to_string() + &settings.collect::<String>()
}

/// Self-play of each generation, as a line of its own.
fn selfplay_summary(table: &Generations) -> String {
    let Generations { positions, nodes, .. } = table;
    format!("\nself-play of {positions} positions for each, at {nodes} nodes per move")
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
