//! Files in, training and validation samples out.

mod loader;
mod subset;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use crate::defect::Defect;
use crate::error::DataError;
use crate::formats::entry::EntryReader;
use crate::formats::format::FileFormat;
use crate::formats::place;
use crate::formats::source::SourceInfo;
use crate::samples::filter::{DropCounts, Filter};
use crate::samples::inventory::Inventory;
use crate::samples::mixture::{Ingredient, Stretch, Weight};
use crate::samples::sample::Sample;
use crate::samples::spill::SpillVec;
use crate::samples::split::Split;
use crate::samples::store::Samples;
use crate::skip::SkipReport;
use loader::Loader;
use subset::Subset;

/// Specification of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataSpec {
    /// Files, and folders of files, in any mix of formats. Their order is the order of the samples.
    pub train: Vec<Ingredient>,
    /// Share of the games (and of the positions of lists) that validates, 0 to
    /// below 1.
    pub validation: f64,
    pub filter: Filter,
    /// Number of samples to train on; all if there are fewer. They are chosen by a hash of
    /// the game they are of (of a list, of the position): those of a smaller number are
    /// among those of a larger. The validation set is that of all the data, with any number.
    pub limit: Option<u64>,
    /// Keep which move was played ([`Sample::choice`]), and only positions in
    /// which another was legal. Lists, which have no moves, are an error.
    pub choices: bool,
}

impl Default for DataSpec {
    fn default() -> Self {
        Self {
            train: Vec::new(),
            validation: 0.05,
            filter: Filter::default(),
            limit: None,
            choices: false,
        }
    }
}

/// Progress of loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes of all files read so far, as they lie on disk.
    pub bytes_read: u64,
    /// Bytes of all files.
    pub bytes_total: u64,
    pub positions: u64,
    pub kept: u64,
}

/// Counts of games, or of lines of lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EntryCounts {
    pub read: u64,
    pub validating: u64,
    /// Entries that could not be read.
    pub skipped: SkipReport<Defect>,
}

impl EntryCounts {
    fn add(&mut self, validates: bool) {
        self.read += 1;
        self.validating += u64::from(validates);
    }
}

/// Samples and where they came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// Samples to train on, in file order.
    #[serde(skip)]
    pub train: Samples,
    /// Samples that validate, in file order. Empty if nothing fell to that
    /// side, which happens with few games and a small share.
    #[serde(skip)]
    pub validation: Samples,
    /// Counts over all of them.
    #[serde(skip)]
    pub inventory: Inventory,
    /// Weights of the samples to train on: one stretch after the other.
    pub stretches: Vec<Stretch>,
    pub games: EntryCounts,
    /// The positions of lists.
    pub listed: EntryCounts,
    /// Positions read, of games and of lists, before the filter.
    pub positions_read: u64,
    /// Positions the filter dropped.
    pub dropped: DropCounts,
    /// Samples that could be trained on and are beyond [`DataSpec::limit`].
    pub left_out: u64,
    pub sources: Vec<SourceInfo>,
}

impl Dataset {
    /// The description of the data set, without its samples and their inventory.
    pub(crate) fn without_samples(&self) -> Self {
        let Self { stretches, games, listed, positions_read, dropped, left_out, sources, .. } =
            self;
        Self {
            stretches: stretches.clone(),
            games: games.clone(),
            listed: listed.clone(),
            positions_read: *positions_read,
            dropped: *dropped,
            left_out: *left_out,
            sources: sources.clone(),
            ..Self::default()
        }
    }

    /// Hash of the samples, of their split and of their weights: the inputs of a training run.
    pub fn hash(&self) -> blake3::Hash {
        self.inventory.hash(&self.stretches)
    }

    /// Notes the weight of the next `samples` samples to train on.
    fn weigh(&mut self, samples: usize, weight: Weight) {
        match self.stretches.last_mut() {
            Some(last) if last.weight == weight => last.samples += samples,
            _ if samples > 0 => self.stretches.push(Stretch { samples, weight }),
            _ => {}
        }
    }

    /// Counts of games or of lists.
    fn counts_mut(&mut self, of_games: bool) -> &mut EntryCounts {
        if of_games { &mut self.games } else { &mut self.listed }
    }

    /// Samples kept, both sides.
    pub fn kept(&self) -> u64 {
        (self.train.len() + self.validation.len()) as u64
    }

