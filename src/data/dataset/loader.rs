//! Reads the files of a data set one after the other.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use super::subset::{self, Chosen, Subset};
use super::{DataSpec, Dataset, LoadProgress, Room, Tally};
use crate::filter::{DropCounts, DropRule, Filter, StaticNet};
use crate::split::Split;
use crate::{Candidate, DataError, DataFile, Game, ListedPosition, Reader, Sample};

pub(super) struct Loader<'a> {
    pub spec: &'a DataSpec,
    /// That of the specification, ready to judge.
    filter: &'a Filter<StaticNet>,
    pub split: Split,
    pub progress: &'a mut dyn FnMut(LoadProgress),
    pub stop: &'a AtomicBool,
    room: Room,
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
        filter: &'a Filter<StaticNet>,
        split: Split,
        room: Room,
        bytes_total: u64,
        progress: &'a mut dyn FnMut(LoadProgress),
        stop: &'a AtomicBool,
    ) -> Result<Self, DataError> {
        let subset = spec.limit.map(|limit| Subset::new(limit, &room.aside)).transpose()?;
        Ok(Self {
            spec,
            filter,
            split,
            progress,
            stop,
            room,
            bytes_before: 0,
            bytes_total,
            at_most: u64::MAX,
            subset,
            of_files: Vec::new(),
        })
    }

    /// Adds what a file holds, if there is room for it.
    pub(super) fn add(&mut self, path: &Path, dataset: &mut Dataset) -> Result<(), DataError> {
        let before = self.room.train.len();
        self.of_files.push(0);
        if self.left() == 0 {
            return Ok(());
        }
        let rules = Rules { spec: self.spec, filter: self.filter, split: self.split };
        let info = match DataFile::open(path)? {
            DataFile::Games(mut games) => {
                let judge = |game: Game| Judged::game(&game, rules);
                self.read(&mut games, judge, |dataset| &mut dataset.games, dataset)?;
                games.finish()?
            }
            DataFile::List(mut list) => {
                let judge = |listed: ListedPosition| Judged::position(&listed, rules);
                self.read(&mut list, judge, |dataset| &mut dataset.listed, dataset)?;
                list.finish()?
            }
        };
        self.bytes_before += info.bytes;
        dataset.sources.push(info);
        if let (None, Some(samples)) = (&self.subset, self.of_files.last_mut()) {
            *samples = self.room.train.len() - before;
        }
        Ok(())
    }

    /// When all files are read: leaves the samples that are wanted, and says how many of
    /// them are of each file.
    pub(super) fn finish(self) -> Result<(Chosen, Room), DataError> {
        let Self { mut room, subset, of_files, .. } = self;
        let chosen = match subset {
            Some(subset) => subset.finish(of_files.len(), &mut room.train)?,
            None => Chosen { of_files, left_out: 0 },
        };
        Ok((chosen, room))
    }

    /// Samples gathered so far, both sides together.
    fn kept(&self) -> u64 {
        (self.room.train.len() + self.room.validation.len()) as u64
    }

    /// Samples that may still be taken.
    fn left(&self) -> usize {
        usize::try_from(self.at_most.saturating_sub(self.kept())).unwrap_or(usize::MAX)
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

    fn take(&mut self, mut judged: Judged, dataset: &mut Dataset) -> Result<(), DataError> {
        judged.samples.truncate(self.left());
        dataset.positions_read += judged.positions;
        dataset.dropped.merge(&judged.dropped);
        match &mut self.subset {
            _ if judged.validates => self.room.validation.append(&judged.samples),
            None => self.room.train.append(&judged.samples),
            Some(subset) => {
                let file = self.of_files.len() - 1;
                subset.offer(judged.rank, file, &judged.samples, &mut self.room.train)
            }
        }
    }
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

/// What is asked of every game and every listed position.
#[derive(Clone, Copy)]
struct Rules<'a> {
    spec: &'a DataSpec,
    filter: &'a Filter<StaticNet>,
    split: Split,
}

impl Judged {
    fn game(game: &Game, rules: Rules<'_>) -> Self {
        let mut judged = Self { validates: rules.split.game_validates(game), ..Self::default() };
        judged.samples.reserve(game.moves.len());
        Candidate::visit(game, |candidate| judged.add(candidate, rules));
        if judged.is_ranked(rules.spec) {
            judged.rank = subset::game_rank(game);
        }
        judged
    }

    fn position(listed: &ListedPosition, rules: Rules<'_>) -> Self {
        let validates = rules.split.position_validates(&listed.position);
        let mut judged = Self { validates, ..Self::default() };
        judged.add(&listed.candidate(), rules);
        if judged.is_ranked(rules.spec) {
            judged.rank = subset::position_rank(&listed.position);
        }
        judged
    }

    fn is_ranked(&self, spec: &DataSpec) -> bool {
        spec.limit.is_some() && !self.validates && !self.samples.is_empty()
    }

    fn add(&mut self, candidate: &Candidate<'_>, Rules { spec, filter, .. }: Rules<'_>) {
        self.positions += 1;
        if let Some(rule) = filter.judge(candidate) {
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
