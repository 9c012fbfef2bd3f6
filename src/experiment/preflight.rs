//! Preflight checks: failures of late stages, found before any training.
//!
//! Puzzles, games and page come after the training of all nets. A missing puzzle file, a book with
//! too few openings or a folder without write permission would waste the night. This room checks
//! them first, with the same functions as the later stages.

use std::collections::HashSet;
use std::error::Error;
use std::fs::DirEntry;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::config::{DataConfig, Experiment, MatchConfig, PuzzleConfig};
use super::error::ExperimentError;
use super::forecast::run_size;
use super::grid::{self, RunSpec};
use super::read::names;
use super::study::Study;
use super::workspace::Workspace;
use arena::OpeningSource;
use base::format::first_few;
use base::memory::Size;
use data::DataSpec;
use discovery::Candidate;
use measure::openings;
use measure::puzzles::{PuzzleError, PuzzleSet, read_puzzles};
use network::Compute;
use nnue::Architecture;
use training::{CardFootprint, Footprint, TrainingError};

/// A failed check, by key.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {why}")]
pub struct PreflightError {
    key: &'static str,
    why: String,
    pub help: String,
}

impl PreflightError {
    fn new(key: &'static str, why: &dyn Error, help: &'static str) -> Box<Self> {
        Self::with_reason(key, why.to_string(), help)
    }

    fn with_reason(key: &'static str, why: String, help: &str) -> Box<Self> {
        Box::new(Self { key, why, help: help.to_owned() })
    }

    /// A file that another is not to replace.
    pub(crate) fn taken(key: &'static str, path: &Path) -> Box<Self> {
        let why = format!("`{}` exists", path.display());
        Self::with_reason(key, why, "choose another name, or replace it with --fresh")
    }
}

impl From<Box<PreflightError>> for ExperimentError {
    fn from(error: Box<PreflightError>) -> Self {
        ExperimentError::Preflight(error)
    }
}

/// Checks all inputs and folders of an experiment; of its data only their existence.
///
/// # Errors
/// The first failed check.
pub fn check(experiment: &Experiment, workspace: &Workspace) -> Result<(), ExperimentError> {
    files(experiment)?;
    check_start(experiment)?;
    folders(experiment, workspace)?;
    if let Some(config) = &experiment.evaluation.puzzles {
        let help = "write the path of a puzzle file in the columns of Lichess, plain or .zst, or \
                    remove `puzzles`";
        puzzles(config).map_err(|error| PreflightError::new("evaluation.puzzles", &error, help))?;
    }
    for config in &experiment.evaluation.matches {
        check_openings(experiment, config)?;
    }
    check_disk(&grid::expand(experiment)?, &workspace.runs.join(&experiment.name))
}

/// Checks the folders of runs and of the page of a study.
///
/// # Errors
/// A folder that cannot be written to.
pub fn folders(study: &dyn Study, workspace: &Workspace) -> Result<(), Box<PreflightError>> {
    folder("the folder of runs", &workspace.runs.join(study.name()))?;
    match &workspace.page {
        Some(page) => folder("--out", page),
        None => folder("the folder of the report", &workspace.reports.join(study.name())),
    }
}

/// Checks that the training files exist.
///
/// # Errors
/// The missing ones, with their source where the experiment names it.
pub fn files(experiment: &Experiment) -> Result<(), ExperimentError> {
    const HELP: &str = "docs/data-sources.md lists sources of games; paths are relative to \
                        the current folder";
    let mut missing: Vec<String> = Vec::new();
    for training in trainings(experiment)? {
        let absent = training.data.train.iter().filter(|file| !is_there(&file.path));
        missing.extend(absent.map(|file| file.path.display().to_string()));
    }
    let mut known = HashSet::new();
    missing.retain(|path| known.insert(path.clone()));
    if missing.is_empty() {
        return Ok(());
    }
    let why = format!("no such file: {}", first_few(&missing));
    let source = experiment.data.source.trim();
    let help = if source.is_empty() { HELP.to_owned() } else { source.to_owned() };
    Err(PreflightError::with_reason("data.train", why, &help).into())
}

/// Trainings of all nets, earlier stages included.
fn trainings(experiment: &Experiment) -> Result<Vec<RunSpec>, ExperimentError> {
    Ok(grid::expand(experiment)?.iter().flat_map(RunSpec::trainings).collect())
}

/// Checks that the start net can be read.
fn check_start(experiment: &Experiment) -> Result<(), Box<PreflightError>> {
    let help = "`start` is the folder of a run, its weights.safetensors, or a net.oplus";
    match &experiment.start {
        None => Ok(()),
        Some(path) => training::start::read(path)
            .map(drop)
            .map_err(|error| PreflightError::new("start", &error, help)),
    }
}

/// A file without permission counts as existing: reading it reports the reason.
fn is_there(path: &Path) -> bool {
    data::place::is_read_once(path) || path.try_exists().unwrap_or(true)
}

