//! Any number of entries in random order.
//!
//! Every entry draws a number by the seed, which puts it into one of several buckets on disk by
//! its first bits; then each bucket is sorted by the numbers in memory and written behind the
//! one before. Every order is equally likely, no more than a bucket is in memory, and the order
//! does not depend on the number of buckets.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::DataError;
use crate::formats::entry::Entry;
use crate::formats::writer::DataWriter;
use crate::tools::spool::{Spool, pack, unpack};

/// Buckets of entries that wait to be shuffled.
pub struct Shuffler {
    rng: ChaCha8Rng,
    buckets: Vec<Spool>,
    entries: u64,
    refused: u64,
}

/// No more files are open at once.
const MOST_BUCKETS: u64 = 512;

impl Shuffler {
    /// For about `bytes` bytes of records, with `memory` of them in memory at once.
    ///
    /// # Errors
    /// A temporary file that cannot be made.
    pub fn new(seed: u64, bytes: u64, memory: u64) -> Result<Self, DataError> {
        // Entries in memory take some more room than on disk, and buckets differ in size.
        let buckets = bytes.saturating_mul(3).div_ceil(memory.max(1)).clamp(1, MOST_BUCKETS);
        let buckets = (0..buckets).map(|_| Spool::new()).collect::<Result<_, _>>();
        let buckets = buckets.map_err(DataError::Spool)?;
        Ok(Self { rng: ChaCha8Rng::seed_from_u64(seed), buckets, entries: 0, refused: 0 })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// A disk that is full.
    pub fn push(&mut self, entry: &Entry) -> Result<(), DataError> {
        let number: u64 = self.rng.random();
        let bucket = (u128::from(number) * self.buckets.len() as u128) >> 64;
        let Some(mut record) = pack(entry) else {
            self.refused += 1;
            return Ok(());
        };
        // Big-endian, so that records sort as their numbers do.
        record.splice(..0, number.to_be_bytes());
        self.entries += 1;
        self.buckets[bucket as usize].push(&record).map_err(DataError::Spool)
    }

    /// Entries that were added.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Entries that were not: their counters are larger than in any game.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Writes all entries in their new order.
    ///
    /// # Errors
    /// A disk that is full or gone; the stop flag.
    pub fn write(
        self,
        writer: &mut DataWriter,
        progress: &mut dyn FnMut(u64),
        stop: &AtomicBool,
    ) -> Result<(), DataError> {
        let mut written = 0;
        for bucket in self.buckets {
            let mut records = bucket.into_records().map_err(DataError::Spool)?;
            records.sort_unstable();
            for record in records {
                let Some(entry) = record.get(8..).and_then(unpack) else {
                    return Err(DataError::Spool(io::ErrorKind::InvalidData.into()));
                };
                writer.write(&entry)?;
                written += 1;
                if written % 1_024 == 0 {
                    progress(written);
                    if stop.load(Ordering::Relaxed) {
                        return Err(DataError::Stopped);
                    }
                }
            }
        }
        Ok(())
    }
}
