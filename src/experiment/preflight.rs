//! What would only fail hours later, looked at before anything is trained.
//!
//! Puzzles are asked, games are played and the page is written when all nets are trained.
//! A file that is missing then, a book with too few openings or a folder that cannot be
//! written to has cost the night. So all of them are looked at first, here and nowhere
//! else, with what the later stages themselves use.

use std::collections::HashSet;
use std::error::Error;
use std::fs::DirEntry;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::config::{DataConfig, Experiment, MatchConfig, PuzzleConfig};
use super::error::ExperimentError;
use super::forecast::extent;
use super::grid::{self, RunSpec};
use super::run::Workspace;
use arena::OpeningSource;
use base::format::first_few;
use base::memory::Size;
use data::DataSpec;
use measure::openings;
use network::Compute;
use nnue::Architecture;
use puzzles::{PuzzleError, PuzzleSet, read_puzzles};
use training::{CardFootprint, Footprint, TrainingError};

/// Something that does not stand ready.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {why}")]
pub struct Unready {
    key: &'static str,
    why: String,
    pub help: String,
}

impl Unready {
    fn new(key: &'static str, why: &dyn Error, help: &'static str) -> Box<Self> {
        Self::told(key, why.to_string(), help)
    }

    fn told(key: &'static str, why: String, help: &str) -> Box<Self> {
        Box::new(Self { key, why, help: help.to_owned() })
    }
}

impl From<Box<Unready>> for ExperimentError {
    fn from(unready: Box<Unready>) -> Self {
        ExperimentError::Unready(unready)
    }
}

/// Looks at everything that an experiment will need, of its data only whether they are there.
///
/// # Errors
/// The first thing that does not stand ready, by the key that asks for it.
pub fn check(experiment: &Experiment, workspace: &Workspace) -> Result<(), ExperimentError> {
    files(experiment)?;
    let folders = [
        ("the folder of runs", workspace.runs.join(&experiment.name)),
        ("the folder of the report", workspace.reports.join(&experiment.name)),
    ];
    for (key, path) in &folders {
        folder(key, path)?;
    }
    if let Some(config) = &experiment.evaluation.puzzles {
        let help = "write the path of a puzzle file in the columns of Lichess, plain or .zst, or \
                    leave `puzzles` out";
        puzzles(config).map_err(|error| Unready::new("evaluation.puzzles", &error, help))?;
    }
    for config in &experiment.evaluation.matches {
        check_openings(experiment, config)?;
    }
    let all = grid::expand(experiment)?;
    check_memory(&all)?;
    check_disk(&all, &workspace.runs.join(&experiment.name))
}

/// Whether the files are there that an experiment trains on.
///
/// # Errors
/// Those that are missing, with what the experiment says of where they come from.
pub fn files(experiment: &Experiment) -> Result<(), ExperimentError> {
    const HELP: &str = "docs/data-sources.md says where games come from; a path is taken relative to \
                        the current folder";
    let mut missing: Vec<String> = Vec::new();
    for run in grid::expand(experiment)? {
        let stages = run.before.iter().map(|stage| &stage.data);
        for config in stages.chain([&run.data]) {
            let absent = config.train.iter().filter(|file| !is_there(&file.path));
            missing.extend(absent.map(|file| file.path.display().to_string()));
        }
    }
    let mut known = HashSet::new();
    missing.retain(|path| known.insert(path.clone()));
    if missing.is_empty() {
        return Ok(());
    }
    let why = format!("there is no {}", first_few(&missing));
    let source = experiment.data.source.trim();
    let help = if source.is_empty() { HELP.to_owned() } else { source.to_owned() };
    Err(Unready::told("data.train", why, &help).into())
}

/// What cannot be looked at is as good as there: reading it says why.
fn is_there(path: &Path) -> bool {
    data::place::is_read_once(path) || path.try_exists().unwrap_or(true)
}

/// Whether this machine has what nets are to be trained on. Whoever hands jobs over to others
/// need not have it.
///
/// # Errors
/// A device that this build or this machine lacks, a graphics card with too little memory.
pub fn devices(experiment: &Experiment) -> Result<(), ExperimentError> {
    let help = "`oplus bench train --device NAME` tries one out";
    let opened = |device: Compute| {
        device.adapter().map_err(|error| Unready::new("training.device", &error, help))
    };
    for run in grid::expand(experiment)? {
        for stage in &run.before {
            opened(stage.training.device)?;
        }
        if let (Some(adapter), Some(card)) = (opened(run.training.device)?, card_footprint(&run)) {
            card.check(&adapter).map_err(TrainingError::from)?;
        }
    }
    Ok(())
}

