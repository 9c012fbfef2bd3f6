//! From packed samples to the index lists that the network reads.
//!
//! Lists are encoded and laid out by code generic over their `BatchEntry`: for a
//! binary set that is the index alone.

mod flat;
mod positions;
mod stream;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;

use super::loss::Target;
use super::mixture::Mixture;
use super::negative::NegativeSampler;
use super::noise::{Dropout, Noise};
use chess::{Color, Scene};
use data::{Sample, SampleView};
use features::{Feature, FeatureSet, KingGroups, Weighted};
use network::Compute;
use network::buffer::filled_by_lengths;
use network::front::{IndexForm, IndexRows, Inverse, MOST_MARKED, PADDING, RowOrder};
use nnue::Buckets;

pub use flat::FlatBatch;
pub use stream::stream;
pub(crate) use stream::{Ahead, flat_stream};

/// Samples that one parallel task encodes.
const TASK_SAMPLES: usize = 256;

/// Features per perspective for which a task makes room at once.
const USUAL_ACTIVE: usize = 32;

/// Samples as the network reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Active features of the positions of its examples, or these positions.
    pub active: Active,
    /// Output bucket of each position; empty with one bucket.
    pub buckets: Vec<i32>,
    /// Expected points of each sample.
    pub targets: Vec<f32>,
}

/// Active features, or the positions that a device finds them in.
#[derive(Clone, Debug, PartialEq)]
pub enum Active {
    /// Listed by the loader.
    Lists(Lists),
    /// For a graphics card that finds the features by itself.
    Positions(BatchPositions),
}

/// Some positions as a graphics card reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchPositions {
    /// Samples as words of 32 bits, [`POSITION_WORDS`](network::front::POSITION_WORDS) each.
    pub words: Vec<i32>,
    /// Their rows by group of the own king, if the set has several groups.
    pub order: Option<RowOrder>,
}

/// The active features of some positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Lists {
    /// `[2 × positions, words]`: the active features of the side to move, then
    /// of the other side, for each position; filled up with [`PADDING`].
    pub indices: Vec<i32>,
    /// Form of the indices in these words.
    pub form: IndexForm,
    /// `[2 × positions, width]`: the value of each of the indices, 0 at padding;
    /// `None` if the set is binary.
    pub values: Option<Vec<f32>>,
    /// The longest list in this batch, in whole words.
    pub width: usize,
    /// The rows of each feature, if the device needs them.
    pub inverse: Option<Inverse>,
}

impl Lists {
    pub fn rows(&self) -> IndexRows<'_> {
        IndexRows { words: &self.indices, width: self.width, form: self.form }
    }
}

/// The place where active features are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The loader, row by row.
    Rows(IndexForm),
    /// The loader, row by row and feature by feature.
    RowsAndInverse(IndexForm),
    /// A graphics card, with the groups of the own king's squares.
    OnCard(KingGroups),
}

impl Listing {
    /// The best for a device. A card finds features that are a sum over pieces, where it finds
    /// the rows of each too and nothing is left out at random.
    pub fn of(compute: Compute, features: &FeatureSet, example: Example, noise: Noise) -> Self {
        let is_plain = matches!(example, Example::Position) && !noise.leaves_out();
        let groups = (compute.is_gpu() && is_plain).then(|| groups_for_card(features));
        if let Some(groups) = groups.flatten() {
            return Self::OnCard(groups);
        }
        let form = compute.index_form(features.size());
        match compute.wants_inverse(features.size(), features.is_valued()) {
            true => Self::RowsAndInverse(form),
            false => Self::Rows(form),
        }
    }
}

/// The groups of a set whose features a card finds.
fn groups_for_card(features: &FeatureSet) -> Option<KingGroups> {
    let tables = features.piece_tables()?;
    let groups = tables.king_groups();
    // Without groups, features that no piece makes true have marks too.
    let largest = match groups.count() {
        1 => features.size(),
        _ => tables.largest_group(&groups),
    };
    (largest <= MOST_MARKED).then_some(groups)
}

impl Batch {
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The same with the inverse of its lists, if it has any.
    fn with_inverse(mut self, inverse: Inverse) -> Self {
        if let Active::Lists(lists) = &mut self.active {
            lists.inverse = Some(inverse);
        }
        self
    }

