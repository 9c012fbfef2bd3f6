//! A subset of the positions, such that a smaller one is a part of a larger.
//!
//! Every game, and every position of a list, has a rank: a hash of the moves or of
//! the board, independent of the one that decides the validation set. A limited number of
//! training positions are those of lowest rank. Games are taken whole but for the last, which
//! gives its first positions; of equal ranks (the same game twice) the earlier goes first.
//!
//! While files are read, samples stay in file order in one buffer that is little larger than the
//! limit. When it is full, entries of too high a rank are removed; from then on such entries are
//! skipped at once. So memory does not grow with the files.

use bytemuck::{Pod, Zeroable};

use super::Scratch;
use crate::error::DataError;
use crate::formats::entry::Entry;
use crate::samples::sample::Sample;
use crate::samples::share::entry_hash;
use crate::samples::spill::SpillVec;

/// Keeps ranks apart from the validation set and from other choices made of hashes.
const SALT: u64 = u64::from_be_bytes(*b"training");

/// Smallest number of samples held beyond the limit; an eighth of it if that is more. Each time
/// the buffer is full, all entries are scanned.
const LEAST_SPARE: usize = 1 << 16;

/// Rank of a game or of a listed position in the order in which they are taken.
pub(super) fn rank(entry: &Entry) -> u64 {
    entry_hash(entry, SALT)
}

/// Chooses samples to train on as they are read.
pub(super) struct Subset {
    wanted: usize,
    spare: usize,
    /// Groups of the samples held so far, in file order.
    entries: SpillVec<SubsetGroup>,
    scratch: Scratch,
    /// Groups of this rank and above are not needed any more.
    bar: Option<u64>,
    offered: u64,
}

/// The samples of a game, or of a position of a list.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SubsetGroup {
    rank: u64,
    samples: u32,
    file: u32,
}

/// An entry in the order of ranks, equal ones in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct Ranked {
    rank: u64,
    number: u64,
    samples: u64,
}

pub(super) struct Chosen {
    /// Samples of each file, from the first on.
    pub of_files: Vec<usize>,
    pub left_out: u64,
}

impl Subset {
    /// A subset of `wanted` samples.
    pub(super) fn new(wanted: u64, scratch: &Scratch) -> Result<Self, DataError> {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        Self::with_spare(wanted, (wanted / 8).max(LEAST_SPARE), scratch)
    }

    fn with_spare(wanted: usize, spare: usize, scratch: &Scratch) -> Result<Self, DataError> {
        let entries = scratch.spill()?;
        Ok(Self { wanted, spare, entries, scratch: scratch.clone(), bar: None, offered: 0 })
    }

    /// Adds the samples of a game or of a listed position if they may be needed.
    ///
    /// `held` are the samples held so far, which only this method changes.
    pub(super) fn offer(
        &mut self,
        rank: u64,
        file: usize,
        samples: &[Sample],
        held: &mut SpillVec<Sample>,
    ) -> Result<(), DataError> {
        self.offered += samples.len() as u64;
        if samples.is_empty() || self.bar.is_some_and(|bar| rank >= bar) {
            return Ok(());
        }
        held.append(samples)?;
        // A game has thousands of plies at most, and there are as many files.
        let entry = SubsetGroup { rank, samples: samples.len() as u32, file: file as u32 };
        self.entries.append(&[entry])?;
        match held.len() > self.wanted.saturating_add(self.spare) {
            true => self.trim(held),
            false => Ok(()),
        }
    }

    /// Cuts `held` down to the limit.
    pub(super) fn finish(
        mut self,
        files: usize,
        held: &mut SpillVec<Sample>,
    ) -> Result<Chosen, DataError> {
        if held.len() > self.wanted {
            self.trim(held)?;
            self.cut_last(held)?;
        }
        let mut of_files = vec![0; files];
        self.entries.with(|entries| {
            for entry in entries {
                of_files[entry.file as usize] += entry.samples as usize;
            }
        })?;
        Ok(Chosen { of_files, left_out: self.offered - held.len() as u64 })
    }

    /// Removes what ranks higher than is needed. The last that is needed stays whole: how
    /// much of it is needed is known when all has been read.
    fn trim(&mut self, held: &mut SpillVec<Sample>) -> Result<(), DataError> {
        let Some(last) = self.last_needed()? else { return Ok(()) };
        let stays = |entry: &SubsetGroup, number: usize| (entry.rank, number as u64) <= last;
        let (entries, samples) = held.with(|held| {
            self.entries.with(|entries| {
                let (mut from, mut to, mut kept) = (0, 0, 0);
                for number in 0..entries.len() {
                    let entry = entries[number];
                    let count = entry.samples as usize;
                    if stays(&entry, number) {
                        held.copy_within(from..from + count, to);
                        to += count;
                        entries[kept] = entry;
                        kept += 1;
                    }
                    from += count;
                }
                (kept, to)
            })
        })??;
        self.entries.truncate(entries)?;
        held.truncate(samples)?;
        self.bar = Some(last.0);
        Ok(())
    }

    /// Rank and number of the entry with which there are enough samples, found by halving
    /// where it may be.
    fn last_needed(&mut self) -> Result<Option<(u64, u64)>, DataError> {
        let mut ranked = self.scratch.spill::<Ranked>()?;
        self.entries.with(|entries| {
            let numbered = (0..).zip(&*entries);
            numbered.map(ranked_of).try_for_each(|entry| ranked.append(&[entry]))
        })??;
        let wanted = self.wanted as u64;
        let last = ranked.with(|ranked| nth_sample(ranked, wanted))?;
        Ok(last.map(|Ranked { rank, number, .. }| (rank, number)))
    }

    /// Cuts the entry of highest rank to its first samples within the limit.
    fn cut_last(&mut self, held: &mut SpillVec<Sample>) -> Result<(), DataError> {
        let excess = held.len() - self.wanted;
        let end = self.entries.with(|entries| {
            let ranked = entries.iter().enumerate();
            let last = ranked.max_by_key(|(number, entry)| (entry.rank, *number));
            let (last, _) = last?;
            let end: usize = entries[..=last].iter().map(|entry| entry.samples as usize).sum();
            entries[last].samples -= excess as u32;
            Some(end)
        })?;
        let Some(end) = end else { return Ok(()) };
        held.with(|held| held.copy_within(end.., end - excess))?;
        held.truncate(self.wanted)
    }
}

fn ranked_of((number, entry): (u64, &SubsetGroup)) -> Ranked {
    Ranked { rank: entry.rank, number, samples: entry.samples.into() }
}

/// The entry, in their order, with the sample of number `wanted`; the highest if there are fewer.
fn nth_sample(mut order: &mut [Ranked], mut wanted: u64) -> Option<Ranked> {
    while order.len() > 1 {
        let middle = order.len() / 2;
        order.select_nth_unstable(middle);
        let (lower, upper) = order.split_at_mut(middle);
        let samples: u64 = lower.iter().map(|entry| entry.samples).sum();
        if wanted <= samples {
            order = lower;
        } else {
            wanted -= samples;
            order = upper;
        }
    }
    order.first().copied()
}

#[cfg(test)]
mod tests;
