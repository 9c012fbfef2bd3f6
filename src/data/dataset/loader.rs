//! Reads the files of a data set one after the other.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use super::subset::{self, Chosen, Subset};
use super::{DataSpec, Dataset, LoadProgress, Tally};
use crate::filter::{DropCounts, DropRule};
use crate::split::Split;
use crate::{Candidate, DataError, DataFile, Game, ListedPosition, Reader, Sample};
use base::memory;

pub(super) struct Loader<'a> {
    pub spec: &'a DataSpec,
    pub split: Split,
    pub progress: &'a mut dyn FnMut(LoadProgress),
    pub stop: &'a AtomicBool,
    /// Bytes of the files read before this one.
    pub bytes_before: u64,
    pub bytes_total: u64,
    /// Nothing is read beyond so many samples, both sides together.
    pub at_most: u64,
    /// Chooses among the samples to train on, if not all are wanted.
    pub subset: Option<Subset>,
    /// Samples to train on of each file so far, where none is left out.
    pub of_files: Vec<usize>,
}

impl<'a> Loader<'a> {
    /// Of files of so many bytes together.
    pub(super) fn new(
        spec: &'a DataSpec,
        split: Split,
        bytes_total: u64,
        progress: &'a mut dyn FnMut(LoadProgress),
        stop: &'a AtomicBool,
    ) -> Self {
        let (subset, of_files) = (spec.limit.map(Subset::new), Vec::new());
        let (bytes_before, at_most) = (0, u64::MAX);
        Self { spec, split, progress, stop, bytes_before, bytes_total, at_most, subset, of_files }
    }

    /// Adds what a file holds, if there is room for it.
    pub(super) fn add(&mut self, path: &Path, dataset: &mut Dataset) -> Result<(), DataError> {
        let before = dataset.train.len();
        self.of_files.push(0);
        if self.room(dataset) == 0 {
            return Ok(());
        }
        let (spec, split) = (self.spec, self.split);
        let info = match DataFile::open(path)? {
            DataFile::Games(mut games) => {
                let judge = |game: Game| Judged::game(&game, spec, split);
                self.read(&mut games, judge, |dataset| &mut dataset.games, dataset)?;
                games.finish()?
            }
            DataFile::List(mut list) => {
                let judge = |listed: ListedPosition| Judged::position(&listed, spec, split);
                self.read(&mut list, judge, |dataset| &mut dataset.listed, dataset)?;
                list.finish()?
            }
        };
        self.bytes_before += info.bytes;
        dataset.sources.push(info);
        if let (None, Some(samples)) = (&self.subset, self.of_files.last_mut()) {
            *samples = dataset.train.len() - before;
        }
        Ok(())
    }

    /// When all files are read: leaves the samples that are wanted, and says how many of
    /// them are of each file.
    pub(super) fn finish(self, dataset: &mut Dataset) -> Result<Chosen, DataError> {
        match self.subset {
            Some(subset) => subset.finish(self.of_files.len(), &mut dataset.train),
            None => Ok(Chosen { of_files: self.of_files, left_out: 0 }),
        }
    }

    /// Samples that may still be taken.
    fn room(&self, dataset: &Dataset) -> usize {
        let room = self.at_most.saturating_sub(dataset.kept());
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    fn read<E>(
        &mut self,
        reader: &mut Reader<E>,
        judge: impl Fn(E) -> Judged + Sync,
        tally: impl Fn(&mut Dataset) -> &mut Tally,
        dataset: &mut Dataset,
    ) -> Result<(), DataError> {
        let mut number = 0u64;
        while let Some(batch) = reader.next_batch(&judge)? {
            if self.stop.load(Ordering::Relaxed) {
                return Err(DataError::Stopped);
            }
            for entry in batch {
                number += 1;
                match entry {
                    Ok(judged) => {
                        tally(dataset).add(judged.validates);
                        self.take(judged, dataset)?;
                    }
                    Err(bad) => {
                        let message = || reader.message(number, &bad);
                        tally(dataset).skipped.add(bad.defect, message);
                    }
                }
                if self.room(dataset) == 0 {
                    return Ok(());
                }
            }
            (self.progress)(LoadProgress {
                bytes_read: self.bytes_before + reader.bytes_read(),
                bytes_total: self.bytes_total,
                positions: dataset.positions_read,
                kept: dataset.kept(),
            });
        }
        Ok(())
    }

    fn take(&mut self, mut judged: Judged, dataset: &mut Dataset) -> Result<(), DataError> {
        judged.samples.truncate(self.room(dataset));
        dataset.positions_read += judged.positions;
        dataset.dropped.merge(&judged.dropped);
        match &mut self.subset {
            _ if judged.validates => append(&mut dataset.validation, &judged.samples),
            None => append(&mut dataset.train, &judged.samples),
            Some(subset) => {
                let file = self.of_files.len() - 1;
                subset.offer(judged.rank, file, &judged.samples, &mut dataset.train)
            }
        }
    }
}

/// Samples for which room is made at once.
const ROOM: usize = 1 << 16;

pub(super) fn append(side: &mut Vec<Sample>, samples: &[Sample]) -> Result<(), DataError> {
    make_room(side, samples.len())?;
    side.extend_from_slice(samples);
    Ok(())
}

/// Sees to it that more samples, or what is kept of each, have room, in half as much again
/// as there are: large data end with an error that way and not with the program.
pub(super) fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<(), DataError> {
    let len = items.len();
    if items.capacity() - len >= more {
        return Ok(());
    }
    let wanted = (len + more).max(len / 2 * 3).max(ROOM);
    memory::ensure((wanted * size_of::<T>()) as u64)
        .map_err(|shortage| DataError::TooMany { positions: len, shortage })?;
    items.reserve_exact(wanted - len);
    Ok(())
}

/// What the filter left of a game or a listed position.
#[derive(Default)]
struct Judged {
    samples: SmallVec<[Sample; 1]>,
    validates: bool,
    /// Where it stands among those to train on, if not all are wanted.
    rank: u64,
    positions: u64,
    dropped: DropCounts,
}

impl Judged {
    fn game(game: &Game, spec: &DataSpec, split: Split) -> Self {
        let mut judged = Self { validates: split.game_validates(game), ..Self::default() };
        judged.samples.reserve(game.moves.len());
        Candidate::visit(game, |candidate| judged.add(candidate, spec));
        if judged.is_ranked(spec) {
            judged.rank = subset::game_rank(game);
        }
        judged
    }

    fn position(listed: &ListedPosition, spec: &DataSpec, split: Split) -> Self {
        let validates = split.position_validates(&listed.position);
        let mut judged = Self { validates, ..Self::default() };
        judged.add(&listed.candidate(), spec);
        if judged.is_ranked(spec) {
            judged.rank = subset::position_rank(&listed.position);
        }
        judged
    }

    fn is_ranked(&self, spec: &DataSpec) -> bool {
        spec.limit.is_some() && !self.validates && !self.samples.is_empty()
    }

    fn add(&mut self, candidate: &Candidate<'_>, spec: &DataSpec) {
        self.positions += 1;
        if let Some(rule) = spec.filter.judge(candidate) {
            return self.dropped.add(rule);
        }
        let Some(sample) = Sample::new(candidate) else { return };
        if !spec.choices {
            return self.samples.push(sample);
        }
        match candidate.played.and_then(|played| sample.with_choice(played)) {
            Some(sample) => self.samples.push(sample),
            None => self.dropped.add(DropRule::NoChoice),
        }
    }
}
