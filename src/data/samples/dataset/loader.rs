//! Reads the files of a data set one after the other.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use smallvec::SmallVec;

use super::subset::{self, Chosen, Subset};
use super::{DataSpec, Dataset, Destination, LoadProgress};
use crate::error::DataError;
use crate::formats::entry::{Entry, EntryReader};
use crate::samples::candidate::CandidatePosition;
use crate::samples::filter::{DropCounts, DropRule, Filter, StaticNet};
use crate::samples::sample::Sample;
use crate::samples::split::Split;

pub(super) struct Loader<'a> {
    pub spec: &'a DataSpec,
    /// The filter of the specification, with its net.
    filter: &'a Filter<StaticNet>,
    pub split: Split,
    pub progress: &'a mut dyn FnMut(LoadProgress),
    pub stop: &'a AtomicBool,
    destination: Destination,
    /// Bytes of the files read before this one.
    pub bytes_before: u64,
    pub bytes_total: u64,
    /// Limit of the samples to read, both sides together.
    pub at_most: u64,
    /// Chooses among the samples to train on, if there is a limit.
    pub subset: Option<Subset>,
    /// Samples to train on of each file so far, where none is left out.
    pub of_files: Vec<usize>,
}

impl<'a> Loader<'a> {
    /// For files of `bytes_total` bytes together.
    pub(super) fn new(
        spec: &'a DataSpec,
        filter: &'a Filter<StaticNet>,
        split: Split,
        destination: Destination,
        bytes_total: u64,
        progress: &'a mut dyn FnMut(LoadProgress),
        stop: &'a AtomicBool,
    ) -> Result<Self, DataError> {
        let subset =
            spec.limit.map(|limit| Subset::new(limit, &destination.scratch)).transpose()?;
        Ok(Self {
            spec,
            filter,
            split,
            progress,
            stop,
            destination,
            bytes_before: 0,
            bytes_total,
            at_most: u64::MAX,
            subset,
            of_files: Vec::new(),
        })
    }

    /// Adds the entries of a file, unless enough is read.
    pub(super) fn add(&mut self, path: &Path, dataset: &mut Dataset) -> Result<(), DataError> {
        let before = self.destination.train.len();
        self.of_files.push(0);
        if self.left() == 0 {
            return Ok(());
        }
        let rules = Rules { spec: self.spec, filter: self.filter, split: self.split };
        let mut reader = EntryReader::open(path)?;
        self.read(&mut reader, |entry| Filtered::new(&entry, rules), dataset)?;
        let info = reader.finish()?;
        self.bytes_before += info.bytes;
        dataset.sources.push(info);
        if let (None, Some(samples)) = (&self.subset, self.of_files.last_mut()) {
            *samples = self.destination.train.len() - before;
        }
        Ok(())
    }

    /// Chooses samples up to the limit when all files are read, with their number in each file.
    pub(super) fn finish(self) -> Result<(Chosen, Destination), DataError> {
        let Self { mut destination, subset, of_files, .. } = self;
        let chosen = match subset {
            Some(subset) => subset.finish(of_files.len(), &mut destination.train)?,
            None => Chosen { of_files, left_out: 0 },
        };
        Ok((chosen, destination))
    }

    /// Samples gathered so far, both sides together.
    fn kept(&self) -> u64 {
        (self.destination.train.len() + self.destination.validation.len()) as u64
    }

    /// Samples that may still be taken.
    fn left(&self) -> usize {
        usize::try_from(self.at_most.saturating_sub(self.kept())).unwrap_or(usize::MAX)
    }

    fn read(
        &mut self,
        reader: &mut EntryReader,
        judge: impl Fn(Entry) -> Filtered + Sync,
        dataset: &mut Dataset,
    ) -> Result<(), DataError> {
        let has_games = reader.format().has_games();
        while let Some(batch) = reader.next_batch(&judge)? {
            DataError::if_stopped(self.stop)?;
            for entry in batch {
                match entry {
                    Ok(filtered) => {
                        dataset.counts_mut(has_games).add(filtered.validates);
                        self.take(filtered, dataset)?;
                    }
                    Err(bad) => {
                        dataset.counts_mut(has_games).skipped.add(bad.bad.defect, || bad.message)
                    }
                }
                if self.left() == 0 {
                    return Ok(());
                }
            }
            let kept = self.kept();
            (self.progress)(LoadProgress {
                bytes_read: self.bytes_before + reader.bytes_read(),
                bytes_total: self.bytes_total,
                positions: dataset.positions_read,
                kept,
            });
        }
        Ok(())
    }

    fn take(&mut self, mut filtered: Filtered, dataset: &mut Dataset) -> Result<(), DataError> {
        filtered.samples.truncate(self.left());
        dataset.positions_read += filtered.positions;
        dataset.dropped.merge(&filtered.dropped);
        match &mut self.subset {
            _ if filtered.validates => self.destination.validation.append(&filtered.samples),
            None => self.destination.train.append(&filtered.samples),
            Some(subset) => {
                let file = self.of_files.len() - 1;
                subset.offer(filtered.rank, file, &filtered.samples, &mut self.destination.train)
            }
        }
    }
}

/// The samples of a game or a listed position that pass the filter.
#[derive(Default)]
struct Filtered {
    samples: SmallVec<[Sample; 1]>,
    validates: bool,
    /// Its rank among those to train on, used with a limit.
    rank: u64,
    positions: u64,
    dropped: DropCounts,
}

/// The rules for every game and every listed position.
#[derive(Clone, Copy)]
struct Rules<'a> {
    spec: &'a DataSpec,
    filter: &'a Filter<StaticNet>,
    split: Split,
}

impl Filtered {
    fn new(entry: &Entry, rules: Rules<'_>) -> Self {
        let mut filtered = Self { validates: rules.split.validates(entry), ..Self::default() };
        if let Entry::Game(game) = entry {
            filtered.samples.reserve(game.moves.len());
        }
        entry.visit(|candidate| filtered.add(candidate, rules));
        let is_ranked = rules.spec.limit.is_some() && !filtered.validates;
        if is_ranked && !filtered.samples.is_empty() {
            filtered.rank = subset::rank(entry);
        }
        filtered
    }

    fn add(&mut self, candidate: &CandidatePosition<'_>, Rules { spec, filter, .. }: Rules<'_>) {
        self.positions += 1;
        if let Some(rule) = filter.judge(candidate) {
            return self.dropped.add(rule);
        }
        let Some(sample) = Sample::new(candidate) else { return };
        if !spec.choices {
            return self.samples.push(sample);
        }
        match candidate.played.and_then(|played| sample.with_choice(candidate.position, played)) {
            Some(sample) => self.samples.push(sample),
            None => self.dropped.add(DropRule::NoChoice),
        }
    }
}
