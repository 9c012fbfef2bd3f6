//! Files in, training and validation samples out.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::filter::{DropCounts, Filter};
use super::split::Split;
use super::{
    BadGame, DataError, Game, GameDefect, GameReader, Sample, SkipReport, Source, SourceInfo,
};

/// What to load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataSpec {
    /// Files, in any mix of formats. Their order is the order of the samples.
    pub train: Vec<PathBuf>,
    /// Share of the games that validates, 0 to below 1.
    pub validation: f64,
    /// Which positions are kept.
    pub filter: Filter,
    /// Stop after so many samples, training and validation together, counted
    /// in file order.
    pub limit: Option<u64>,
}

impl Default for DataSpec {
    fn default() -> Self {
        Self { train: Vec::new(), validation: 0.05, filter: Filter::default(), limit: None }
    }
}

/// How far loading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes of all files read so far, as they lie on disk.
    pub bytes_read: u64,
    /// Bytes of all files.
    pub bytes_total: u64,
    /// Games read.
    pub games: u64,
    /// Positions read.
    pub positions: u64,
    /// Samples kept.
    pub kept: u64,
}

/// Samples in memory and where they came from.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// Samples to train on, in file order.
    pub train: Vec<Sample>,
    /// Samples of the games that validate, in file order. Empty if no game
    /// fell to that side, which happens with few games and a small share.
    pub validation: Vec<Sample>,
    /// Games read, good ones.
    pub games: u64,
    /// How many of them validate.
    pub validation_games: u64,
    /// Positions in these games, before the filter.
    pub positions_read: u64,
    /// Positions the filter dropped.
    pub dropped: DropCounts,
    /// Games that could not be taken.
    pub skipped: SkipReport<GameDefect>,
    /// The files.
    pub sources: Vec<SourceInfo>,
}

impl Dataset {
    /// Hash of the samples and of their split: what a training run depends on.
    pub fn hash(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.train.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(&self.train));
        hasher.update(bytemuck::cast_slice(&self.validation));
        hasher.finalize()
    }

    /// Samples kept, both sides.
    pub fn kept(&self) -> u64 {
        (self.train.len() + self.validation.len()) as u64
    }
}

/// `12 games, 800 positions, 300 kept (280 to train, 20 to validate); …`.
impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} games, {} positions, {} kept ({} to train, {} to validate); dropped: {}; games: {}",
            self.games,
            self.positions_read,
            self.kept(),
            self.train.len(),
            self.validation.len(),
            self.dropped,
            self.skipped,
        )
    }
}

/// Loads a data set. The result depends on the files and the specification
/// alone, not on the number of threads.
///
/// Errors: a file that is missing, damaged or of no known format; no game in
/// any; no position left by the filter; the stop flag.
pub fn load(
    spec: &DataSpec,
    progress: &mut dyn FnMut(LoadProgress),
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    let split = Split::new(spec.validation).ok_or(DataError::BadShare(spec.validation))?;
    if spec.train.is_empty() {
        return Err(DataError::NoSources);
    }
    let bytes_total = total_size(&spec.train)?;
    let mut loader = Loader { spec, split, progress, stop, bytes_before: 0, bytes_total };
    let mut dataset = Dataset::default();
    for path in &spec.train {
        if loader.has_room(&dataset) {
            let mut reader = GameReader::open(path)?;
            loader.read(&mut reader, &mut dataset)?;
            let info = reader.finish()?;
            loader.bytes_before += info.bytes;
            dataset.sources.push(info);
        }
    }
    check_not_empty(spec, &dataset)?;
    Ok(dataset)
}

/// Size of all files; finds a missing one before hours are spent on the others.
fn total_size(paths: &[PathBuf]) -> Result<u64, DataError> {
    paths.iter().try_fold(0, |total, path| {
        let metadata = std::fs::metadata(path)
            .map_err(|source| DataError::Open { path: path.clone(), source })?;
        Source::open(path)?;
        Ok(total + metadata.len())
    })
}

