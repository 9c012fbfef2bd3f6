//! Lints: valid experiments whose result would say nothing.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::config::{DataConfig, Experiment};
use super::error::ExperimentError;
use super::grid;
use super::preflight;
use base::format::{compact, counted, grouped};
use data::{DataError, DataSpec, Ingredient, LoadProgress};
use training::TrainingConfig;

/// Passes over the positions from which nets overfit.
const MANY_PASSES: f64 = 40.0;

/// Fewer games of a pair of sets, over all seeds, distinguish nothing.
const FEW_GAMES: u64 = 30;

/// Bytes of a position in the largest usual format, for a lower bound of the positions of a file.
const WIDEST: u64 = 100;

/// Time for the estimate of the positions of files.
const LOOK: Duration = Duration::from_millis(400);

/// Lints of the experiment, and once of each of its sets.
///
/// # Errors
/// As [`of`].
pub(crate) fn of_all(
    experiment: &Experiment,
    stop: &AtomicBool,
) -> Result<Vec<String>, ExperimentError> {
    let (mut seen, mut lints) = (HashSet::new(), Vec::new());
    // A search judges its grid by tests of its own.
    if experiment.discover.is_some() {
        return Ok(lints);
    }
    for run in grid::expand(experiment)? {
        if seen.insert(run.features.canonical().to_owned()) {
            lints.extend(features::lints::of(run.features.set()).iter().map(ToString::to_string));
        }
    }
    lints.extend(of(experiment, stop)?);
    Ok(lints)
}

/// All lints, a sentence each. Samples the data where nets may pass over them often.
///
/// # Errors
/// Data that cannot be read; the stop flag.
pub fn of(experiment: &Experiment, stop: &AtomicBool) -> Result<Vec<String>, ExperimentError> {
    let mut lints: Vec<String> = few_games(experiment).collect();
    // Preflight checks report missing data.
    if experiment.selfplay.is_some() || preflight::files(experiment).is_err() {
        return Ok(lints);
    }
    let mut known: Vec<(DataConfig, u64)> = Vec::new();
    for run in grid::expand(experiment)? {
        let presented = presented(&run.training);
        let is_known = |(data, most): &(DataConfig, u64)| *data == run.data && *most >= presented;
        if !known.iter().any(is_known) {
            lints.extend(many_passes(&run.data, &run.training, stop)?);
            known.push((run.data, presented));
        }
    }
    lints.dedup();
    Ok(lints)
}

/// Matches of too few games for a difference of usual size.
pub(crate) fn few_games(experiment: &Experiment) -> impl Iterator<Item = String> {
    let seeds = experiment.grid.seed.len() as u64;
    let matches = experiment.evaluation.matches.iter();
    matches.filter(move |one| one.games * seeds < FEW_GAMES).map(move |one| {
        format!(
            "{} per pairing at {} resolve no difference and serve as a trial run only; play at least \
             some hundred (`games` of `match`, a larger --scale)",
            counted(one.games * seeds, "game"),
            one.limit
        )
    })
}

/// Positions presented to a net.
fn presented(training: &TrainingConfig) -> u64 {
    u64::from(training.epochs).saturating_mul(training.positions_per_epoch)
}

fn many_passes(
    data: &DataConfig,
    training: &TrainingConfig,
    stop: &AtomicBool,
) -> Result<Option<String>, ExperimentError> {
    let presented = presented(training) as f64;
    let least = data.positions.unwrap_or(u64::MAX).min(bytes(&data.train)? / WIDEST);
    if presented <= MANY_PASSES * least as f64 {
        return Ok(None);
    }
    let positions = positions(data, stop)?;
    let passes = presented / positions.max(1.0);
    Ok((passes >= MANY_PASSES).then(|| {
        format!(
            "{} position visits per net on about {} positions: {} passes over the data \
             overfit. Use more data, or fewer `training.epochs` or `positions_per_epoch`; ten \
             passes are many.",
            compact(presented),
            compact(positions),
            grouped(passes.round() as u64)
        )
    }))
}

fn bytes(files: &[Ingredient]) -> Result<u64, ExperimentError> {
    let files = data::expand(files)?;
    let sizes = files.iter().filter_map(|file| file.path.metadata().ok());
    Ok(sizes.map(|file| file.len()).sum())
}

/// Estimated training positions, from the density at the start of the files.
fn positions(data: &DataConfig, stop: &AtomicBool) -> Result<f64, ExperimentError> {
    let spec = DataSpec {
        train: data.train.clone(),
        validation: data.validation,
        filter: data.filter.clone(),
        ..DataSpec::default()
    };
    let (enough, began) = (AtomicBool::new(false), Instant::now());
    let mut seen = None;
    let mut look = |at: LoadProgress| {
        if at.bytes_read > 0 {
            seen = Some(at.kept as f64 * at.bytes_total as f64 / at.bytes_read as f64);
        }
        if stop.load(Ordering::Relaxed) || began.elapsed() > LOOK {
            enough.store(true, Ordering::Relaxed);
        }
    };
    let kept = match data::load(&spec, &mut look, &enough) {
        Ok(whole) => whole.kept() as f64,
        Err(DataError::Stopped) => seen.unwrap_or(0.0),
        Err(error) => return Err(error.into()),
    };
    let train = kept * (1.0 - data.validation);
    Ok(data.positions.map_or(train, |limit| train.min(limit as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Overrides, parse};

    const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/bootstrap.oarc");

    fn lints(epochs: u32, more: &str) -> Vec<String> {
        let text = format!(
            "name = \"x\"\n[grid]\nfeatures = [\"ALL\"]\n[data]\ntrain = [\"{BUNDLED}\"]\n{more}\n\
             [training]\nepochs = {epochs}\npositions_per_epoch = 1_000_000\n"
        );
        let experiment = parse("x", &text, &Overrides::default()).unwrap();
        of(&experiment, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn thousands_of_passes_are_warned_of() {
        assert!(lints(10, "").is_empty(), "{:?}", lints(10, ""));
        let many = lints(20_000, "");
        assert!(many[0].starts_with("20G position visits per net"), "{many:?}");
        assert_eq!(many.len(), 1);
        let few = lints(10, "positions = 10_000");
        assert!(few[0].contains("on about 10k positions"), "{few:?}");
        assert!(few[0].contains("1,000 passes"), "{few:?}");
    }

    #[test]
    fn few_games_are_warned_of() {
        let of_games = |games: u32| {
            let more = format!("[evaluation]\nmatch = [{{ nodes = 100, games = {games} }}]");
            lints(10, &more)
        };
        assert!(of_games(2)[0].starts_with("2 games per pairing at 100 nodes"));
        assert!(of_games(200).is_empty());
    }
}