    /// The lists of the loader.
    ///
    /// # Panics
    /// If a card finds them.
    pub fn lists(&self) -> &Lists {
        match &self.active {
            Active::Lists(lists) => lists,
            Active::Positions(_) => panic!("lists of a batch that a card lists"),
        }
    }
}

/// The positions of a training example.
#[derive(Clone, Copy, Debug)]
pub enum Example {
    /// The sample's position.
    Position,
    /// The sample's position, the one after the move played and the one after a negative move.
    /// Every sample must have a choice ([`Sample::has_choice`]).
    Triplet(NegativeSampler),
}

/// Encodes samples with a feature set.
#[derive(Clone, Copy, Debug)]
pub struct Encoder<'a> {
    pub features: &'a FeatureSet,
    pub buckets: &'a Buckets,
    pub samples: SampleView<'a>,
    pub target: Target,
    pub example: Example,
    /// None, but for training.
    pub noise: Noise,
    pub listing: Listing,
}

/// An active feature, with its value in a valued set.
trait BatchEntry: Copy + Send + Sync {
    /// Whether entries of this type carry values.
    const VALUED: bool;

    fn feature(self) -> Feature;

    fn value(self) -> f32;
}

impl BatchEntry for Feature {
    const VALUED: bool = false;

    fn feature(self) -> Feature {
        self
    }

    fn value(self) -> f32 {
        1.0
    }
}

impl BatchEntry for Weighted {
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
    longest: usize,
    buckets: Vec<i32>,
    targets: Vec<f32>,
    /// Those of the lists.
    samples: Vec<Sample>,
}

impl Encoder<'_> {
    /// The batch of `count` samples whose indices `pick` gives.
    pub fn batch(&self, count: usize, pick: impl Fn(usize) -> usize + Sync) -> Batch {
        self.at(0..count as u64, |place| self.samples[pick(place as usize)])
    }

    /// The batch at a range of places of a shuffled stream.
    pub fn mixed(&self, mixture: &Mixture, places: Range<u64>) -> Batch {
        self.at(places, |place| self.samples[mixture.at(place)])
    }

    /// The batch at a range of places of the stream in which `pick` gives the
    /// sample at a place.
    pub fn at(&self, places: Range<u64>, pick: impl Fn(u64) -> Sample + Sync) -> Batch {
        match self.listing {
            Listing::OnCard(groups) => self.positions(places, pick, groups),
            Listing::Rows(form) => self.lists(form, places, pick),
            Listing::RowsAndInverse(form) => {
                let batch = self.lists(form, places, pick);
                let lists = batch.lists();
                let values = lists.values.as_deref();
                let inverse = Inverse::new(lists.rows(), values, self.features.size());
                batch.with_inverse(inverse)
            }
        }
    }

    fn lists(
        &self,
        form: IndexForm,
        places: Range<u64>,
        pick: impl Fn(u64) -> Sample + Sync,
    ) -> Batch {
        if self.features.is_valued() {
            let tasks =
                self.encoded(places, pick, |scene, perspective, list: &mut Vec<Weighted>| {
                    self.features.active(scene, perspective, list);
                });
            pack(&tasks, form)
        } else {
            let tasks =
                self.encoded(places, pick, |scene, perspective, list: &mut Vec<Feature>| {
                    self.features.active(scene, perspective, list);
                });
            pack(&tasks, form)
        }
    }

    /// Mean number of active features per perspective over some samples spread
    /// evenly, without dropout; 0 without samples.
    pub fn mean_active(&self, count: usize) -> f64 {
        let count = count.min(self.samples.len());
        let (example, noise, listing) =
            (Example::Position, Noise::default(), Listing::Rows(IndexForm::Word));
        let alone = Self { example, noise, listing, ..*self };
        let batch = alone.batch(count, |i| i * self.samples.len() / count);
        let active = batch.lists().indices.iter().filter(|&&index| index != PADDING).count();
        active as f64 / (2 * count).max(1) as f64
    }

    /// The lists that `active` appends for a perspective, task by task.
    fn encoded<E: BatchEntry>(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> Sample + Sync,
        active: impl Fn(&Scene, Color, &mut Vec<E>) + Sync,
    ) -> Vec<Encoded<E>> {
        let count = (places.end - places.start) as usize;
        (0..count.div_ceil(TASK_SAMPLES))
            .into_par_iter()
            .with_max_len(1)
            .map(|task| {
                let start = places.start + (task * TASK_SAMPLES) as u64;
                let end = places.end.min(start + TASK_SAMPLES as u64);
                self.encode(start..end, &pick, &active)
            })
            .collect()
    }

    fn encode<E: BatchEntry>(
        &self,
        places: Range<u64>,
        pick: impl Fn(u64) -> Sample,
        active: impl Fn(&Scene, Color, &mut Vec<E>),
    ) -> Encoded<E> {
        // Fetched together, so that the memory answers many at a time.
        let samples: Vec<Sample> = places.clone().map(pick).collect();
        let positions = self.example.positions() * samples.len();
        let mut encoded = Encoded {
            entries: Vec::with_capacity(2 * USUAL_ACTIVE * positions),
            lengths: Vec::with_capacity(2 * positions),
            longest: 0,
            buckets: Vec::with_capacity(positions),
            targets: Vec::with_capacity(samples.len()),
            samples: Vec::new(),
        };
        for (place, sample) in places.zip(&samples) {
            let Sample { position, .. } = sample;
            let mut dropout = self.noise.dropout(place);
            let mut add = |scene: &Scene, turn| {
                encoded.add(scene, turn, self.buckets, &active, dropout.as_mut());
            };
            add(&Scene::from(position), position.turn());
            if let Example::Triplet(draw) = &self.example {
                let followers = draw.followers(sample, place);
                for position in followers.expect("jobs are refused samples without a choice") {
                    add(&Scene::from(&position), position.turn());
                }
            }
            encoded.targets.push(self.target.of(sample));
        }
        encoded.samples = samples;
        encoded
    }
}

