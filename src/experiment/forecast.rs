//! Forecasts: disk of each run, seconds of each job.

mod jobs;
mod rates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config::Experiment;
use super::error::ExperimentError;
use super::grid::RunSpec;
use super::planning::Planning;
use base::format::duration;
use base::{Key, Observer, write_atomically};
use nnue::Architecture;
use plan::{Plan, RunDir, State};
pub use rates::Rates;

/// Size of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunSize {
    /// Positions trained on.
    pub positions: u64,
    /// Bytes of checkpoint and net.
    pub bytes: u64,
}

/// Positions and disk of a run, all stages included.
pub fn run_size(run: &RunSpec) -> RunSize {
    let add = |all: RunSize, one: RunSize| RunSize {
        positions: all.positions + one.positions,
        bytes: all.bytes + one.bytes,
    };
    run.trainings().map(|one| training_size(&one)).fold(RunSize { positions: 0, bytes: 0 }, add)
}

fn training_size(run: &RunSpec) -> RunSize {
    let architecture =
        Architecture { features: run.features.input().size(), layers: run.layers.clone() };
    let parameters = architecture.parameters() as u64;
    let state = run.training.optimiser.tensors_per_parameter() as u64;
    RunSize {
        // Reading the file has checked the product.
        positions: u64::from(run.training.epochs) * run.training.positions_per_epoch,
        // Two checkpoints of weights and optimiser state in f32, and a net in i16.
        bytes: parameters * (2 * (1 + state) * 4 + 2),
    }
}

/// Games of all matches, those of Elo per doubling of time included.
///
/// # Errors
/// An invalid grid, which reading the file has excluded.
pub fn games_planned(experiment: &Experiment) -> Result<u64, ExperimentError> {
    Ok(Planning::sketch(experiment)?.evaluation_plan.games())
}

/// Expected seconds of jobs on this machine, by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Forecast(BTreeMap<Key, f64>);

/// Seconds below which a forecast measures no rates.
const MOMENT: f64 = 15.0;

impl Forecast {
    /// Forecast of all jobs that are not over, by measured rates of this machine, or by default
    /// rates for short plans.
    pub fn of(plan: &Plan, states: &[State], timed_games: Option<usize>) -> Self {
        let guessed = Self::by(&mut Rates::guessed(), plan, states, timed_games);
        match guessed.seconds() < MOMENT {
            true => guessed,
            false => Self::by(&mut Rates::measured(), plan, states, timed_games),
        }
    }

    /// As [`of`](Self::of), by given rates.
    pub fn by(
        rates: &mut Rates,
        plan: &Plan,
        states: &[State],
        timed_games: Option<usize>,
    ) -> Self {
        let mut jobs = jobs::Jobs::new(plan, timed_games, rates);
        let left = plan.jobs().iter().zip(states).filter(|(_, state)| !state.is_over());
        Self(left.filter_map(|(one, _)| Some((one.key, jobs.seconds(&one.job)?))).collect())
    }

    pub fn of_job(&self, key: Key) -> Option<f64> {
        self.0.get(&key).copied()
    }

    /// Sum over all jobs.
    pub fn seconds(&self) -> f64 {
        self.0.values().sum()
    }

    /// `about 9 min 40 s: match 8 min 30 s, train 1 min 10 s`, longest first.
    pub fn summary(&self, plan: &Plan) -> String {
        if self.0.is_empty() {
            return "a time that has no forecast".to_owned();
        }
        let mut kinds: BTreeMap<&str, f64> = BTreeMap::new();
        for one in plan.jobs() {
            *kinds.entry(one.job.kind()).or_default() += self.of_job(one.key).unwrap_or(0.0);
        }
        let mut kinds: Vec<(&str, f64)> = kinds.into_iter().collect();
        kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
        let share = |(_, seconds): &&(&str, f64)| *seconds >= 0.01 * self.seconds();
        let summary: Vec<String> = kinds
            .iter()
            .filter(share)
            .map(|(kind, seconds)| format!("{kind} {}", duration(*seconds)))
            .collect();
        format!("about {}: {}", duration(self.seconds()), summary.join(", "))
    }

