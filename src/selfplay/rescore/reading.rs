//! Files of games or positions as lessons.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::lesson::Lesson;
use super::{Progress, Request};
use data::{DataError, EntryReader, SkipReport};

/// What the files hold.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Entries of all files.
    pub entries: u64,
    /// Those of the shard.
    pub range: Range<u64>,
    /// Positions of the shard to ask about; if it is not everything, about so many.
    pub asked: u64,
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
    request: &Request,
    on_progress: &mut dyn FnMut(Progress<'_>),
    stop: &AtomicBool,
) -> Result<Option<Survey>, DataError> {
    let length = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
    let bytes_total = paths.iter().map(length).sum();
    let (mut entries, mut asked, mut bytes) = (0, 0, 0);
    let mut skipped = SkipReport::default();
    for path in paths {
        let mut reader = EntryReader::open(path)?;
        while let Some(batch) = reader.next_batch(|e| Lesson::new(e, request).asked.len())? {
            for entry in batch {
                match entry {
                    Ok(questions) => {
                        entries += 1;
                        asked += questions as u64;
                    }
                    Err(bad) => skipped.add(bad.bad.defect, || bad.message),
                }
            }
            on_progress(Progress::Surveying(bytes + reader.bytes_read(), bytes_total));
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
        }
        bytes += reader.finish()?.bytes;
    }
    on_progress(Progress::Surveyed(&skipped));
    let range = request.shard.range(entries);
    let share = (range.end - range.start) as f64 / entries.max(1) as f64;
    // Rounded up: a shard of nothing but games that are not asked about is written too.
    Ok(Some(Survey { entries, range, asked: (asked as f64 * share).ceil() as u64 }))
}

/// Shows the lessons of some entries in order, while `take` wants more and it is not stopped.
///
/// # Errors
/// A file that is damaged.
pub(super) fn lessons(
    paths: &[PathBuf],
    request: &Request,
    range: Range<u64>,
    take: &mut dyn FnMut(Lesson) -> bool,
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

/// Those of one file, whose first entry has that number; whether more are wanted.
fn of_file(
    path: &Path,
    request: &Request,
    range: &Range<u64>,
    number: &mut u64,
    take: &mut dyn FnMut(Lesson) -> bool,
    stop: &AtomicBool,
) -> Result<bool, DataError> {
    let mut reader = EntryReader::open(path)?;
    while let Some(batch) = reader.next_batch(|entry| Lesson::new(entry, request))? {
        // Long files have long beginnings that were judged before.
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        for lesson in batch.into_iter().flatten() {
            if *number >= range.end {
                return Ok(false);
            }
            if range.contains(number) && !take(lesson) {
                return Ok(false);
            }
            *number += 1;
        }
    }
    Ok(true)
}
