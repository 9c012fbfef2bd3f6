//! From packed samples to the index lists that the network reads.
//!
//! Batches are built in parallel on the training threads while the previous
//! one is being learnt from; a thread that does nothing but wait and hand over
//! stays a few batches ahead. Which samples a batch holds is decided by its
//! place in the stream alone, so building order and thread count cannot show.
//!
//! Lists are encoded and laid out by code generic over their `Entry`: for a
//! binary set that is the index alone.

use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::loss::Target;
use super::mixture::Mixture;
use super::noise::{Dropout, Noise};
use super::read_ahead::ReadAhead;
use super::rival::RivalDraw;
use chess::{Color, Scene};
use data::Sample;
use features::{Feature, FeatureSet, Weighted};
use network::buffer::filled;
use network::front::{Inverse, PADDING};
use nnue::Buckets;

/// Samples that one parallel task encodes.
const TASK_SAMPLES: usize = 256;

/// Features per perspective for which a task makes room at once.
const USUAL_ACTIVE: usize = 32;

/// Batches that wait to be learnt from.
pub(super) const AHEAD: usize = 2;

/// Batches with inverses that are made at once.
const SIDE_BY_SIDE: u64 = 4;

/// Samples as the network reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// `[2 × positions, width]`: the active features of the side to move, then
    /// of the other side, for each position shown ([`Lesson`]); filled up with
    /// [`PADDING`].
    pub indices: Vec<i32>,
    /// `[2 × positions, width]`: the value of each of `indices`, 0 at padding;
    /// `None` if the set is binary.
    pub values: Option<Vec<f32>>,
    /// The longest list in this batch.
    pub width: usize,
    /// Which copy of the upper layers each position shown uses; empty where there is one.
    pub buckets: Vec<i32>,
    /// Expected points of each sample.
    pub targets: Vec<f32>,
    /// The rows of each feature, if the device wants them.
    pub inverse: Option<Inverse>,
}

impl Batch {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Which positions of a sample the network is shown, one after the other.
#[derive(Clone, Copy, Debug)]
pub enum Lesson {
    /// The position itself.
    Position,
    /// The position, that after the move played and that after a rival of it.
    /// Every sample must have a choice ([`Sample::has_choice`]).
    Ranking(RivalDraw),
}

/// Encodes samples with a feature set.
#[derive(Clone, Copy, Debug)]
pub struct Encoder<'a> {
    /// The feature set.
    pub features: &'a FeatureSet,
    /// What chooses the copy of the upper layers.
    pub buckets: &'a Buckets,
    /// What to encode from.
    pub samples: &'a [Sample],
    /// What each sample is taught.
    pub target: Target,
    /// What is shown of it.
    pub lesson: Lesson,
    /// What is changed of it at random; nothing, but for training.
    pub noise: Noise,
    /// Whether batches bring the inverse of their lists; see
    /// [`Compute::wants_inverse`](network::Compute::wants_inverse).
    pub inverse: bool,
}

/// What a feature set lists as active.
trait Entry: Copy + Send + Sync {
    /// Whether entries of this type carry values.
    const VALUED: bool;

    fn feature(self) -> Feature;

    /// What the feature's weights are multiplied by.
    fn value(self) -> f32;
}

impl Entry for Feature {
    const VALUED: bool = false;

    fn feature(self) -> Feature {
        self
    }

    fn value(self) -> f32 {
        1.0
    }
}

impl Entry for Weighted {
    const VALUED: bool = true;

    fn feature(self) -> Feature {
        self.feature
    }

    fn value(self) -> f32 {
        self.value
    }
}

/// Some samples, lists end to end.
struct Encoded<E> {
    entries: Vec<E>,
    /// Length of each list, two per position.
    lengths: Vec<usize>,
    buckets: Vec<i32>,
    targets: Vec<f32>,
}

