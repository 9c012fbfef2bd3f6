//! Work on many items, in batches, with progress and a check of the stop flag
//! between two of them.

use std::sync::atomic::{AtomicBool, Ordering};

/// Items between two reports of progress; enough for all cores.
const BATCH: usize = 256;

/// Does `work` batch by batch; `None` if stopped. `on_progress` gets the count of finished items.
pub fn in_batches<T>(
    all: &[T],
    on_progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
    mut work: impl FnMut(&[T]),
) -> Option<()> {
    let mut done = 0;
    for batch in all.chunks(BATCH) {
        work(batch);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        done += batch.len() as u64;
        on_progress(done);
    }
    Some(())
}