    /// Warnings before training on it.
    pub fn warnings(&self) -> Vec<String> {
        let skipped = |counts: &EntryCounts, kind: &str| {
            let (total, first) = (counts.skipped.total(), counts.skipped.first().join("\n  "));
            let plural = if total == 1 { "" } else { "s" };
            (total > 0).then(|| format!("{total} {kind}{plural} skipped; the first:\n  {first}"))
        };
        let no_validation = self.validation.is_empty().then(|| {
            "nothing fell to the validation side: there will be no validation loss".to_owned()
        });
        let split = (!self.validation.is_empty()).then(|| split_warning(self.listed.read));
        [
            skipped(&self.games, "game"),
            skipped(&self.listed, "line"),
            no_validation,
            split.flatten(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The warning about a split of `listed` listed positions; `None` without any.
pub fn split_warning(listed: u64) -> Option<String> {
    (listed > 0).then(|| {
        format!(
            "{listed} positions come from lists, which have no game boundaries: validation takes \
             single positions, neighbours from one game may be trained on, and the validation \
             loss is too low"
        )
    })
}

/// `12 games, 800 positions, 300 kept (280 to train, 20 to validate); dropped: …`.
impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (counts, kind) in [(&self.games, "games"), (&self.listed, "listed positions")] {
            if counts.read > 0 {
                write!(f, "{} {kind}, ", counts.read)?;
            }
        }
        if self.games.read > 0 {
            write!(f, "{} positions, ", self.positions_read)?;
        }
        let (train, validation) = (self.train.len(), self.validation.len());
        write!(f, "{} kept ({train}", self.kept())?;
        if self.left_out > 0 {
            write!(f, " of {}", train as u64 + self.left_out)?;
        }
        write!(f, " to train, {validation} to validate); dropped: {}", self.dropped)
    }
}

/// Loads a data set into memory. The result depends on the files and the specification
/// alone, not on the number of threads.
///
/// Errors: a file that is missing, damaged or of no known format, or that
/// lacks a field that the filter needs; nothing in any; no position left by the
/// filter; the stop flag.
pub fn load(
    spec: &DataSpec,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    let (dataset, destination) = read(spec, None, Destination::in_memory(), progress, stop)?;
    Ok(destination.fill(dataset))
}

/// Loads the first `at_most` samples in file order, both sides together, without regard to
/// [`DataSpec::limit`], and reads no further: a quick check that data can be read, not a set to
/// train on.
///
/// # Errors
/// As [`load`], as far as it reads; every file is opened.
pub fn peek(spec: &DataSpec, at_most: u64, stop: &AtomicBool) -> Result<Dataset, DataError> {
    let spec = DataSpec { limit: None, ..spec.clone() };
    let (dataset, destination) =
        read(&spec, Some(at_most), Destination::in_memory(), &mut |_| {}, stop)?;
    Ok(destination.fill(dataset))
}

/// Buffers that samples go into while they are read.
pub(crate) struct Destination {
    pub train: SpillVec<Sample>,
    pub validation: SpillVec<Sample>,
    /// Buffers for data about them.
    pub scratch: Scratch,
}

/// Makes empty buffers.
#[derive(Clone, Debug)]
pub(crate) enum Scratch {
    Memory,
    /// In temporary files of that folder.
    Folder(PathBuf),
}

impl Scratch {
    pub(crate) fn spill<T: Pod>(&self) -> Result<SpillVec<T>, DataError> {
        match self {
            Self::Memory => Ok(SpillVec::in_memory()),
            Self::Folder(folder) => {
                tempfile::tempfile_in(folder).map(SpillVec::in_file).map_err(DataError::Gather)
            }
        }
    }
}

impl Destination {
    fn in_memory() -> Self {
        let (train, validation) = (SpillVec::in_memory(), SpillVec::in_memory());
        Self { train, validation, scratch: Scratch::Memory }
    }

    /// Moves the samples in memory into their data set.
    fn fill(self, dataset: Dataset) -> Dataset {
        let [train, validation]: [Samples; 2] =
            [self.train, self.validation].map(|gathered| gathered.into_memory().into());
        let inventory = Inventory::of(&train, &validation);
        Dataset { train, validation, inventory, ..dataset }
    }
}

/// Reads a data set: its samples go to the destination, everything else is returned.
pub(crate) fn read(
    spec: &DataSpec,
    at_most: Option<u64>,
    destination: Destination,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<(Dataset, Destination), DataError> {
    let split = Split::new(spec.validation).ok_or(DataError::BadShare(spec.validation))?;
    if spec.train.is_empty() {
        return Err(DataError::NoSources);
    }
    let train = expand(&spec.train)?;
    let files: Vec<SurveyedFile> = train
        .iter()
        .map(|part| SurveyedFile::survey(&part.path, spec))
        .collect::<Result<_, _>>()?;
    let bytes_total = files.iter().map(|file| file.bytes).sum();
    let filter = spec.filter.clone().open()?;
    let subset = spec.limit.map(|limit| Subset::new(limit, &destination.scratch)).transpose()?;
    let mut loader = Loader {
        spec,
        filter: &filter,
        split,
        progress,
        stop,
        destination,
        bytes_before: 0,
        bytes_total,
        at_most: at_most.unwrap_or(u64::MAX),
        subset,
        of_files: Vec::new(),
    };
    let mut dataset = Dataset::default();
    for Ingredient { path, .. } in &train {
        loader.add(path, &mut dataset)?;
    }
    let (chosen, destination) = loader.finish()?;
    dataset.left_out = chosen.left_out;
    for (samples, Ingredient { weight, .. }) in chosen.of_files.into_iter().zip(&train) {
        dataset.weigh(samples, *weight);
    }
    check_not_empty(
        spec,
        &files,
        &dataset,
        destination.train.len() + destination.validation.len(),
    )?;
    Ok((dataset, destination))
}

/// Files in the place of folders.
///
/// # Errors
/// A folder that cannot be read or is empty; standard input or a pipe, which cannot be read twice.
pub fn expand(ingredients: &[Ingredient]) -> Result<Vec<Ingredient>, DataError> {
    let mut files = Vec::new();
    for ingredient in ingredients {
        let paths = place::expand(std::slice::from_ref(&ingredient.path))?;
        files.extend(paths.into_iter().map(|path| Ingredient { path, ..ingredient.clone() }));
    }
    match files.iter().find(|file| place::is_read_once(&file.path)) {
        Some(file) => Err(DataError::ReadOnce { path: file.path.clone() }),
        None => Ok(files),
    }
}

/// Checks that files are of formats with half-move clocks.
///
/// # Errors
/// The first file without; a file of no known format.
pub fn check_halfmoves(ingredients: &[Ingredient]) -> Result<(), DataError> {
    for Ingredient { path, .. } in expand(ingredients)? {
        let format = EntryReader::open(&path)?.format();
        if !format.has_halfmoves() {
            return Err(DataError::NoHalfmoves { path, format: format.name() });
        }
    }
    Ok(())
}

/// A file before it is read: errors of the last one show before hours are spent on the others.
struct SurveyedFile {
    bytes: u64,
    format: FileFormat,
}

impl SurveyedFile {
    fn survey(path: &Path, spec: &DataSpec) -> Result<Self, DataError> {
        let format = EntryReader::open(path)?.format();
        if spec.choices && !format.has_moves() {
            return Err(DataError::NoMoves { path: path.to_owned(), format: format.name() });
        }
        spec.filter.check_served(path, format)?;
        let metadata = std::fs::metadata(path)
            .map_err(|source| DataError::Open { path: path.to_owned(), source })?;
        Ok(Self { bytes: metadata.len(), format })
    }
}

fn check_not_empty(
    spec: &DataSpec,
    files: &[SurveyedFile],
    dataset: &Dataset,
    kept: usize,
) -> Result<(), DataError> {
    let names: Vec<String> =
        spec.train.iter().map(|part| format!("`{}`", part.path.display())).collect();
    if dataset.games.read + dataset.listed.read == 0 {
        let mut skipped = dataset.games.skipped.clone();
        skipped.merge(dataset.listed.skipped.clone());
        let first: String = skipped.first().iter().map(|m| format!("\n  {m}")).collect();
        return Err(DataError::NothingRead {
            what: what_is_looked_for(files),
            sources: names.join(", "),
            skipped: format!("{skipped}{first}"),
        });
    }
    if kept == 0 {
        return Err(DataError::NothingLeft {
            sources: names.join(", "),
            positions: dataset.positions_read,
            dropped: Box::new(dataset.dropped),
            advice: match dataset.dropped.main_rule() {
                Some(rule) => rule.advice(),
                None => "The games have no moves, or `limit` is 0",
            },
        });
    }
    Ok(())
}

fn what_is_looked_for(files: &[SurveyedFile]) -> &'static str {
    let has = |games: bool| files.iter().any(|file| file.format.has_games() == games);
    match (has(true), has(false)) {
        (true, true) => "games or positions",
        (false, true) => "positions",
        (_, false) => "games",
    }
}

#[cfg(test)]
mod tests;