/// Whether an experiment's data can be read and are enough to train on. Of large data as
/// much is read as one batch takes, and every other file is opened.
///
/// # Errors
/// As those that training begins with.
pub fn data(experiment: &Experiment, stop: &AtomicBool) -> Result<(), ExperimentError> {
    if experiment.selfplay.is_some() {
        return Ok(());
    }
    let choices = experiment.methods().iter().any(|method| method.needs_choices());
    let mut known: Vec<(usize, DataSpec)> = Vec::new();
    for run in grid::expand(experiment)? {
        let stages = run.before.iter().map(|stage| (&stage.training, &stage.data));
        for (training, config) in stages.chain([(&run.training, &run.data)]) {
            let wanted = (training.batch, spec(config, choices));
            if !known.contains(&wanted) {
                enough(&wanted.1, wanted.0, stop)?;
                known.push(wanted);
            }
        }
    }
    Ok(())
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

/// Whether there are positions enough for a batch.
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

/// Whether a file can be written, which need not be there yet; nor need its folder, which is made
/// if the one around it is there.
///
/// # Errors
/// A folder in its place, or one around it that does not take files.
pub fn file(key: &'static str, path: &Path) -> Result<(), Box<Unready>> {
    if path.is_dir() {
        let (why, help) = (format!("{}: it is a folder", path.display()), "name a file in it");
        return Err(Unready::told(key, why, help));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(parent) if !parent.exists() && std::fs::create_dir(parent).is_err() => {
            let why =
                format!("cannot write {}: there is no folder {}", path.display(), parent.display());
            Err(Unready::told(key, why, "make the folder first"))
        }
        // What is no file, such as /dev/stdout, is written to as it is.
        _ if path.exists() && !path.is_file() => Ok(()),
        Some(parent) => folder(key, parent),
        None => folder(key, Path::new(".")),
    }
}

/// Whether files can be made in a folder, which need not be there yet.
///
/// # Errors
/// Something else in its place, or a folder that does not take files.
pub fn folder(key: &'static str, path: &Path) -> Result<(), Box<Unready>> {
    let help = "choose another place, or make room there and let it be written to";
    let at = path.ancestors().find(|above| above.exists()).unwrap_or(Path::new(""));
    let at = if at.as_os_str().is_empty() { Path::new(".") } else { at };
    // Gone again as soon as it is made.
    tempfile::tempfile_in(at).map(drop).map_err(|error| {
        let why = format!("{}: cannot write into {}: {error}", path.display(), at.display());
        Unready::told(key, why, help)
    })
}

/// The puzzles of an experiment.
///
/// # Errors
/// As [`read_puzzles`].
pub fn puzzles(config: &PuzzleConfig) -> Result<PuzzleSet, PuzzleError> {
    read_puzzles(&config.file, (config.limit > 0).then_some(config.limit))
}

fn check_openings(experiment: &Experiment, config: &MatchConfig) -> Result<(), Box<Unready>> {
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
        found.map_err(|error| Unready::new("evaluation.match", &error, help))
    })
}

/// Whether the largest run fits beside the nets of all the others, which are kept to be
/// judged.
fn check_memory(runs: &[RunSpec]) -> Result<(), ExperimentError> {
    let nets: u64 = runs.iter().map(|run| 2 * architecture(run).parameters() as u64).sum();
    let footprints = runs.iter().map(footprint);
    let Some(largest) = footprints.max_by_key(Footprint::peak) else { return Ok(()) };
    Ok(largest.check(nets).map_err(TrainingError::from)?)
}

/// Whether nets and checkpoints fit on the disk, with those that are there already.
fn check_disk(runs: &[RunSpec], folder: &Path) -> Result<(), ExperimentError> {
    let wanted: u64 = runs.iter().map(|run| extent(run).bytes).sum();
    let there: u64 = nets_in(folder).filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    let at = folder.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("."));
    // A disk that does not say what is free says so when it is full.
    let Ok(free) = fs4::available_space(at) else { return Ok(()) };
    Ok(room_for(wanted.saturating_sub(there), free, folder)?)
}

fn room_for(wanted: u64, free: u64, folder: &Path) -> Result<(), Box<Unready>> {
    if wanted <= free {
        return Ok(());
    }
    let help = "make room, or train fewer or smaller nets: `--dry-run` shows what each takes";
    let (folder, wanted, free) = (folder.display(), Size(wanted), Size(free));
    let why = format!("{folder}: nets and checkpoints will take {wanted}, and {free} are free");
    Err(Unready::told("the folder of runs", why, help))
}

/// Files in the folders of the nets of an experiment.
fn nets_in(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries(folder).flat_map(move |inner| entries(&inner.path()))
}

/// Memory of the graphics card that training a run takes at least, if it trains on one.
pub fn card_footprint(run: &RunSpec) -> Option<CardFootprint> {
    CardFootprint::of(architecture(run), &run.training, run.features.input().max_active())
}

/// What training a run takes of memory, besides its positions.
pub fn footprint(run: &RunSpec) -> Footprint {
    Footprint::of(architecture(run), &run.training, run.features.input().max_active())
}

fn architecture(run: &RunSpec) -> Architecture {
    Architecture { features: run.features.input().size(), layers: run.layers.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nets_have_to_fit_on_the_disk() {
        let folder = Path::new("runs/large");
        assert!(room_for(1 << 30, 1 << 30, folder).is_ok());
        let told = room_for(3 << 30, 1 << 30, folder).unwrap_err().to_string();
        assert!(
            told.contains("runs/large") && told.contains("3.0 GiB") && told.contains("1.0 GiB"),
            "{told}"
        );
    }
}
