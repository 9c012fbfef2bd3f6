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
    let entries = |task: &Encoded<E>| task.entries.len();
    let samples = |task: &Encoded<E>| task.samples.len();
    let feature = |entry: &E| entry.feature().0 as i32;
    let mut buckets = joined(
        tasks,
        |task| task.buckets.len(),
        |task, slots| {
            copy(slots, &task.buckets, |&bucket| i64::from(bucket));
        },
    );
    let scores = joined(tasks, samples, |task, slots| copy(slots, &task.samples, score));
    // Nets of one bucket have no list of them.
    buckets.resize(scores.len(), 0);
    FlatBatch {
        indices: joined(tasks, entries, |task, slots| copy(slots, &task.entries, feature)),
        offsets: offsets(tasks),
        values: E::VALUED.then(|| {
            joined(tasks, entries, |task, slots| copy(slots, &task.entries, |e| e.value()))
        }),
        results: joined(tasks, samples, |task, slots| copy(slots, &task.samples, result)),
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

fn copy<S, T>(slots: &mut [T], from: &[S], value: impl Fn(&S) -> T) {
    slots.iter_mut().zip(from).for_each(|(slot, item)| *slot = value(item));
}

/// Values of all tasks, one task after the other.
fn joined<E: BatchEntry, T: Copy + Default + Send + Sync>(
    tasks: &[Encoded<E>],
    length: impl Fn(&Encoded<E>) -> usize,
    fill: impl Fn(&Encoded<E>, &mut [T]) + Sync,
) -> Vec<T> {
    let lengths: Vec<usize> = tasks.iter().map(length).collect();
    filled_by_lengths(&lengths, T::default(), tasks.par_iter(), |slots, task| fill(task, slots))
}

/// Start of each list.
fn offsets<E: BatchEntry>(tasks: &[Encoded<E>]) -> Vec<i32> {
    let mut end = 0;
    let starts: Vec<usize> = tasks
        .iter()
        .map(|task| {
            end += task.entries.len();
            end - task.entries.len()
        })
        .collect();
    i32::try_from(end).expect("loaders bound the features of a batch");
    let lengths: Vec<usize> = tasks.iter().map(|task| task.lengths.len()).collect();
    let beside = tasks.par_iter().zip(starts);
    filled_by_lengths(&lengths, 0, beside, |slots, (task, mut start)| {
        for (slot, length) in slots.iter_mut().zip(&task.lengths) {
            *slot = start as i32;
            start += length;
        }
    })
}