/// Checks the training device and the memory of this machine; a machine that only submits jobs
/// needs neither.
///
/// # Errors
/// A device that this build or this machine lacks; too little memory, of a graphics card too.
pub fn machine(experiment: &Experiment) -> Result<(), ExperimentError> {
    let help = "`oplus bench train --device NAME` tests one";
    let opened = |device: Compute| {
        device.adapter().map_err(|error| PreflightError::new("training.device", &error, help))
    };
    let all = trainings(experiment)?;
    check_memory(&all)?;
    for run in &all {
        if let (Some(adapter), Some(card)) = (opened(run.training.device)?, card_footprint(run)) {
            card.check(&adapter).map_err(TrainingError::from)?;
        }
    }
    Ok(())
}

/// Checks that the data can be read and fill a batch. Of large data it reads one batch and opens
/// every other file.
///
/// # Errors
/// Those of the start of a training.
pub fn data(experiment: &Experiment, stop: &AtomicBool) -> Result<(), ExperimentError> {
    if experiment.selfplay.is_some() {
        return Ok(());
    }
    if candidates(experiment).any(|candidate| candidate.set.reads_halfmoves()) {
        data::check_halfmoves(&experiment.data.train)?;
    }
    let choices = experiment.methods().iter().any(|method| method.needs_choices());
    let mut known: Vec<(usize, DataSpec)> = Vec::new();
    for RunSpec { features, layers, training, data, .. } in trainings(experiment)? {
        if features.input().reads_halfmoves() || layers.buckets().reads_halfmoves() {
            data::check_halfmoves(&data.train)?;
        }
        let wanted = (training.batch, spec(&data, choices));
        if !known.contains(&wanted) {
            enough(&wanted.1, wanted.0, stop)?;
            known.push(wanted);
        }
    }
    Ok(())
}

/// Candidates that the `[discover]` table names; those of a grammar may find nothing in the data.
fn candidates(experiment: &Experiment) -> impl Iterator<Item = Candidate> {
    let named = experiment.discover.iter().flat_map(|search| &search.candidates);
    let names = names(experiment);
    named.filter_map(move |text| Candidate::compile(text, &names).ok())
}

fn spec(config: &DataConfig, choices: bool) -> DataSpec {
    DataSpec {
        train: config.train.clone(),
        validation: config.validation,
        filter: config.filter.clone(),
        limit: config.positions,
        choices,
    }
}

/// Checks that the positions fill a batch.
fn enough(all: &DataSpec, batch: usize, stop: &AtomicBool) -> Result<(), ExperimentError> {
    let limit = all.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    // Some of them validate.
    let mut some = (batch as u64).saturating_mul(2);
    loop {
        let dataset = data::peek(all, some, stop)?;
        let positions = dataset.train.len().min(limit);
        match positions >= batch {
            true => return Ok(()),
            false if dataset.kept() < some || positions == limit => {
                return Err(TrainingError::BatchTooLarge { batch, positions }.into());
            }
            false => some = some.saturating_mul(4),
        }
    }
}

/// Checks that a file can be written. Creates its folder if the parent exists.
///
/// # Errors
/// A folder in its place, or a parent without write permission.
pub fn file(key: &'static str, path: &Path) -> Result<(), Box<PreflightError>> {
    if path.is_dir() {
        let (why, help) = (format!("{} is a folder", path.display()), "give a file in it");
        return Err(PreflightError::with_reason(key, why, help));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(parent) if !parent.exists() && std::fs::create_dir(parent).is_err() => {
            let why = format!("cannot write {}: no folder {}", path.display(), parent.display());
            Err(PreflightError::with_reason(key, why, "make the folder first"))
        }
        // Devices such as /dev/stdout need no check.
        _ if path.exists() && !path.is_file() => Ok(()),
        Some(parent) => folder(key, parent),
        None => folder(key, Path::new(".")),
    }
}

/// Checks that files can be created in a folder, which need not exist.
///
/// # Errors
/// Another file in its place, or a folder without write permission.
pub fn folder(key: &'static str, path: &Path) -> Result<(), Box<PreflightError>> {
    let help = "choose another folder, free space on its disk, or change its permissions";
    let at = path.ancestors().find(|above| above.exists()).unwrap_or(Path::new(""));
    let at = if at.as_os_str().is_empty() { Path::new(".") } else { at };
    // The file is removed at once.
    tempfile::tempfile_in(at).map(drop).map_err(|error| {
        let why = format!("{}: cannot write into {}: {error}", path.display(), at.display());
        PreflightError::with_reason(key, why, help)
    })
}

/// The puzzles of an experiment.
///
/// # Errors
/// As [`read_puzzles`].
pub fn puzzles(config: &PuzzleConfig) -> Result<PuzzleSet, PuzzleError> {
    read_puzzles(&config.file, (config.limit > 0).then_some(config.limit))
}

