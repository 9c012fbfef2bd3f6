//! Batches for programs that train by themselves: active features end to end, and the labels of the
//! data.

use std::ops::Range;

use rayon::prelude::*;

use super::{BatchEntry, Encoded, Encoder};
use data::Sample;
use features::{Feature, Weighted};
use network::buffer::filled_by_lengths;

/// Samples with their lists end to end, in the form of PyTorch's `EmbeddingBag`.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatBatch {
    /// Active features of the side to move, then of the other side, for each position.
    pub indices: Vec<i32>,
    /// `[2 × positions]`: start of each list in `indices`.
    pub offsets: Vec<i32>,
    /// Value of each of the indices; `None` if the set is binary.
    pub values: Option<Vec<f32>>,
    /// `[positions]`: centipawns for the side to move; NaN without a score.
    pub scores: Vec<f32>,
    /// `[positions]`: points of the side to move, 0, ½ or 1; NaN without a result.
    pub results: Vec<f32>,
    /// `[positions]`: output bucket.
    pub buckets: Vec<i64>,
}

impl Encoder<'_> {
    /// The samples that `pick` gives at a range of places, as flat lists.
    ///
    /// # Panics
    /// If there are more active features than 31 bits count.
    pub fn flat(&self, places: Range<u64>, pick: impl Fn(u64) -> Sample + Sync) -> FlatBatch {
        if self.features.is_valued() {
            flattened(&self.encoded(places, pick, |scene, side, list: &mut Vec<Weighted>| {
                self.features.active(scene, side, list);
            }))
        } else {
            flattened(&self.encoded(places, pick, |scene, side, list: &mut Vec<Feature>| {
                self.features.active(scene, side, list);
            }))
        }
    }
}

fn flattened<E: BatchEntry>(tasks: &[Encoded<E>]) -> FlatBatch {
    let scores = end_to_end(tasks, |task| &task.samples, score);
    let mut buckets = end_to_end(tasks, |task| &task.buckets, |&bucket| i64::from(bucket));
    // Nets of one bucket have no list of them.
    buckets.resize(scores.len(), 0);
    FlatBatch {
        indices: of_entries(tasks, |entry| entry.feature().0 as i32),
        offsets: offsets(tasks),
        values: E::VALUED.then(|| of_entries(tasks, |entry| entry.value())),
        results: end_to_end(tasks, |task| &task.samples, result),
        scores,
        buckets,
    }
}

fn score(sample: &Sample) -> f32 {
    match sample.score {
        Sample::NO_SCORE => f32::NAN,
        score => f32::from(score),
    }
}

fn result(sample: &Sample) -> f32 {
    match sample.result {
        result @ 0..Sample::UNKNOWN_RESULT => f32::from(result) / 2.0,
        _ => f32::NAN,
    }
}

/// A value of each active feature, by all threads.
fn of_entries<E: BatchEntry, T: Copy + Default + Send + Sync>(
    tasks: &[Encoded<E>],
    value: impl Fn(&E) -> T + Sync,
) -> Vec<T> {
    let lengths: Vec<usize> = tasks.iter().map(|task| task.entries.len()).collect();
    filled_by_lengths(&lengths, T::default(), tasks.par_iter(), |slots, task| {
        slots.iter_mut().zip(&task.entries).for_each(|(slot, entry)| *slot = value(entry));
    })
}

/// A value of each item in a list of all tasks. Lists of positions are too short to share out.
fn end_to_end<E, S, T>(
    tasks: &[Encoded<E>],
    list: impl Fn(&Encoded<E>) -> &[S],
    mut value: impl FnMut(&S) -> T,
) -> Vec<T> {
    let mut all = Vec::with_capacity(tasks.iter().map(|task| list(task).len()).sum());
    tasks.iter().for_each(|task| all.extend(list(task).iter().map(&mut value)));
    all
}

/// Start of each list.
fn offsets<E>(tasks: &[Encoded<E>]) -> Vec<i32> {
    let mut next = 0;
    let starts = end_to_end(
        tasks,
        |task| &task.lengths,
        |&length| {
            next += length;
            (next - length) as i32
        },
    );
    i32::try_from(next).expect("loaders bound the features of a batch");
    starts
}