impl Encoder<'_> {
    /// The batch of `count` samples whose indices `pick` gives.
    pub fn batch(&self, count: usize, pick: impl Fn(usize) -> usize + Sync) -> Batch {
        self.at(0..count as u64, |place| pick(place as usize))
    }

    /// The batch at a range of places of a shuffled stream.
    pub fn mixed(&self, mixture: &Mixture, places: Range<u64>) -> Batch {
        self.at(places, |place| mixture.at(place))
    }

    /// The batch at a range of places of the stream in which `pick` gives the
    /// index of the sample at a place.
    pub fn at(&self, places: Range<u64>, pick: impl Fn(u64) -> usize + Sync) -> Batch {
        let mut batch = self.lists(places, pick);
        if self.inverse {
            let Batch { indices, values, width, .. } = &batch;
            let inverse = Inverse::new(indices, values.as_deref(), *width, self.features.size());
            batch.inverse = Some(inverse);
        }
        batch
    }

    fn lists(&self, places: Range<u64>, pick: impl Fn(u64) -> usize + Sync) -> Batch {
        if self.features.is_valued() {
            self.batch_of_lists(places, pick, |scene, perspective, list: &mut Vec<Weighted>| {
                self.features.active(scene, perspective, list);
            })
        } else {
            self.batch_of_lists(places, pick, |scene, perspective, list: &mut Vec<Feature>| {
                self.features.active(scene, perspective, list);
            })
        }
    }

    /// Mean number of active features per perspective over some samples spread
    /// evenly, whatever is shown besides or left out; 0 without samples.
    pub fn mean_active(&self, count: usize) -> f64 {
        let count = count.min(self.samples.len());
        let alone = Self { lesson: Lesson::Position, noise: Noise::default(), ..*self };
        let batch = alone.batch(count, |i| i * self.samples.len() / count);
        let active = batch.indices.iter().filter(|&&index| index != PADDING).count();
        active as f64 / (2 * count).max(1) as f64
    }

    /// The batch of the lists that `active` appends for a perspective.
    fn batch_of_lists<E: Entry>(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> usize + Sync,
        active: impl Fn(&Scene, Color, &mut Vec<E>) + Sync,
    ) -> Batch {
        let count = (places.end - places.start) as usize;
        let tasks: Vec<Encoded<E>> = (0..count.div_ceil(TASK_SAMPLES))
            .into_par_iter()
            .with_max_len(1)
            .map(|task| {
                let start = places.start + (task * TASK_SAMPLES) as u64;
                let end = places.end.min(start + TASK_SAMPLES as u64);
                self.encode(start..end, &pick, &active)
            })
            .collect();
        pack(&tasks)
    }

    fn encode<E: Entry>(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> usize,
        active: impl Fn(&Scene, Color, &mut Vec<E>),
    ) -> Encoded<E> {
        // Fetched together, so that the memory answers many at a time.
        let picks = places.clone().map(pick);
        let samples: Vec<Sample> = picks.map(|pick| self.samples[pick]).collect();
        let positions = self.lesson.positions() * samples.len();
        let mut encoded = Encoded {
            entries: Vec::with_capacity(2 * USUAL_ACTIVE * positions),
            lengths: Vec::with_capacity(2 * positions),
            buckets: Vec::with_capacity(positions),
            targets: Vec::with_capacity(samples.len()),
        };
        for (place, sample) in places.zip(&samples) {
            let Sample { position, .. } = sample;
            let mut dropout = self.noise.dropout(place);
            let mut add = |scene: &Scene, turn| {
                encoded.add(scene, turn, self.buckets, &active, dropout.as_mut());
            };
            add(&Scene::from(position), position.turn());
            if let Lesson::Ranking(draw) = &self.lesson {
                let followers = draw.followers(sample, place);
                for position in followers.expect("jobs are refused samples without a choice") {
                    add(&Scene::from(&position), position.turn());
                }
            }
            encoded.targets.push(self.noise.target(self.target, place).of(sample));
        }
        encoded
    }
}

impl Lesson {
    /// Positions shown of a sample.
    fn positions(self) -> usize {
        match self {
            Lesson::Position => 1,
            Lesson::Ranking(_) => 3,
        }
    }
}

