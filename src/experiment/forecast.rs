//! What an experiment is expected to take.

use super::config::Experiment;
use super::error::ExperimentError;
use super::grid::{self, RunSpec};
use measure::Pairings;
use nnue::Architecture;

/// What a run is expected to take.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Positions trained on.
    pub positions: u64,
    /// Seconds of training on this machine's cores.
    pub seconds: f64,
    /// Bytes of checkpoint and net.
    pub bytes: u64,
}

/// A rough forecast, from the arithmetic of one training step.
pub fn forecast(run: &RunSpec) -> Forecast {
    // Core seconds that a position costs whatever the net's size (loading,
    // listing features), and arithmetic per core and second. They fit what the
    // quickstart and larger nets were seen to take; other machines differ.
    const PER_POSITION: f64 = 2.4e-6;
    const RATE: f64 = 2.4e10;
    let cores = match run.training.threads {
        0 => base::cores(),
        threads => threads,
    };
    let layers = run.layers.clone();
    let columns = (layers.width() + layers.psqt_columns()) as f64;
    let dense: usize = layers.dense().iter().map(|shape| shape.inputs * shape.sums).sum();
    let active = run.features.input().max_active().min(48) as f64;
    let arithmetic = 2.0 * active * columns * 3.0 + dense as f64 * 3.0;
    let architecture = Architecture { features: run.features.input().size(), layers };
    // Reading the file has made sure that they can be counted.
    let positions = u64::from(run.training.epochs) * run.training.positions_per_epoch;
    let shown = positions as f64 * run.training.method.positions_shown() as f64;
    let parameters = architecture.parameters() as u64;
    let remembered = run.training.optimiser.tensors_per_parameter() as u64;
    Forecast {
        positions,
        seconds: shown * (PER_POSITION + arithmetic / RATE) / cores as f64,
        // Two checkpoints of weights and what the optimiser remembers of each,
        // in f32, and a net in i16.
        bytes: parameters * (2 * (1 + remembered) * 4 + 2),
    }
}

/// Games that all matches come to, and what tells the price of time.
///
/// # Errors
/// A grid that cannot be, which reading the file finds out.
pub fn games_planned(experiment: &Experiment) -> Result<u64, ExperimentError> {
    let seeds = experiment.grid.seed.len() as u64;
    let players = match &experiment.selfplay {
        Some(config) => u64::from(config.generations.get()) + 1,
        None => grid::expand(experiment)?.len() as u64 / seeds,
    };
    let pairings = |schedule: Pairings| match schedule {
        Pairings::RoundRobin => players * players.saturating_sub(1) / 2,
        Pairings::Gauntlet => players.saturating_sub(1),
    };
    let matches = &experiment.evaluation.matches;
    let games: u64 = matches.iter().map(|one| one.games * pairings(one.pairings) * seeds).sum();
    let is_timed = matches.iter().any(|one| one.limit.is_timed());
    Ok(games + if is_timed { experiment.evaluation.price_games } else { 0 })
}
