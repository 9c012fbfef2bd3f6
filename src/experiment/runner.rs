//! Carries out an experiment, stage by stage. Each stage asks the registry
//! first and leaves its result there, so that a second call does only what
//! is missing.

mod generations;
mod judge;
mod prepare;
mod train;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::config::{Experiment, Pairings};
use super::error::ExperimentError;
use super::grid::{self, RunSpec};
use super::preflight;
use super::publish::{self, Earlier, Page};
use super::registry::Registry;
use base::FolderLock;
use base::Observer;
use data::Cache;
use nnue::Architecture;

/// Name of the registry inside the folder of runs.
pub const REGISTRY_FILE: &str = "registry.sqlite";

/// Name of the folder of prepared positions inside the folder of runs.
const CACHE_FOLDER: &str = "cache";

/// Where an experiment keeps its things.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Run folders and the registry.
    pub runs: PathBuf,
    /// Reports, one folder per experiment.
    pub reports: PathBuf,
}

/// How a call ended.
#[derive(Debug)]
pub enum Outcome {
    /// Everything is done.
    Finished {
        /// What it shows.
        page: Page,
        /// Runs that came to no net.
        failed: Vec<String>,
    },
    /// The stop flag was raised; another call goes on.
    Stopped,
}

/// A net that has been trained.
#[derive(Clone, Debug)]
pub(super) struct TrainedRun {
    pub spec: RunSpec,
    /// What people call it.
    pub label: String,
    pub id: String,
    pub net: std::sync::Arc<nnue::Net>,
}

/// What every stage needs.
pub(super) struct Context<'a> {
    pub experiment: &'a Experiment,
    /// What was typed.
    pub command: &'a str,
    pub registry: &'a Registry,
    /// Folder of the experiment's runs.
    pub folder: PathBuf,
    /// Positions kept from one call to the next.
    pub cache: Cache,
    pub observer: &'a mut dyn Observer,
    pub stop: &'a AtomicBool,
    /// Runs that came to no net.
    pub failed: Vec<String>,
}

impl Context<'_> {
    /// Notes that a run came to no net; the others go on.
    fn note_failure(&mut self, label: &str, reason: &str) {
        self.observer.warn(&format!("{label} failed: {reason}"));
        self.failed.push(label.to_owned());
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Trains, judges and reports whatever is not done yet. `command` is what was typed, so that
/// the page can say how it was made.
///
/// # Errors
///
/// Another process that carries out the same experiment; whatever stops a stage. Results of
/// finished stages are kept.
pub fn run(
    experiment: &Experiment,
    command: &str,
    workspace: &Workspace,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome, ExperimentError> {
    preflight::check(experiment, workspace)?;
    let registry = Registry::open(&workspace.runs.join(REGISTRY_FILE))?;
    let folder = workspace.runs.join(&experiment.name);
    create_folder(&folder)?;
    let _lock = FolderLock::take(&folder)?;
    let cache = Cache::new(workspace.runs.join(CACHE_FOLDER));
    let mut context = Context {
        experiment,
        command,
        registry: &registry,
        folder,
        cache,
        observer,
        stop,
        failed: Vec::new(),
    };

    match &experiment.selfplay {
        None => run_grid(&mut context)?,
        Some(config) => generations::all(&mut context, config)?,
    }
    if context.stopped() {
        return Ok(Outcome::Stopped);
    }
    let failed = context.failed;
    let page = publish::page(&registry, experiment, &workspace.reports, Earlier::MovesAside)?;
    Ok(Outcome::Finished { page, failed })
}

/// Trains the nets of the grid on the same data and judges them, unless stopped.
fn run_grid(context: &mut Context<'_>) -> Result<(), ExperimentError> {
    let experiment = context.experiment;
    let specs = grid::expand(experiment)?;
    let Some(data) = prepare::load_data(context, &experiment.data.train)? else { return Ok(()) };
    prepare::note_experiment(context, &data)?;
    let Some(runs) = train::all(context, specs, &data)? else { return Ok(()) };
    drop(data);
    judge::speed(context, &runs)?;
    judge::puzzles(context, &runs)?;
    judge::matches(context, &runs)
}

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
pub fn forecast(experiment: &Experiment, run: &RunSpec) -> Forecast {
    // Core seconds that a position costs whatever the net's size (loading,
    // listing features), and arithmetic per core and second. They fit what the
    // quickstart and larger nets were seen to take; other machines differ.
    const PER_POSITION: f64 = 2.4e-6;
    const RATE: f64 = 2.4e10;
    let cores = match experiment.training.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let architecture = Architecture { features: run.features.input().size(), layers: run.layers };
    let width = run.layers.width() as f64;
    let outputs = (run.layers.dense_outputs() * run.layers.buckets().count()) as f64;
    let active = run.features.input().max_active().min(48) as f64;
    let arithmetic = 2.0 * active * width * 3.0 + 2.0 * width * outputs * 3.0;
    // Reading the file has made sure that they can be counted.
    let positions = u64::from(experiment.training.epochs) * experiment.training.positions_per_epoch;
    let shown = positions as f64 * run.method.positions_shown() as f64;
    let parameters = architecture.parameters() as u64;
    let remembered = experiment.training.optimiser.tensors_per_parameter() as u64;
    Forecast {
        positions,
        seconds: shown * (PER_POSITION + arithmetic / RATE) / cores as f64,
        // Two checkpoints of weights and what the optimiser remembers of each,
        // in f32, and a net in i16.
        bytes: parameters * (2 * (1 + remembered) * 4 + 2),
    }
}

/// Games that the matches of the whole grid come to.
pub fn games_planned(experiment: &Experiment) -> u64 {
    let grid = &experiment.grid;
    let players = match &experiment.selfplay {
        Some(config) => u64::from(config.generations.get()) + 1,
        None => {
            let nets = grid.features.len() * grid.layers().map_or(0, |all| all.len());
            (nets * experiment.methods().len()) as u64
        }
    };
    let pairings = |schedule: Pairings| match schedule {
        Pairings::RoundRobin => players * players.saturating_sub(1) / 2,
        Pairings::Gauntlet => players.saturating_sub(1),
    };
    let seeds = grid.seed.len() as u64;
    experiment.evaluation.matches.iter().map(|m| m.games * pairings(m.pairings) * seeds).sum()
}

fn create_folder(path: &Path) -> Result<(), ExperimentError> {
    std::fs::create_dir_all(path)
        .map_err(|source| ExperimentError::Io { path: path.to_owned(), source })
}

/// Removes a folder with all that is in it, if it is there.
pub fn remove_folder(path: &Path) -> Result<(), ExperimentError> {
    match std::fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(ExperimentError::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