impl<E: Copy> Encoded<E> {
    /// Adds the lists of a position: of the side to move, then of the other; each without what
    /// is left out of it.
    fn add(
        &mut self,
        scene: &Scene,
        turn: Color,
        buckets: &Buckets,
        active: impl Fn(&Scene, Color, &mut Vec<E>),
        mut dropout: Option<&mut Dropout>,
    ) {
        if buckets.count() > 1 {
            self.buckets.push(buckets.of(scene, turn) as i32);
        }
        for perspective in [turn, !turn] {
            let before = self.entries.len();
            active(scene, perspective, &mut self.entries);
            if let Some(dropout) = &mut dropout {
                dropout.thin(&mut self.entries, before);
            }
            self.lengths.push(self.entries.len() - before);
        }
    }
}

fn pack<E: Entry>(tasks: &[Encoded<E>]) -> Batch {
    let longest = tasks.iter().flat_map(|task| &task.lengths).max();
    let width = longest.copied().unwrap_or(0).max(1);
    let indices = rows(tasks, width, PADDING, |entry| entry.feature().0 as i32);
    let values = E::VALUED.then(|| rows(tasks, width, 0.0, E::value));
    let buckets = tasks.iter().flat_map(|task| &task.buckets).copied().collect();
    let targets = tasks.iter().flat_map(|task| &task.targets).copied().collect();
    Batch { indices, values, width, buckets, targets, inverse: None }
}

/// Lays lists of different lengths out as rows of equal width, of what `of`
/// says of each entry.
fn rows<E: Entry, T: Copy + Send + Sync>(
    tasks: &[Encoded<E>],
    width: usize,
    padding: T,
    of: impl Fn(E) -> T + Sync,
) -> Vec<T> {
    let count: usize = tasks.iter().map(|task| task.lengths.len()).sum();
    // All tasks but the last have as many lists as the first.
    let of_task = tasks.first().map_or(0, |task| task.lengths.len());
    let piece = (of_task * width).max(1);
    filled(count * width, piece, padding, tasks.par_iter(), |rows, task| {
        let mut rest = task.entries.as_slice();
        for (row, &length) in rows.chunks_exact_mut(width).zip(&task.lengths) {
            let (list, tail) = rest.split_at(length);
            for (slot, &entry) in row.iter_mut().zip(list) {
                *slot = of(entry);
            }
            rest = tail;
        }
    })
}