    /// Adds it to the file in the run folder, for progress pages.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn save(&self, folder: &Path) -> Result<(), ExperimentError> {
        let mut all = Self::load(folder);
        all.0.extend(&self.0);
        let text = serde_json::to_string_pretty(&all).unwrap_or_default();
        Ok(write_atomically(&path(folder), &[text.as_bytes()])?)
    }

    /// The saved forecast; empty for a missing or unreadable file, which only makes progress pages
    /// less precise.
    pub fn load(folder: &Path) -> Self {
        let text = std::fs::read(path(folder)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join("forecast.json")
}

/// Reports the forecast of the open jobs of a plan and saves it for progress pages.
///
/// # Errors
/// A result that cannot be read; a folder that cannot be written to.
pub fn announce(
    plan: &Plan,
    dir: &RunDir,
    observer: &mut dyn Observer,
) -> Result<(), ExperimentError> {
    let states = plan::states(plan, dir)?;
    if states.iter().all(State::is_over) {
        return Ok(());
    }
    observer.begin("expected", 0, "");
    let forecast = Forecast::of(plan, &states, dir.timed_games);
    forecast.save(&dir.folder)?;
    observer.end(&forecast.summary(plan));
    Ok(())
}

/// Expected seconds of all jobs of an experiment, without reading its data.
///
/// # Errors
/// An invalid grid.
pub fn total_seconds(experiment: &Experiment) -> Result<f64, ExperimentError> {
    let planning = Planning::sketch(experiment)?;
    let states = vec![State::Ready; planning.plan.jobs().len()];
    Ok(Forecast::of(&planning.plan, &states, None).seconds())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Overrides, parse};

    fn planned(more: &str) -> Planning {
        let text = format!(
            "name = \"x\"\n[grid]\nfeatures = [\"ALL\", \"KING * ALL\"]\nlayers = [\"64 -> 1\"]\n\
             [data]\ntrain = [\"a.viri\"]\n[training]\nepochs = 10\n\
             positions_per_epoch = 1_000_000\n[evaluation]\nspeed_rounds = 0\n{more}"
        );
        let experiment = parse("x", &text, &Overrides::default()).unwrap();
        Planning::sketch(&experiment).unwrap()
    }

    fn forecast(plan: &Plan, state: &State) -> Forecast {
        let states = vec![state.clone(); plan.jobs().len()];
        Forecast::by(&mut Rates::guessed(), plan, &states, Some(1))
    }

    fn of_kind(planning: &Planning, kind: &str) -> f64 {
        let forecast = forecast(&planning.plan, &State::Ready);
        let jobs = planning.plan.jobs().iter().filter(|one| one.job.kind() == kind);
        jobs.filter_map(|one| forecast.of_job(one.key)).sum()
    }

    /// Seconds of the only job of a kind, without its start-up.
    fn work_of(planning: &Planning, kind: &str) -> f64 {
        of_kind(planning, kind) - jobs::STARTUP
    }

    #[test]
    fn timed_games_count_by_their_clocks() {
        let clock = "match = [{ movetime_ms = 10, games = 100 }]\nprice_games = 0";
        let timed = planned(clock);
        let seconds = work_of(&timed, "match");
        // A hundred games of some hundred plies of 10 ms, one at a time.
        assert!((60.0..200.0).contains(&seconds), "{seconds}");
        let twice = planned(&clock.replace("10,", "20,"));
        assert!((work_of(&twice, "match") / seconds - 2.0).abs() < 1e-9);
        let priced = planned(&clock.replace("= 0", "= 100"));
        let price = work_of(&priced, "price-of-time") / seconds;
        assert!((price - 0.75).abs() < 1e-9, "{price}: half the time for one of the two");
        let nodes = planned("match = [{ nodes = 1_000_000, games = 100 }]");
        assert!(of_kind(&nodes, "match") > seconds);
        assert_eq!(forecast(&timed.plan, &State::Done), Forecast::default());
        let summary = forecast(&timed.plan, &State::Ready).summary(&timed.plan);
        assert!(summary.starts_with("about ") && summary.contains("match "), "{summary}");
    }

    #[test]
    fn every_meeting_counts() {
        let games = |more: &str| planned(more).evaluation_plan.games();
        let one = "pairings = \"gauntlet\", games = 10";
        assert_eq!(games(&format!("match = [{{ nodes = 100, {one} }}]")), 10);
        let priced = format!("match = [{{ movetime_ms = 10, {one} }}]\nprice_games = 4");
        assert_eq!(games(&priced), 14);
        // Two sets, each of two sizes: three meet the reference, and one its peer.
        let curve = "reference = \"ALL\"\n[grid.data]\npositions = [1_000_000, 2_000_000]";
        assert_eq!(games(&format!("match = [{{ nodes = 100, {one} }}]\n{curve}")), 40);
    }

    #[test]
    fn saved_forecasts_add_up() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Forecast::load(folder.path()), Forecast::default());
        let planning = planned("match = [{ nodes = 100, games = 100 }]");
        let first = forecast(&planning.plan, &State::Ready);
        first.save(folder.path()).unwrap();
        Forecast::default().save(folder.path()).unwrap();
        assert_eq!(Forecast::load(folder.path()).0.len(), first.0.len());
        std::fs::write(folder.path().join("forecast.json"), "nonsense").unwrap();
        assert_eq!(Forecast::load(folder.path()), Forecast::default());
    }
}