impl Example {
    fn positions(self) -> usize {
        match self {
            Example::Position => 1,
            Example::Triplet(_) => 3,
        }
    }
}

impl<E: Copy> Encoded<E> {
    /// Adds the lists of a position: of the side to move, then of the other; each thinned by
    /// dropout.
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
            let length = self.entries.len() - before;
            self.lengths.push(length);
            self.longest = self.longest.max(length);
        }
    }
}

fn pack<E: BatchEntry>(tasks: &[Encoded<E>], form: IndexForm) -> Batch {
    let longest = tasks.iter().map(|task| task.longest).max();
    let words = longest.unwrap_or(0).max(1).div_ceil(form.of_word());
    let width = words * form.of_word();
    let indices = rows(tasks, words, PADDING, |row, list| {
        form.write(row, list.iter().map(|entry| entry.feature().0));
    });
    let values = E::VALUED.then(|| {
        rows(tasks, width, 0.0, |row, list| {
            row.iter_mut().zip(list).for_each(|(slot, entry)| *slot = entry.value());
        })
    });
    let buckets = end_to_end(tasks, |task| &task.buckets);
    let targets = end_to_end(tasks, |task| &task.targets);
    let active = Active::Lists(Lists { indices, form, values, width, inverse: None });
    Batch { active, buckets, targets }
}

/// A field of all tasks, one after the other.
fn end_to_end<E: BatchEntry, T: Copy + Default + Send + Sync>(
    tasks: &[Encoded<E>],
    own: impl Fn(&Encoded<E>) -> &[T] + Sync,
) -> Vec<T> {
    let lengths: Vec<usize> = tasks.iter().map(|task| own(task).len()).collect();
    filled_by_lengths(&lengths, T::default(), tasks.par_iter(), |slots, task| {
        slots.copy_from_slice(own(task));
    })
}

/// Lays lists of different lengths out as rows of equal width, each written by `write` over padding.
fn rows<E: BatchEntry, T: Copy + Send + Sync>(
    tasks: &[Encoded<E>],
    width: usize,
    padding: T,
    write: impl Fn(&mut [T], &[E]) + Sync,
) -> Vec<T> {
    let lengths: Vec<usize> = tasks.iter().map(|task| task.lengths.len() * width).collect();
    filled_by_lengths(&lengths, padding, tasks.par_iter(), |rows, task| {
        let mut rest = task.entries.as_slice();
        for (row, &length) in rows.chunks_exact_mut(width).zip(&task.lengths) {
            let (list, tail) = rest.split_at(length);
            write(row, list);
            rest = tail;
        }
    })
}
