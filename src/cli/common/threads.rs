//! `--threads` and its like: as many as a machine can start.

use clap::builder::RangedU64ValueParser;

use training::MOST_THREADS;

/// Sizes the thread pool by the cores of this process.
pub(crate) fn as_many_as_given() {
    // Fails only if threads run already, which is as good.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(base::cores()).build_global();
}

/// A number of threads, or 0 for one per core.
pub(crate) fn any() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=MOST_THREADS as u64)
}

/// A number of threads, or of games or puzzles that have one each.
pub(crate) fn some() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_THREADS as u64)
}