fn check_not_empty(spec: &DataSpec, dataset: &Dataset) -> Result<(), DataError> {
    let names: Vec<String> = spec.train.iter().map(|p| format!("`{}`", p.display())).collect();
    if dataset.games == 0 {
        let first: String = dataset.skipped.first().iter().map(|m| format!("\n  {m}")).collect();
        return Err(DataError::NoGames {
            sources: names.join(", "),
            skipped: format!("{}{first}", dataset.skipped),
        });
    }
    if dataset.kept() == 0 {
        return Err(DataError::NothingLeft {
            sources: names.join(", "),
            positions: dataset.positions_read,
            games: dataset.games,
            dropped: dataset.dropped,
            advice: match dataset.dropped.main_rule() {
                Some(rule) => rule.advice(),
                None => "The games have no moves, or `limit` is 0",
            },
        });
    }
    Ok(())
}

struct Loader<'a> {
    spec: &'a DataSpec,
    split: Split,
    progress: &'a mut dyn FnMut(LoadProgress),
    stop: &'a AtomicBool,
    bytes_before: u64,
    bytes_total: u64,
}

impl Loader<'_> {
    fn room(&self, dataset: &Dataset) -> usize {
        let room = self.spec.limit.unwrap_or(u64::MAX).saturating_sub(dataset.kept());
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    fn has_room(&self, dataset: &Dataset) -> bool {
        self.room(dataset) > 0
    }

    fn read(&mut self, reader: &mut GameReader, dataset: &mut Dataset) -> Result<(), DataError> {
        let path = reader.path().display().to_string();
        let (filter, split) = (self.spec.filter, self.split);
        let mut number = 0u64;
        while let Some(batch) = reader.next_batch(|game| SampledGame::of(&game, &filter, split))? {
            if self.stop.load(Ordering::Relaxed) {
                return Err(DataError::Stopped);
            }
            for game in batch {
                number += 1;
                self.take(game, &path, number, dataset);
                if !self.has_room(dataset) {
                    return Ok(());
                }
            }
            (self.progress)(LoadProgress {
                bytes_read: self.bytes_before + reader.bytes_read(),
                bytes_total: self.bytes_total,
                games: dataset.games,
                positions: dataset.positions_read,
                kept: dataset.kept(),
            });
        }
        Ok(())
    }

    fn take(
        &self,
        game: Result<SampledGame, BadGame>,
        path: &str,
        number: u64,
        dataset: &mut Dataset,
    ) {
        let mut game = match game {
            Ok(game) => game,
            Err(bad) => {
                return dataset.skipped.add(bad.defect, || format!("{path}: game {number}, {bad}"));
            }
        };
        game.samples.truncate(self.room(dataset));
        dataset.games += 1;
        dataset.positions_read += game.positions;
        dataset.dropped.merge(&game.dropped);
        if game.validates {
            dataset.validation_games += 1;
            dataset.validation.append(&mut game.samples);
        } else {
            dataset.train.append(&mut game.samples);
        }
    }
}

/// What is left of one game.
struct SampledGame {
    samples: Vec<Sample>,
    validates: bool,
    positions: u64,
    dropped: DropCounts,
}

impl SampledGame {
    fn of(game: &Game, filter: &Filter, split: Split) -> Self {
        let mut samples = Vec::with_capacity(game.moves.len());
        let mut dropped = DropCounts::default();
        let mut position = game.start.clone();
        for m in &game.moves {
            match filter.judge(&position, m) {
                Some(rule) => dropped.add(rule),
                None => samples.extend(Sample::new(&position, m, game.result)),
            }
            position.play(m.played);
        }
        let positions = game.moves.len() as u64;
        Self { samples, validates: split.validates(game), positions, dropped }
    }
}

#[cfg(test)]
mod tests;
