//! Fewer positions than there are, such that a smaller number is a part of a larger.
//!
//! Every game, and every position of a list, has a rank: a hash of what was played or of
//! the board, independent of the one that decides the validation set. So many positions to
//! train on are those of lowest rank. Games are taken whole but for the last, of which the
//! first positions are taken; of equal ranks (the same game twice) the earlier goes first.
//!
//! While files are read, samples stay in file order in one buffer that holds little more
//! than is wanted. When it is full, what ranks too high is removed; from then on a rank
//! that high is turned away at once. So the memory does not grow with the files.

use super::loader::{append, make_room};
use crate::share::{game_hash, position_hash, salted};
use crate::{DataError, Game, Sample};
use chess::Position;

/// Keeps ranks apart from the validation set and from other choices made of hashes.
const SALT: u64 = u64::from_be_bytes(*b"training");

/// Samples held beyond what is wanted: an eighth, and at least so many. Each time they
/// are full, all that is held is gone through.
const LEAST_SPARE: usize = 1 << 16;

/// Where a game stands in the order in which games are taken.
pub(super) fn game_rank(game: &Game) -> u64 {
    salted(game_hash(game), SALT)
}

/// Where a position of a list stands in that order.
pub(super) fn position_rank(position: &Position) -> u64 {
    position_hash(position, SALT)
}

/// Chooses samples to train on as they are read.
pub(super) struct Subset {
    wanted: usize,
    spare: usize,
    /// What the samples held so far belong to, in file order.
    entries: Vec<Entry>,
    /// What ranks as high as this is not needed any more.
    bar: Option<u64>,
    offered: u64,
}

/// A game or a position of a list.
struct Entry {
    rank: u64,
    samples: usize,
    file: usize,
}

/// The entry of highest rank that is needed. Equal ranks are told apart by their number.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Last {
    rank: u64,
    number: usize,
}

/// What was chosen.
pub(super) struct Chosen {
    /// Samples of each file, from the first on.
    pub of_files: Vec<usize>,
    pub left_out: u64,
}

impl Subset {
    pub(super) fn new(wanted: u64) -> Self {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        Self::with_spare(wanted, (wanted / 8).max(LEAST_SPARE))
    }

    fn with_spare(wanted: usize, spare: usize) -> Self {
        Self { wanted, spare, entries: Vec::new(), bar: None, offered: 0 }
    }

    /// Takes up the samples of a game or of a listed position if they may be needed.
    ///
    /// `held` are the samples held so far, which nobody else changes.
    pub(super) fn offer(
        &mut self,
        rank: u64,
        file: usize,
        samples: &[Sample],
        held: &mut Vec<Sample>,
    ) -> Result<(), DataError> {
        self.offered += samples.len() as u64;
        if samples.is_empty() || self.bar.is_some_and(|bar| rank >= bar) {
            return Ok(());
        }
        append(held, samples)?;
        append_entry(&mut self.entries, Entry { rank, samples: samples.len(), file })?;
        match held.len() > self.wanted.saturating_add(self.spare) {
            true => self.trim(held),
            false => Ok(()),
        }
    }

    /// Leaves in `held` what was wanted.
    pub(super) fn finish(
        mut self,
        files: usize,
        held: &mut Vec<Sample>,
    ) -> Result<Chosen, DataError> {
        if held.len() > self.wanted {
            self.trim(held)?;
            self.cut_last(held);
        }
        let mut of_files = vec![0; files];
        for entry in &self.entries {
            of_files[entry.file] += entry.samples;
        }
        Ok(Chosen { of_files, left_out: self.offered - held.len() as u64 })
    }

    /// Removes what ranks higher than is needed. The last that is needed stays whole: how
    /// much of it is needed is known when all has been read.
    fn trim(&mut self, held: &mut Vec<Sample>) -> Result<(), DataError> {
        let Some(last) = self.last_needed()? else { return Ok(()) };
        let (mut from, mut to, mut number) = (0, 0, 0);
        self.entries.retain(|&Entry { rank, samples, .. }| {
            let stays = Last { rank, number } <= last;
            if stays {
                held.copy_within(from..from + samples, to);
                to += samples;
            }
            from += samples;
            number += 1;
            stays
        });
        held.truncate(to);
        self.bar = Some(last.rank);
        Ok(())
    }

    /// Finds the entry with which there are enough samples, by halving where it may be.
    fn last_needed(&self) -> Result<Option<Last>, DataError> {
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        make_room(&mut order, self.entries.len())?;
        let numbered = self.entries.iter().enumerate();
        order.extend(numbered.map(|(number, entry)| (entry.rank, number, entry.samples)));
        let (mut order, mut wanted) = (&mut order[..], self.wanted);
        while order.len() > 1 {
            let middle = order.len() / 2;
            order.select_nth_unstable(middle);
            let (lower, upper) = order.split_at_mut(middle);
            let samples: usize = lower.iter().map(|(_, _, samples)| samples).sum();
            if wanted <= samples {
                order = lower;
            } else {
                wanted -= samples;
                order = upper;
            }
        }
        Ok(order.first().map(|&(rank, number, _)| Last { rank, number }))
    }

    /// Of the entry of highest rank leaves only the first samples that are wanted.
    fn cut_last(&mut self, held: &mut Vec<Sample>) {
        let excess = held.len() - self.wanted;
        let ranked = self.entries.iter().enumerate();
        let last = ranked.max_by_key(|(number, entry)| (entry.rank, *number));
        let Some(last) = last.map(|(number, _)| number) else { return };
        let end: usize = self.entries[..=last].iter().map(|entry| entry.samples).sum();
        held.drain(end - excess..end);
        self.entries[last].samples -= excess;
    }
}

fn append_entry(entries: &mut Vec<Entry>, entry: Entry) -> Result<(), DataError> {
    make_room(entries, 1)?;
    entries.push(entry);
    Ok(())
}

#[cfg(test)]
mod tests;
