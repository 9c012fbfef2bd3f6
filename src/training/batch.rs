//! From packed samples to the index lists that the network reads.
//!
//! Batches are built in parallel on the training threads while the previous
//! one is being learnt from; a thread that does nothing but wait and hand over
//! stays a few batches ahead. Which samples a batch holds is decided by its
//! place in the stream alone, so building order and thread count cannot show.

use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::loss::Target;
use super::shuffle::Shuffle;
use crate::chess::Scene;
use crate::data::Sample;
use crate::features::{Feature, FeatureSet};
use crate::network::sparse::PADDING;

/// Samples that one parallel task encodes.
const TASK_SAMPLES: usize = 256;

/// Batches that wait to be learnt from.
const AHEAD: usize = 2;

/// Positions as the network reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// `[2 × positions, width]`: the active features of the side to move, then
    /// of the other side, for each position; filled up with [`PADDING`].
    pub indices: Vec<i32>,
    /// The longest list in this batch.
    pub width: usize,
    /// Expected points of each position.
    pub targets: Vec<f32>,
}

impl Batch {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Encodes samples with a feature set.
#[derive(Clone, Copy, Debug)]
pub struct Encoder<'a> {
    /// The feature set.
    pub features: &'a FeatureSet,
    /// What to encode from.
    pub samples: &'a [Sample],
    /// What each sample is taught.
    pub target: Target,
}

/// Some samples, lists end to end.
#[derive(Default)]
struct Encoded {
    features: Vec<i32>,
    /// Length of each list, two per sample.
    lengths: Vec<usize>,
    targets: Vec<f32>,
}

impl Encoder<'_> {
    /// The batch of `count` samples whose indices `pick` gives.
    pub fn batch(&self, count: usize, pick: impl Fn(usize) -> usize + Sync) -> Batch {
        let tasks: Vec<Encoded> = (0..count.div_ceil(TASK_SAMPLES))
            .into_par_iter()
            .with_max_len(1)
            .map(|task| {
                let start = task * TASK_SAMPLES;
                self.encode((start..count.min(start + TASK_SAMPLES)).map(&pick))
            })
            .collect();
        pack(&tasks)
    }

    /// The batch at a range of places of a shuffled stream.
    pub fn shuffled(&self, shuffle: &Shuffle, places: Range<u64>) -> Batch {
        let count = (places.end - places.start) as usize;
        self.batch(count, |i| shuffle.at(places.start + i as u64))
    }

    /// Mean number of active features per perspective over some samples spread
    /// evenly; 0 without samples.
    pub fn mean_active(&self, count: usize) -> f64 {
        let count = count.min(self.samples.len());
        let encoded = self.encode((0..count).map(|i| i * self.samples.len() / count));
        encoded.features.len() as f64 / encoded.lengths.len().max(1) as f64
    }

    fn encode(&self, picks: impl Iterator<Item = usize>) -> Encoded {
        let mut encoded = Encoded::default();
        let mut active: Vec<Feature> = Vec::with_capacity(self.features.max_active());
        for sample in picks.map(|pick| &self.samples[pick]) {
            let (scene, turn) = (Scene::from(&sample.position), sample.position.turn());
            for perspective in [turn, !turn] {
                active.clear();
                self.features.active(&scene, perspective, &mut active);
                encoded.lengths.push(active.len());
                encoded.features.extend(active.iter().map(|feature| feature.0 as i32));
            }
            encoded.targets.push(self.target.of(sample));
        }
        encoded
    }
}

/// Lays lists of different lengths out as rows of equal width.
fn pack(tasks: &[Encoded]) -> Batch {
    let longest = tasks.iter().flat_map(|task| &task.lengths).max();
    let width = longest.copied().unwrap_or(0).max(1);
    let positions: usize = tasks.iter().map(|task| task.targets.len()).sum();
    let mut indices = vec![PADDING; 2 * positions * width];
    indices.par_chunks_mut(2 * TASK_SAMPLES * width).zip(tasks).for_each(|(rows, task)| {
        let mut rest = task.features.as_slice();
        for (row, &length) in rows.chunks_exact_mut(width).zip(&task.lengths) {
            let (list, tail) = rest.split_at(length);
            row[..length].copy_from_slice(list);
            rest = tail;
        }
    });
    let targets = tasks.iter().flat_map(|task| &task.targets).copied().collect();
    Batch { indices, width, targets }
}

/// The endless stream of batches of `size` from batch number `first` on. It
/// ends when the receiver is dropped.
pub fn stream<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    encoder: Encoder<'scope>,
    shuffle: Shuffle,
    size: usize,
    first: u64,
) -> Receiver<Batch> {
    let (sender, receiver) = sync_channel(AHEAD);
    scope.spawn(move || {
        for number in first.. {
            let places = number * size as u64..(number + 1) * size as u64;
            let batch = pool.install(|| encoder.shuffled(&shuffle, places));
            if sender.send(batch).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{PackedPosition, Position};
    use crate::training::TrainingConfig;
    use crate::training::tests::random_samples;

    fn encoder<'a>(features: &'a FeatureSet, samples: &'a [Sample]) -> Encoder<'a> {
        Encoder { features, samples, target: Target::new(&TrainingConfig::default()) }
    }

    #[test]
    fn rows_hold_the_side_to_move_first() {
        let features = FeatureSet::parse("ALL").unwrap();
        let fens = ["8/8/4k3/8/8/3KP3/8/8 b - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"];
        let positions = fens.map(|fen| Position::from_fen(fen).unwrap());
        let samples = positions.clone().map(|position| Sample {
            position: PackedPosition::pack(&position).unwrap(),
            score: 0,
            result: 3,
            reserved: 0,
        });
        let batch = encoder(&features, &samples).batch(2, |i| i);
        assert_eq!((batch.len(), batch.width), (2, 3));
        for (rows, position) in batch.indices.chunks(2 * batch.width).zip(&positions) {
            for (row, side) in rows.chunks(batch.width).zip([position.turn(), !position.turn()]) {
                let mut expected: Vec<Feature> = Vec::new();
                features.active(&Scene::from(position), side, &mut expected);
                let expected: Vec<i32> = expected.iter().map(|f| f.0 as i32).collect();
                assert_eq!(row, expected);
            }
        }
    }

    #[test]
    fn short_lists_are_padded_to_the_longest() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(600, 3);
        let batch = encoder(&features, &samples).batch(600, |i| 599 - i);
        let mut longest = 0;
        for (i, row) in batch.indices.chunks(batch.width).enumerate() {
            let pieces = samples[599 - i / 2].position.piece_count() as usize;
            longest = longest.max(pieces);
            assert!(row[..pieces].iter().all(|&f| (0..768).contains(&f)));
            assert!(row[pieces..].iter().all(|&f| f == PADDING));
        }
        assert_eq!(batch.width, longest);
    }

    #[test]
    fn the_stream_is_the_shuffle_and_can_begin_anywhere() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(100, 5);
        let encoder = encoder(&features, &samples);
        let shuffle = Shuffle::new(100, 9);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let take = |first: u64, count: usize| -> Vec<Batch> {
            std::thread::scope(|scope| {
                let receiver = stream(scope, &pool, encoder, shuffle, 48, first);
                receiver.iter().take(count).collect()
            })
        };
        let batches = take(0, 5);
        // Batch 2 spans the end of the first pass: places 96 to 144.
        let by_hand = encoder.batch(48, |i| shuffle.at(96 + i as u64));
        assert_eq!(batches[2], by_hand);
        assert_eq!(take(3, 2), batches[3..]);
    }
}
