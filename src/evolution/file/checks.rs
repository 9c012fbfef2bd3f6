//! Validation of a file of searches.

use crate::{GameTerms, Opponents};
use arena::{ByColour, Jitter};

use super::config::{Budget, FitnessConfig, GenomeConfig, NamedMethod, PositionsConfig};
use super::{Config, EvolveError};

/// Upper bound of games.
const MOST_GAMES: u64 = 1_000_000;

/// Checks all keys.
pub(super) fn check(config: &Config) -> Result<(), EvolveError> {
    names(config)?;
    numbers(config)?;
    config.methods.iter().try_for_each(|method| method_of(config, method))
}

fn ensure(key: &str, is_right: bool, reason: &str) -> Result<(), EvolveError> {
    match is_right {
        true => Ok(()),
        false => Err(EvolveError::Value { key: key.to_owned(), reason: reason.to_owned() }),
    }
}

fn names(config: &Config) -> Result<(), EvolveError> {
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    };
    let is_free = config.name != "cache";
    ensure("name", is_free, "must not be `cache`, the folder of prepared positions")?;
    ensure("name", is_name(&config.name), "must consist of letters, digits, - and _")?;
    ensure("seeds", !config.seeds.is_empty(), "must not be empty")?;
    ensure("seeds", distinct(&config.seeds), "has a duplicate")?;
    ensure("method", !config.methods.is_empty(), "must not be empty: [[method]]")?;
    let labels: Vec<&str> = config.methods.iter().map(NamedMethod::label).collect();
    ensure("method", distinct(&labels), "has two of the same name: give each a `name`")?;
    let tasks: Vec<_> = config.methods.iter().map(|method| config.task(method)).collect();
    ensure("method", distinct(&tasks), "has two that differ in name only")
}

fn numbers(config: &Config) -> Result<(), EvolveError> {
    let rising = config.kept_at.windows(2).all(|pair| pair[0] < pair[1]);
    let ends = config.kept_at.first().is_some_and(|&first| first > 0.0)
        && config.kept_at.last() == Some(&1.0);
    ensure("kept_at", rising && ends, "must rise from above 0 to 1.0")?;
    let is_range = |range: i32| (1..=engine::MOST / 2).contains(&range);
    let range = config.genome.range().is_none_or(is_range);
    ensure("genome.range", range, "must be 1 to 5,000 centipawns")?;
    let are_some = config.trials.iter().all(|trial| (1..=MOST_GAMES).contains(&trial.games));
    ensure("trial.games", are_some, "must be 1 to 1,000,000")
}

fn method_of(config: &Config, method: &NamedMethod) -> Result<(), EvolveError> {
    let (fitness, budget) = (config.fitness_of(method), config.budget_of(method));
    let wants = method.settings.wants_slopes();
    match (fitness, budget) {
        (FitnessConfig::Games(terms), Budget::Games(_)) => {
            ensure("method", !wants, "`gradient` needs a differentiable objective: positions")?;
            games(terms)
        }
        (FitnessConfig::Positions(fitness), Budget::Evaluations(_)) => {
            let are_tables = matches!(config.genome, GenomeConfig::Tables(_));
            ensure("fitness", are_tables, "of positions applies to tables only")?;
            positions(fitness)
        }
        _ => {
            let counts = "is in `games` for games, and in `evaluations` for positions";
            ensure("budget", false, counts)
        }
    }
}

fn games(terms: &GameTerms) -> Result<(), EvolveError> {
    let few = (1..=MOST_GAMES).contains(&terms.games.into());
    ensure("fitness.games", few, "must be 1 to 1,000,000")?;
    ensure("fitness.jitter", terms.jitter <= Jitter::MOST, "must be 0 to 90")?;
    let Some(race) = terms.race else { return Ok(()) };
    let are_pairs = terms.opponents != Opponents::Population && terms.colours == ByColour::Both;
    let wanted = "needs opponents = \"start\" or \"champions\", and both colours";
    ensure("fitness.race", are_pairs, wanted)?;
    ensure("fitness.race", race > 0.0 && race <= 500.0, "must be above 0 and at most 500 Elo")
}

fn positions(fitness: &PositionsConfig) -> Result<(), EvolveError> {
    let is_scale = fitness.scale > 0.0 && fitness.scale.is_finite();
    ensure("fitness.scale", is_scale, "must be a number above 0")?;
    let is_share = (0.0..1.0).contains(&fitness.validation);
    ensure("fitness.validation", is_share, "must be at least 0 and below 1")?;
    ensure("fitness.positions", fitness.positions > 0, "must be above 0")
}

fn distinct<T: PartialEq>(all: &[T]) -> bool {
    all.iter().enumerate().all(|(place, one)| !all[..place].contains(one))
}