fn check_openings(
    experiment: &Experiment,
    config: &MatchConfig,
) -> Result<(), Box<PreflightError>> {
    let help = "`openings` is a book of positions (EPD) or games (PGN), plain or .zst; without one \
                there are `random_plies`";
    let source = match &config.openings {
        Some(path) => OpeningSource::Book { path: path.clone(), plies: None, sequential: false },
        None => OpeningSource::Random { plies: config.random_plies, balance_cp: None },
    };
    // A book has the same openings for every seed.
    let seeds = if config.openings.is_some() { 1 } else { experiment.grid.seed.len() };
    experiment.grid.seed.iter().take(seeds).try_for_each(|&seed| {
        let found = openings(&source, seed, config.games).map(drop);
        found.map_err(|error| PreflightError::new("evaluation.match", &error, help))
    })
}

/// Checks that the largest training fits into memory beside the nets of all others.
fn check_memory(runs: &[RunSpec]) -> Result<(), ExperimentError> {
    let nets: u64 = runs.iter().map(|run| 2 * architecture(run).parameters() as u64).sum();
    let footprints = runs.iter().map(footprint);
    let Some(largest) = footprints.max_by_key(Footprint::peak) else { return Ok(()) };
    Ok(largest.check(nets).map_err(TrainingError::from)?)
}

/// Checks that nets and checkpoints fit on the disk, existing ones included.
fn check_disk(runs: &[RunSpec], folder: &Path) -> Result<(), ExperimentError> {
    let wanted: u64 = runs.iter().map(|run| run_size(run).bytes).sum();
    let there: u64 = nets_in(folder).filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    let at = folder.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("."));
    // Without this number a full disk is an error later.
    let Ok(free) = fs4::available_space(at) else { return Ok(()) };
    Ok(room_for(wanted.saturating_sub(there), free, folder)?)
}

fn room_for(wanted: u64, free: u64, folder: &Path) -> Result<(), Box<PreflightError>> {
    if wanted <= free {
        return Ok(());
    }
    let help = "free some space, or train fewer or smaller nets: `--dry-run` shows their sizes";
    let (folder, wanted, free) = (folder.display(), Size(wanted), Size(free));
    let why = format!("{folder}: nets and checkpoints need {wanted}, free are {free}");
    Err(PreflightError::with_reason("the folder of runs", why, help))
}

/// Files in the run folders of an experiment.
fn nets_in(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries(folder).flat_map(move |inner| entries(&inner.path()))
}

/// Minimal memory of the graphics card for training a run, if it uses one.
pub fn card_footprint(run: &RunSpec) -> Option<CardFootprint> {
    CardFootprint::of(architecture(run), &run.training, run.features.input().max_active())
}

/// Bytes for training the largest net of the grid, with a margin.
///
/// # Errors
/// An invalid grid, which reading the file has excluded.
pub(crate) fn memory_to_train(experiment: &Experiment) -> Result<u64, ExperimentError> {
    const BESIDE: u64 = 1 << 30;
    let peaks = trainings(experiment)?.iter().map(|run| footprint(run).peak()).max();
    Ok(peaks.unwrap_or(0) / 4 * 5 + BESIDE)
}

/// Memory for training a run, without its positions.
pub fn footprint(run: &RunSpec) -> Footprint {
    Footprint::of(architecture(run), &run.training, run.features.input().max_active())
}

fn architecture(run: &RunSpec) -> Architecture {
    Architecture { features: run.features.input().size(), layers: run.layers.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Overrides, parse};

    #[test]
    fn memory_is_that_of_the_training_machine() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("games.viri");
        std::fs::write(&data, "").unwrap();
        let text = format!(
            "name = \"x\"\n[grid]\nfeatures = [\"ALL\"]\nlayers = [\"8 -> 1\"]\n[data]\n\
             train = [{data:?}]\n[training]\nepochs = 1\nbatch = 1_000_000_000_000\n\
             positions_per_epoch = 1_000_000_000_000\n"
        );
        let experiment = parse("x", &text, &Overrides::default()).unwrap();
        let [runs, reports] = ["runs", "reports"].map(|name| folder.path().join(name));
        let workspace = Workspace { runs, reports, page: None, timed_games: None };
        check(&experiment, &workspace).unwrap();
        let error = machine(&experiment).unwrap_err().to_string();
        assert!(error.contains("does not fit"), "{error}");
    }

    #[test]
    fn nets_must_fit_on_the_disk() {
        let folder = Path::new("runs/large");
        assert!(room_for(1 << 30, 1 << 30, folder).is_ok());
        let error = room_for(3 << 30, 1 << 30, folder).unwrap_err().to_string();
        assert!(
            error.contains("runs/large") && error.contains("3.0 GiB") && error.contains("1.0 GiB"),
            "{error}"
        );
    }
}