/// The endless stream of batches of `size` from batch number `first` on, each
/// taught what `target` says of its number. It ends when the receiver is
/// dropped.
pub fn stream<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    pool: &'scope ThreadPool,
    encoder: Encoder<'scope>,
    target: impl Fn(u64) -> Target + Send + 'scope,
    mixture: Mixture,
    size: usize,
    first: u64,
) -> Receiver<Batch> {
    // Inverting lists keeps one thread busy for longer than a card takes for a step, and batches
    // can be inverted side by side.
    let at_once = if encoder.inverse { SIDE_BY_SIDE } else { 1 };
    let (sender, receiver) = sync_channel(AHEAD.max(at_once as usize));
    let mut reader = ReadAhead::new(scope, encoder.samples, mixture.clone());
    scope.spawn(move || {
        for start in (first..).step_by(at_once as usize) {
            reader.has_come_to(start * size as u64);
            let next = (start..start + at_once).map(|number| {
                let places = number * size as u64..(number + 1) * size as u64;
                (Encoder { target: target(number), ..encoder }, places)
            });
            let next: Vec<_> = next.collect();
            let batches: Vec<Batch> = pool.install(|| {
                next.into_par_iter().map(|(it, places)| it.mixed(&mixture, places)).collect()
            });
            if batches.into_iter().any(|batch| sender.send(batch).is_err()) {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrainingConfig;
    use crate::tests::{random_choices, random_samples};
    use chess::{PackedPosition, Position};
    use std::collections::BTreeMap;

    fn encoder<'a>(features: &'a FeatureSet, samples: &'a [Sample]) -> Encoder<'a> {
        let target = Target::last(&TrainingConfig::default());
        let buckets = &Buckets::Pieces(32);
        let (lesson, noise) = (Lesson::Position, Noise::default());
        Encoder { features, buckets, samples, target, lesson, noise, inverse: false }
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
            played: 0,
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
            assert_eq!(batch.buckets[i / 2] as usize, pieces - 1);
        }
        assert_eq!(batch.width, longest);
    }

    #[test]
    fn the_stream_is_the_shuffle_and_can_begin_anywhere() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(100, 5);
        let encoder = encoder(&features, &samples);
        let mixture = Mixture::even(100, 9);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let take = |first: u64, count: usize| -> Vec<Batch> {
            std::thread::scope(|scope| {
                let target = move |_| encoder.target;
                let receiver = stream(scope, &pool, encoder, target, mixture.clone(), 48, first);
                receiver.iter().take(count).collect()
            })
        };
        let batches = take(0, 5);
        // Batch 2 spans the end of the first pass: places 96 to 144.
        let by_hand = encoder.batch(48, |i| mixture.at(96 + i as u64));
        assert_eq!(batches[2], by_hand);
        assert_eq!(take(3, 2), batches[3..]);
    }

    #[test]
    fn the_inverse_comes_where_it_is_wanted() {
        let features = FeatureSet::parse("KING * ALL").unwrap();
        let samples = random_samples(100, 3);
        let encoder = encoder(&features, &samples);
        let batch = encoder.batch(100, |i| i);
        let inverse = Inverse::new(&batch.indices, None, batch.width, features.size());
        assert_eq!(
            Encoder { inverse: true, ..encoder }.batch(100, |i| i),
            Batch { inverse: Some(inverse), ..batch }
        );
    }

    /// Three positions a sample, in the order P, Q, R, over tasks and passes.
    #[test]
    fn a_ranking_shows_the_followers_too() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_choices(600, 7);
        let draw = RivalDraw::new(5);
        let alone = encoder(&features, &samples);
        let encoder = Encoder { lesson: Lesson::Ranking(draw), ..alone };
        let mixture = Mixture::even(600, 9);
        let batch = encoder.mixed(&mixture, 300..900);
        assert_eq!((batch.len(), batch.indices.len()), (600, 600 * 6 * batch.width));
        assert_eq!(batch.targets, alone.mixed(&mixture, 300..900).targets);
        for (place, rows) in (300..900).zip(batch.indices.chunks(6 * batch.width)) {
            let sample = &samples[mixture.at(place)];
            let [q, r] = draw.followers(sample, place).unwrap();
            let positions = [sample.position.unpack().unwrap(), q, r];
            let of_place = 3 * (place as usize - 300);
            let pieces = positions.each_ref().map(|p| p.board().occupied().count() as i32);
            assert_eq!(batch.buckets[of_place..of_place + 3], pieces.map(|pieces| pieces - 1));
            for (rows, position) in rows.chunks(2 * batch.width).zip(&positions) {
                for (row, side) in rows.chunks(batch.width).zip([position.turn(), !position.turn()])
                {
                    let mut expected: Vec<Feature> = Vec::new();
                    features.active(&Scene::from(position), side, &mut expected);
                    let active = row.iter().filter(|&&feature| feature != PADDING);
                    assert!(active.copied().eq(expected.iter().map(|f| f.0 as i32)), "{place}");
                }
            }
        }
        assert_eq!(encoder.mean_active(100), alone.mean_active(100), "arms begin alike");
    }

    fn half() -> Noise {
        Noise::new(&TrainingConfig { feature_dropout: 0.5, ..Default::default() }, 3)
    }

    /// The lists of a batch, in ascending order.
    fn lists(batch: &Batch) -> Vec<Vec<i32>> {
        let list = |row: &[i32]| {
            let mut list: Vec<i32> = row.iter().copied().filter(|&it| it != PADDING).collect();
            list.sort_unstable();
            list
        };
        batch.indices.chunks(batch.width).map(list).collect()
    }

    #[test]
    fn features_are_left_out_of_each_perspective_by_itself() {
        let features = FeatureSet::parse("ALL").unwrap();
        // The same position again and again: a symmetric one, whose perspectives see the same.
        let start = PackedPosition::pack(&Position::default()).unwrap();
        let samples = [Sample { position: start, score: 0, result: 1, played: 0 }; 600];
        let all = encoder(&features, &samples);
        let full = lists(&all.batch(600, |i| i));
        assert_eq!(full[0], full[1]);
        let noisy = Encoder { noise: half(), ..all };
        let batch = noisy.batch(600, |i| i);
        let thinned = lists(&batch);
        let kept: usize = thinned.iter().map(Vec::len).sum();
        let expected = full.iter().map(Vec::len).sum::<usize>() as f64 / 2.0;
        assert!((kept as f64 / expected - 1.0).abs() < 0.03, "{kept} of {expected}");
        for (thinned, full) in thinned.iter().zip(&full) {
            assert!(thinned.iter().all(|feature| full.contains(feature)));
        }
        let pairs = || thinned.chunks(2).filter(|pair| pair[0] == pair[1]);
        assert_eq!(pairs().count(), 0, "two lists of 32 in 2^32 are the same");
        // Wherever a batch begins, the places decide.
        assert_eq!(lists(&noisy.at(100..200, |i| i as usize)), thinned[200..400]);
        assert_eq!(batch.targets, all.batch(600, |i| i).targets);
    }

    #[test]
    fn values_and_inverse_lists_are_those_of_what_is_left() {
        let samples = random_samples(300, 3);
        for text in ["KING * ALL", "LEORIK-18"] {
            let features = FeatureSet::parse(text).unwrap();
            let all = encoder(&features, &samples);
            let full = all.batch(300, |i| i);
            let batch = Encoder { noise: half(), inverse: true, ..all }.batch(300, |i| i);
            let values = batch.values.as_deref();
            let inverse = Inverse::new(&batch.indices, values, batch.width, features.size());
            assert_eq!(batch.inverse, Some(inverse), "{text}");
            let Some(values) = values else { continue };
            let rows = batch.indices.chunks(batch.width).zip(values.chunks(batch.width));
            let whole = full.values.as_deref().unwrap().chunks(full.width);
            for ((indices, values), full) in rows.zip(full.indices.chunks(full.width).zip(whole)) {
                let of: BTreeMap<i32, f32> =
                    full.0.iter().copied().zip(full.1.iter().copied()).collect();
                let mut entries = indices.iter().zip(values);
                assert!(entries.all(|(index, value)| *index == PADDING || of[index] == *value));
            }
        }
    }

    #[test]
    fn a_mean_of_active_features_is_of_all() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(300, 3);
        let all = encoder(&features, &samples);
        assert_eq!(Encoder { noise: half(), ..all }.mean_active(300), all.mean_active(300));
    }

    /// The features of a set, the `i`-th of a list worth `i + ½`.
    fn valued_batch(encoder: &Encoder<'_>, count: usize) -> Batch {
        let active = |scene: &Scene, perspective, list: &mut Vec<Weighted>| {
            let mut features: Vec<Feature> = Vec::new();
            encoder.features.active(scene, perspective, &mut features);
            let valued = |(i, feature)| Weighted { feature, value: i as f32 + 0.5 };
            list.extend(features.into_iter().enumerate().map(valued));
        };
        encoder.batch_of_lists(0..count as u64, |place| place as usize, active)
    }

    #[test]
    fn values_lie_beside_their_indices() {
        let features = FeatureSet::parse("ALL").unwrap();
        let samples = random_samples(600, 3);
        let encoder = encoder(&features, &samples);
        let (batch, binary) = (valued_batch(&encoder, 600), encoder.batch(600, |i| i));
        assert_eq!((&batch.indices, batch.width), (&binary.indices, binary.width));
        assert_eq!((batch.targets, binary.values), (binary.targets, None));
        let values = batch.values.unwrap();
        assert_eq!(values.len(), batch.indices.len());
        for (indices, values) in batch.indices.chunks(batch.width).zip(values.chunks(batch.width)) {
            for (i, (&index, &value)) in indices.iter().zip(values).enumerate() {
                assert_eq!(value, if index == PADDING { 0.0 } else { i as f32 + 0.5 });
            }
        }
    }

    #[test]
    fn a_valued_batch_is_one_even_without_positions() {
        let features = FeatureSet::parse("ALL").unwrap();
        let encoder = encoder(&features, &[]);
        assert_eq!(valued_batch(&encoder, 0).values, Some(Vec::new()));
        assert_eq!(encoder.batch(0, |i| i).values, None);
        assert_eq!(encoder.mean_active(1000), 0.0);
    }
}
