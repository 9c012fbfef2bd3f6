//! Counts and hash over all samples of a data set, in one pass.
//!
//! Samples may be more than the memory holds, and then each pass reads a disk from end to end.

use std::ops::ControlFlow;

use cardinality_estimator::CardinalityEstimator;
use rayon::prelude::*;

use crate::samples::mixture::{Stretch, Weight};
use crate::samples::sample::Sample;
use crate::samples::store::will_be_read;
use chess::PackedPosition;

/// Samples between two reports of progress.
const STEP: usize = 1 << 20;

/// Samples that a thread counts at a time.
const CHUNK: usize = 1 << 15;

/// The estimate of different positions, off by some 0.8 %: 2¹⁴ registers.
type Different = CardinalityEstimator<[u8; PackedPosition::BOARD_AND_TURN], wyhash::WyHash, 14>;

#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Of the samples of both sides.
    hasher: blake3::Hasher,
    /// Of the samples to train on.
    pub census: Census,
    /// Samples of both sides without the move played.
    pub without_choice: u64,
    /// Different positions among those to train on, board and side to move, to about 1 %.
    pub distinct: u64,
}

/// Samples by their labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub samples: u64,
    pub scored: u64,
    /// Those with the result of their game.
    pub decided: u64,
    pub neither: u64,
    /// Those with a half-move clock above 0.
    pub clocked: u64,
}

impl Inventory {
    /// Of samples to train on and others that validate.
    pub fn of(train: &[Sample], validation: &[Sample]) -> Self {
        match Self::watched(train, validation, &mut |_| ControlFlow::Continue(())) {
            ControlFlow::Continue(inventory) | ControlFlow::Break(inventory) => inventory,
        }
    }

    /// The same; `watch` gets the number of samples counted so far, and may end it early.
    pub fn watched(
        train: &[Sample],
        validation: &[Sample],
        watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<Self, Self> {
        let mut inventory = Self::default();
        inventory.hasher.update(&(train.len() as u64).to_le_bytes());
        let (mut different, mut seen) = (Different::default(), 0);
        let mut steps = train.chunks(STEP).map(|step| (step, true)).peekable();
        let mut others = validation.chunks(STEP).map(|step| (step, false)).peekable();
        while let Some((step, trains)) = steps.next().or_else(|| others.next()) {
            if let Some((next, _)) = steps.peek().or_else(|| others.peek()) {
                will_be_read(next);
            }
            inventory.hasher.update_rayon(bytemuck::cast_slice(step));
            let counts = step.par_chunks(CHUNK).map(|chunk| Count::of(chunk, trains));
            // An estimate depends on the order in which others join it; so they are joined as
            // they stand, and not as threads are done with them.
            let counts: Vec<Count> = counts.collect();
            let Count { census, without_choice, positions } =
                counts.into_iter().fold(Count::default(), Count::joined);
            inventory.census = inventory.census.joined(census);
            inventory.without_choice += without_choice;
            different.merge(&positions);
            seen += step.len();
            if watch(seen).is_break() {
                return ControlFlow::Break(inventory);
            }
        }
        inventory.distinct = different.estimate() as u64;
        ControlFlow::Continue(inventory)
    }

    /// Hash of the samples, of their split and of their weights: the inputs of a training run, and
    /// the identity of data sets in the cache, in names of runs and in checkpoints.
    pub fn hash(&self, stretches: &[Stretch]) -> blake3::Hash {
        let mut hasher = self.hasher.clone();
        if stretches.iter().any(|stretch| stretch.weight != Weight::ONE) {
            for Stretch { samples, weight } in stretches {
                hasher.update(&(*samples as u64).to_le_bytes());
                hasher.update(&f64::from(*weight).to_le_bytes());
            }
        }
        hasher.finalize()
    }
}

/// Two of the same samples are the same.
impl PartialEq for Inventory {
    fn eq(&self, other: &Self) -> bool {
        self.hash(&[]) == other.hash(&[])
    }
}

impl Census {
    fn joined(self, other: Self) -> Self {
        Self {
            samples: self.samples + other.samples,
            scored: self.scored + other.scored,
            decided: self.decided + other.decided,
            neither: self.neither + other.neither,
            clocked: self.clocked + other.clocked,
        }
    }
}

/// Counts over some samples.
#[derive(Default)]
struct Count {
    census: Census,
    without_choice: u64,
    positions: Different,
}

impl Count {
    /// Of validation samples only the counts of both sides.
    fn of(samples: &[Sample], trains: bool) -> Self {
        let mut count = Self::default();
        for sample in samples {
            count.without_choice += u64::from(!sample.has_choice());
            if trains {
                let scored = sample.score != Sample::NO_SCORE;
                let decided = sample.result < Sample::UNKNOWN_RESULT;
                count.census.samples += 1;
                count.census.scored += u64::from(scored);
                count.census.decided += u64::from(decided);
                count.census.neither += u64::from(!scored && !decided);
                count.census.clocked += u64::from(sample.position.halfmoves() > 0);
                count.positions.insert(&sample.position.board_and_turn());
            }
        }
        count
    }

