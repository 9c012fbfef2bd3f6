//! Which entries have been there before, however many there are.
//!
//! A game is the same as another one if it starts and goes alike, a position if all its
//! pieces and the side to move are the same. Entries are known by
//! hashes of 64 bits, thrown onto heaps on disk by their first bits; then each heap is
//! sorted in memory, and all but the first of equal ones are noted in a map that has
//! one bit an entry.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use super::share::{game_hash, position_hash};
use super::{DataError, Entry};

/// Keeps positions apart from other choices made by them.
const SALT: u64 = 0x6465_6475_706c_6963;

/// Finds duplicates among entries that are shown to it one after the other.
pub struct Deduplicator {
    heaps: Vec<BufWriter<File>>,
    entries: u64,
}

const MOST_HEAPS: u64 = 512;
/// Hash and number of an entry.
const RECORD_BYTES: usize = 16;

impl Deduplicator {
    /// For about so many entries, of which the hashes of so many bytes may be in memory.
    ///
    /// # Errors
    /// A temporary file that cannot be made.
    pub fn new(entries: u64, memory: u64) -> Result<Self, DataError> {
        let bytes = entries.saturating_mul(RECORD_BYTES as u64);
        let heaps = (2 * bytes).div_ceil(memory.max(1)).clamp(1, MOST_HEAPS);
        let heap = |_| Ok(BufWriter::new(tempfile::tempfile()?));
        let heaps = (0..heaps).map(heap).collect::<io::Result<_>>().map_err(DataError::Spool)?;
        Ok(Self { heaps, entries: 0 })
    }

    /// Notes an entry by its hash.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn push(&mut self, hash: u64) -> Result<(), DataError> {
        let heaps = self.heaps.len() as u128;
        let heap = (u128::from(hash) * heaps) >> 64;
        let record = [hash.to_le_bytes(), self.entries.to_le_bytes()].concat();
        self.entries += 1;
        self.heaps[heap as usize].write_all(&record).map_err(DataError::Spool)
    }

    /// All entries that have been there before.
    ///
    /// # Errors
    /// A disk that is gone.
    pub fn finish(self) -> Result<Duplicates, DataError> {
        let mut found = Duplicates { again: vec![0; self.entries.div_ceil(64) as usize], count: 0 };
        for heap in self.heaps {
            let mut records = read(heap).map_err(DataError::Spool)?;
            records.sort_unstable();
            let pairs = records.iter().zip(records.iter().skip(1));
            pairs.filter(|(a, b)| a.0 == b.0).for_each(|(_, &(_, number))| found.note(number));
        }
        Ok(found)
    }
}

fn read(heap: BufWriter<File>) -> io::Result<Vec<(u64, u64)>> {
    let mut file = heap.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    let mut bytes = Vec::new();
    BufReader::new(file).read_to_end(&mut bytes)?;
    let number = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    let records = bytes.as_chunks::<RECORD_BYTES>().0;
    Ok(records.iter().map(|record| (number(&record[..8]), number(&record[8..]))).collect())
}

/// What tells an entry from others.
pub fn hash(entry: &Entry) -> u64 {
    match entry {
        Entry::Game(game) => game_hash(game),
        Entry::Position(listed) => position_hash(&listed.position, SALT),
    }
}

/// Entries that have been there before.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    again: Vec<u64>,
    count: u64,
}

impl Duplicates {
    /// Whether the entry of that number, from 0, has been there before.
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
