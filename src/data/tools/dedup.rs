//! Duplicates among any number of entries.
//!
//! Two games are the same if start and moves are, two positions if all pieces and the side to
//! move are. Entries are known by hashes of 64 bits, distributed over buckets on disk by their
//! first bits; then each bucket is sorted in memory, and all but the first of equal hashes are
//! marked in a bitmap of one bit an entry.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::error::DataError;
use crate::formats::entry::Entry;
use crate::samples::share::{game_hash, position_hash};

/// Keeps positions apart from other choices made by them.
const SALT: u64 = 0x6465_6475_706c_6963;

/// Finds duplicates among hashes added one after the other.
pub struct Deduplicator {
    buckets: Vec<BufWriter<File>>,
    entries: u64,
}

const MOST_BUCKETS: u64 = 512;
/// Hash and number of an entry.
const RECORD_BYTES: usize = 16;

impl Deduplicator {
    /// For about `entries` entries, with at most `memory` bytes of hashes in memory at once.
    ///
    /// # Errors
    /// A temporary file that cannot be made.
    pub fn new(entries: u64, memory: u64) -> Result<Self, DataError> {
        let bytes = entries.saturating_mul(RECORD_BYTES as u64);
        let buckets = bytes.saturating_mul(2).div_ceil(memory.max(1)).clamp(1, MOST_BUCKETS);
        let bucket = |_| Ok(BufWriter::new(tempfile::tempfile()?));
        let buckets =
            (0..buckets).map(bucket).collect::<io::Result<_>>().map_err(DataError::Spool)?;
        Ok(Self { buckets, entries: 0 })
    }

    /// Notes an entry by its hash.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn push(&mut self, hash: u64) -> Result<(), DataError> {
        let buckets = self.buckets.len() as u128;
        let bucket = (u128::from(hash) * buckets) >> 64;
        let record = [hash.to_le_bytes(), self.entries.to_le_bytes()].concat();
        self.entries += 1;
        self.buckets[bucket as usize].write_all(&record).map_err(DataError::Spool)
    }

    /// The duplicates.
    ///
    /// # Errors
    /// A disk that is gone.
    pub fn finish(self) -> Result<Duplicates, DataError> {
        let mut found = Duplicates { again: vec![0; self.entries.div_ceil(64) as usize], count: 0 };
        for bucket in self.buckets {
            let mut records = read(bucket).map_err(DataError::Spool)?;
            records.sort_unstable();
            let pairs = records.iter().zip(records.iter().skip(1));
            pairs.filter(|(a, b)| a.0 == b.0).for_each(|(_, &(_, number))| found.note(number));
        }
        Ok(found)
    }
}

fn read(bucket: BufWriter<File>) -> io::Result<Vec<(u64, u64)>> {
    let mut file = bucket.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    let mut bytes = Vec::new();
    BufReader::new(file).read_to_end(&mut bytes)?;
    let number = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    let records = bytes.as_chunks::<RECORD_BYTES>().0;
    Ok(records.iter().map(|record| (number(&record[..8]), number(&record[8..]))).collect())
}

/// The hash by which an entry is known.
pub fn hash(entry: &Entry) -> u64 {
    match entry {
        Entry::Game(game) => game_hash(game),
        Entry::Position(listed) => position_hash(&listed.position, SALT),
    }
}

/// The entries that repeat an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    again: Vec<u64>,
    count: u64,
}

impl Duplicates {
    /// Whether the entry of that number, from 0, repeats an earlier one.
    pub fn contains(&self, number: u64) -> bool {
        let word = self.again.get((number / 64) as usize).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    fn note(&mut self, number: u64) {
        self.again[(number / 64) as usize] |= 1 << (number % 64);
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_but_the_first_are_found(small in prop::collection::vec(0u64..40, 0..300), memory in 64u64..100_000) {
            let hashes: Vec<u64> = small.iter().map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut dedup = Deduplicator::new(hashes.len() as u64, memory).unwrap();
            hashes.iter().for_each(|&hash| dedup.push(hash).unwrap());
            let found = dedup.finish().unwrap();
            let mut seen = HashSet::new();
            for (number, hash) in (0..).zip(&hashes) {
                prop_assert_eq!(found.contains(number), !seen.insert(hash));
            }
            prop_assert_eq!(found.count(), (hashes.len() - seen.len()) as u64);
        }
    }
}