    fn joined(mut self, other: Self) -> Self {
        self.positions.merge(&other.positions);
        let without_choice = self.without_choice + other.without_choice;
        Self { census: self.census.joined(other.census), without_choice, ..self }
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use chess::Position;

    fn numbered(range: std::ops::Range<u32>) -> Vec<Sample> {
        let sample = |n: u32| {
            let fen = format!("4k3/8/8/8/8/8/8/4K3 {} - - 0 {}", ["w", "b"][n as usize % 2], n + 1);
            let position = Position::from_fen(&fen).unwrap();
            let position = PackedPosition::pack(&position).unwrap();
            Sample { position, score: n as i16, ..Sample::zeroed() }
        };
        range.map(sample).collect()
    }

    #[test]
    fn the_hash_tells_samples_sides_and_weights_apart() {
        let samples = numbered(0..40);
        let (train, validation) = samples.split_at(30);
        let hash = Inventory::of(train, validation).hash(&[]);
        assert_eq!(hash, Inventory::of(train, validation).hash(&[]));
        let others = [
            Inventory::of(&samples[..29], &samples[29..]).hash(&[]),
            Inventory::of(&samples, &[]).hash(&[]),
            Inventory::of(train, &samples[31..]).hash(&[]),
            Inventory::of(validation, train).hash(&[]),
        ];
        assert!(others.iter().all(|other| *other != hash));
        let weighed = |weight| {
            let stretches = [Stretch { samples: 30, weight: Weight::try_from(weight).unwrap() }];
            Inventory::of(train, validation).hash(&stretches)
        };
        assert_eq!(weighed(1.0), hash);
        assert!(weighed(0.5) != hash && weighed(0.5) != weighed(2.0));
    }

    #[test]
    fn samples_are_counted_by_what_is_known_of_them() {
        let mut samples = numbered(0..10);
        samples[0].score = Sample::NO_SCORE;
        samples[1].result = Sample::UNKNOWN_RESULT;
        (samples[2].score, samples[2].result) = (Sample::NO_SCORE, Sample::UNKNOWN_RESULT);
        samples[9].played = 1;
        let Inventory { census, without_choice, .. } = Inventory::of(&samples[..6], &samples[6..]);
        assert_eq!(census, Census { samples: 6, scored: 4, decided: 4, neither: 1, clocked: 0 });
        assert_eq!(without_choice, 9);
    }

    #[test]
    fn positions_count_once_whenever_they_come_up() {
        let distinct = |samples: &[Sample]| Inventory::of(samples, &[]).distinct;
        assert_eq!(distinct(&numbered(0..2_000)), 2, "one board, either side to move");
        let games = (0..300).flat_map(|seed| {
            let mut positions = Vec::new();
            let game = chess::random_game::random_game(seed, 100);
            crate::CandidatePosition::visit(&game, |one| positions.push(Sample::new(one).unwrap()));
            positions
        });
        let mut samples: Vec<Sample> = games.collect();
        let keys = samples.iter().map(|sample| sample.position.board_and_turn());
        let exact = keys.collect::<std::collections::HashSet<_>>().len() as f64;
        samples.extend_from_within(..);
        let estimate = distinct(&samples) as f64;
        assert!((estimate / exact - 1.0).abs() < 0.03, "{estimate} for {exact}");
    }

    /// Any bytes are a board here.
    fn noise(count: usize) -> Vec<Sample> {
        let mut samples = vec![Sample::zeroed(); count];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut samples);
        blake3::Hasher::new().finalize_xof().fill(bytes);
        samples
    }

    #[test]
    fn any_number_of_threads_finds_the_same() {
        let samples = noise(3 * STEP / 2);
        let distinct = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Inventory::of(&samples, &[]).distinct)
        };
        let alone = distinct(1);
        for threads in 2..=8 {
            assert_eq!(distinct(threads), alone, "{threads} threads");
        }
    }

    #[test]
    fn it_can_be_watched_and_ended() {
        let samples = numbered(0..10);
        let mut seen = Vec::new();
        let mut watch = |at| {
            seen.push(at);
            ControlFlow::Continue(())
        };
        assert!(Inventory::watched(&samples[..6], &samples[6..], &mut watch).is_continue());
        assert_eq!(seen, [6, 10]);
        let mut watch = |_| ControlFlow::Break(());
        assert!(Inventory::watched(&samples[..6], &samples[6..], &mut watch).is_break());
    }
}
