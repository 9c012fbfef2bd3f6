//! Cost of a feature set on the positions of a data set: counts of [`features::statistics`] over
//! all legal moves of each position, and over the moves of a search.

pub mod summary;
mod watched;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

pub use summary::Summary;
pub use watched::{Watched, WatchedCounts};

use base::batches::in_batches;
use chess::{Position, Scene};
use engine::{Limits, Searcher};
use features::{FeatureSet, Frequencies, MoveCounts, Step};

/// Transposition table of each search, in MiB: it holds a few thousand nodes.
const HASH_MB: usize = 1;

/// Counts active features of the positions, and the rows of all their legal
/// moves. `None` if stopped. `on_progress` receives the number of finished positions.
pub fn count_positions(
    features: &Arc<FeatureSet>,
    positions: &[Position],
    on_progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Option<(Frequencies, MoveCounts)> {
    let nothing = || (Frequencies::new(features.clone()), MoveCounts::new(features.clone()));
    let count = |(mut frequencies, mut moves): (Frequencies, MoveCounts), position: &Position| {
        frequencies.record(position);
        record_legal_moves(&mut moves, position);
        (frequencies, moves)
    };
    let (mut frequencies, mut moves) = nothing();
    in_batches(positions, on_progress, stop, |batch| {
        let of_threads = batch.par_iter().fold(nothing, count).collect::<Vec<_>>();
        for (more_frequencies, more_moves) in of_threads {
            frequencies.merge(more_frequencies);
            moves.merge(&more_moves);
        }
    })?;
    Some((frequencies, moves))
}

fn record_legal_moves(counts: &mut MoveCounts, position: &Position) {
    let before = Scene::from(position);
    for m in position.legal_moves() {
        let (after, change) = (Scene::from(&position.after(m)), position.change(m));
        let step = Step { before: &before, after: &after, change: &change };
        counts.record(step, position.turn());
    }
}

/// Searches each position for `nodes` nodes, evaluating with PeSTO's tables,
/// and counts the rows of every move the search makes. `None` if stopped.
pub fn count_searches(
    features: &Arc<FeatureSet>,
    positions: &[Position],
    nodes: u64,
    on_progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Option<MoveCounts> {
    let start = || {
        let (watched, counts) = Watched::new(features.clone());
        (Searcher::new(Box::new(watched), HASH_MB), counts)
    };
    let mut counts = MoveCounts::new(features.clone());
    in_batches(positions, on_progress, stop, |batch| {
        let share = batch.len().div_ceil(rayon::current_num_threads());
        let of_threads = batch.par_chunks(share).map(|positions| {
            let (mut searcher, counts) = start();
            for position in positions {
                searcher.new_game();
                searcher.search(position, &[], &Limits::nodes(nodes), stop, &mut |_| {});
            }
            counts
        });
        for more in of_threads.collect::<Vec<_>>() {
            counts.merge(&more.so_far());
        }
    })?;
    Some(counts)
}

#[cfg(test)]
mod tests;
