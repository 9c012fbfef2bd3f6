//! Files of games or positions as labelling tasks.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::LabelRequest;
use super::task::LabelTask;
use base::Observer;
use data::{DataError, EntryReader, SkipReport};

/// Counts of the files.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Entries of all files.
    pub entries: u64,
    /// Entries of the shard.
    pub range: Range<u64>,
    /// Positions of the shard to label; an estimate if the shard is a part.
    pub positions: u64,
}

impl Survey {
    /// Entries of the shard.
    pub(super) fn wanted(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// Looks through the files; `None` if it was stopped.
///
/// # Errors
/// A file that is damaged or of no known format.
pub(super) fn survey(
    paths: &[PathBuf],
    request: &LabelRequest,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Option<Survey>, DataError> {
    let length = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let bytes_total = paths.iter().map(length).sum();
    let (mut entries, mut positions, mut bytes) = (0, 0, 0);
    let mut skipped = SkipReport::default();
    observer.begin("reading the files", bytes_total, "bytes");
    for path in paths {
        let mut reader = EntryReader::open(path)?;
        while let Some(batch) = reader.next_batch(|e| LabelTask::new(e, request).selected.len())? {
            for entry in batch {
                match entry {
                    Ok(questions) => {
                        entries += 1;
                        positions += questions as u64;
                    }
                    Err(bad) => skipped.add(bad.bad.defect, || bad.message),
                }
            }
            observer.advance(bytes + reader.bytes_read(), "");
            if stop.load(Ordering::Relaxed) {
                observer.end("stopped");
                return Ok(None);
            }
        }
        bytes += reader.finish()?.bytes;
    }
    observer.end("");
    if skipped.total() > 0 {
        observer.warn(&format!("{skipped}; the first: {}", skipped.first().join("; ")));
    }
    let range = request.shard.range(entries);
    let share = (range.end - range.start) as f64 / entries.max(1) as f64;
    // Rounded up: a shard without a position to label is written too.
    Ok(Some(Survey { entries, range, positions: (positions as f64 * share).ceil() as u64 }))
}

/// Passes the tasks of some entries to `take` in order, until it returns `false` or the stop flag
/// is set.
///
/// # Errors
/// A file that is damaged.
pub(super) fn tasks(
    paths: &[PathBuf],
    request: &LabelRequest,
    range: Range<u64>,
    take: &mut dyn FnMut(LabelTask) -> bool,
    stop: &AtomicBool,
) -> Result<(), DataError> {
    let mut number = 0;
    for path in paths {
        if number >= range.end || !of_file(path, request, &range, &mut number, take, stop)? {
            break;
        }
    }
    Ok(())
}

/// Tasks of one file, whose first entry has that number; `false` at the end of the work.
fn of_file(
    path: &Path,
    request: &LabelRequest,
    range: &Range<u64>,
    number: &mut u64,
    take: &mut dyn FnMut(LabelTask) -> bool,
    stop: &AtomicBool,
) -> Result<bool, DataError> {
    let mut reader = EntryReader::open(path)?;
    while let Some(batch) = reader.next_batch(|entry| LabelTask::new(entry, request))? {
        // Long files have long beginnings that were judged before.
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        for task in batch.into_iter().flatten() {
            if *number >= range.end {
                return Ok(false);
            }
            if range.contains(number) && !take(task) {
                return Ok(false);
            }
            *number += 1;
        }
    }
    Ok(true)
}
