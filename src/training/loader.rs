//! The loader by itself, for other trainers: batches in the order of `oplus train`, as flat lists.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::ThreadPool;

use super::TrainingConfig;
use super::batch::{Encoder, Example, FlatBatch, Listing, flat_stream};
use super::loss::Target;
use super::mixture::Mixture;
use super::noise::Noise;
use data::{Dataset, SampleView};
use features::FeatureSet;
use network::front::IndexForm;
use nnue::Buckets;

/// Capacity of the queues.
const WAITING: usize = 1;

/// Samples, features and order of a loader.
#[derive(Clone, Debug)]
pub struct BatchLoader {
    pub dataset: Arc<Dataset>,
    pub features: Arc<FeatureSet>,
    pub buckets: Buckets,
    /// Positions of a batch.
    pub batch: usize,
    pub seed: u64,
    pub pool: Arc<ThreadPool>,
}

/// Batches; an error of the disk is the last.
pub type FlatBatches = Receiver<io::Result<FlatBatch>>;

impl BatchLoader {
    /// Whether offsets of a batch may exceed 31 bits.
    pub fn is_too_large(&self) -> bool {
        let most = self.batch.saturating_mul(2).saturating_mul(self.features.max_active());
        i32::try_from(most).is_err()
    }

    /// The endless stream of training batches from number `first` on. Its threads end with the
    /// receiver.
    pub fn train(&self, first: u64) -> FlatBatches {
        self.in_background(move |loader, sender| loader.send_training(first, sender))
    }

    /// The held-out samples once, in file order; the last batch may be shorter.
    pub fn validation(&self) -> FlatBatches {
        self.in_background(Self::send_validation)
    }

    fn in_background(
        &self,
        work: impl FnOnce(&Self, &SyncSender<io::Result<FlatBatch>>) + Send + 'static,
    ) -> FlatBatches {
        let (sender, receiver) = sync_channel(WAITING);
        let loader = self.clone();
        std::thread::spawn(move || work(&loader, &sender));
        receiver
    }

    fn send_training(&self, first: u64, sender: &SyncSender<io::Result<FlatBatch>>) {
        let Dataset { train, stretches, .. } = &*self.dataset;
        let mixture = Mixture::new(train.len(), stretches, self.seed);
        std::thread::scope(|scope| {
            let encoder = self.encoder(train.into());
            let batches = flat_stream(scope, &self.pool, encoder, mixture, self.batch, first);
            for batch in batches {
                if sender.send(batch).is_err() {
                    break;
                }
            }
        });
    }

    fn send_validation(&self, sender: &SyncSender<io::Result<FlatBatch>>) {
        let encoder = self.encoder((&self.dataset.validation).into());
        let count = encoder.samples.len();
        for start in (0..count).step_by(self.batch) {
            let places = start as u64..count.min(start + self.batch) as u64;
            let pick = |place: u64| encoder.samples[place as usize];
            let batch = self.pool.install(|| encoder.flat(places, pick));
            if sender.send(Ok(batch)).is_err() {
                return;
            }
        }
    }

    fn encoder<'a>(&'a self, samples: SampleView<'a>) -> Encoder<'a> {
        Encoder {
            features: &self.features,
            buckets: &self.buckets,
            samples,
            // Flat lists have labels and no target.
            target: Target::last(&TrainingConfig::default()),
            example: Example::Position,
            noise: Noise::default(),
            listing: Listing::Rows(IndexForm::Word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random_samples;
    use rayon::ThreadPoolBuilder;

    fn loader(features: &str, threads: usize) -> BatchLoader {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (train, validation) = (random_samples(1_000, 3), random_samples(100, 4));
        let dataset =
            Dataset { train: train.into(), validation: validation.into(), ..Dataset::default() };
        BatchLoader {
            dataset: Arc::new(dataset),
            features: FeatureSet::parse(features).unwrap(),
            buckets: Buckets::by_pieces(8).unwrap(),
            batch: 300,
            seed: 7,
            pool: Arc::new(pool),
        }
    }

    fn first(batches: FlatBatches, count: usize) -> Vec<FlatBatch> {
        batches.iter().take(count).map(Result::unwrap).collect()
    }

    #[test]
    fn threads_and_start_change_no_batch() {
        let of = |threads, number, count| first(loader("H + PV", threads).train(number), count);
        let all = of(1, 0, 9);
        assert_eq!(all, of(3, 0, 9));
        assert_eq!(all[5..], of(2, 5, 4));
    }

    #[test]
    fn flat_lists_are_those_of_the_trainer() {
        let loader = loader("H + PV", 2);
        let samples = &loader.dataset.train;
        let mixture = Mixture::new(samples.len(), &[], loader.seed);
        let encoder = loader.encoder(samples.into());
        for (number, flat) in (0..).zip(first(loader.train(0), 5)) {
            let places = number * 300..(number + 1) * 300;
            let padded = encoder.mixed(&mixture, places.clone());
            let width = padded.lists().width;
            let ends = flat.offsets[1..].iter().copied().chain([flat.indices.len() as i32]);
            for ((start, end), row) in
                flat.offsets.iter().zip(ends).zip(padded.lists().indices.chunks(width))
            {
                let list = &flat.indices[*start as usize..end as usize];
                let (used, padding) = row.split_at(list.len());
                assert!(used == list && padding.iter().all(|&index| index < 0));
            }
            assert!(flat.buckets.iter().zip(&padded.buckets).all(|(&a, &b)| a == i64::from(b)));
            let scores = places.map(|place| f32::from(samples[mixture.at(place)].score));
            assert!(scores.eq(flat.scores.iter().copied()));
        }
    }

    #[test]
    fn held_out_samples_come_once_and_in_order() {
        let mut loader = loader("ALL", 2);
        loader.batch = 64;
        let batches: Vec<FlatBatch> = loader.validation().iter().map(Result::unwrap).collect();
        assert_eq!(batches.iter().map(|batch| batch.scores.len()).collect::<Vec<_>>(), [64, 36]);
        let scores = batches.iter().flat_map(|batch| &batch.scores);
        let expected = loader.dataset.validation.iter().map(|sample| f32::from(sample.score));
        assert!(scores.copied().eq(expected));
    }

    #[test]
    fn dropped_receivers_end_the_threads() {
        let loader = loader("ALL", 1);
        let weak = Arc::downgrade(&loader.dataset);
        drop(loader.train(0));
        drop(loader);
        for _ in 0..500 {
            if weak.upgrade().is_none() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("a thread still holds the samples");
    }
}
