//! How fast the loader alone builds batches, on one thread and on several.

use std::time::{Duration, Instant};

use rayon::ThreadPool;

use crate::bench::train::{BenchSetting, SEED, places};
use training::batch::{Encoder, Listing};
use training::mixture::Mixture;

/// The time of a batch on one thread and on several.
#[derive(Clone, Copy, Debug)]
pub struct LoaderCost {
    /// On one thread.
    pub alone: Duration,
    /// On all threads.
    pub together: Duration,
    pub threads: usize,
}

impl LoaderCost {
    /// How many times as fast all threads are as one.
    pub fn speed_up(&self) -> f64 {
        self.alone.as_secs_f64() / self.together.as_secs_f64()
    }

    /// The share of a batch that only one thread works on, by Amdahl's law: it is the `s` of
    /// `together = alone × (s + (1 − s) / threads)`. `None` where there is one thread.
    pub fn serial_fraction(&self) -> Option<f64> {
        let threads = self.threads as f64;
        let fraction = (threads / self.speed_up() - 1.0) / (threads - 1.0);
        (self.threads > 1).then_some(fraction.clamp(0.0, 1.0))
    }
}

/// Builds the batches of a setting `rounds` times by turns on one thread and on all, with such
/// lists; the fastest count, since other work only slows.
pub fn time(
    setting: BenchSetting<'_>,
    listing: Listing,
    alone: &ThreadPool,
    all: &ThreadPool,
    rounds: usize,
) -> LoaderCost {
    let encoder = Encoder { listing, ..setting.encoder() };
    let mixture = Mixture::even(setting.samples.len(), SEED);
    let batch = |batch| {
        let start = Instant::now();
        drop(encoder.mixed(&mixture, places(batch, setting.batch)));
        start.elapsed()
    };
    let fastest = |pool: &ThreadPool| pool.install(|| (0..setting.batches).map(batch).min());
    let mut cost = LoaderCost {
        alone: Duration::MAX,
        together: Duration::MAX,
        threads: all.current_num_threads(),
    };
    for _ in 0..rounds {
        cost.alone = cost.alone.min(fastest(alone).unwrap_or(Duration::MAX));
        cost.together = cost.together.min(fastest(all).unwrap_or(Duration::MAX));
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(alone: u64, together: u64, threads: usize) -> LoaderCost {
        let time = Duration::from_millis;
        LoaderCost { alone: time(alone), together: time(together), threads }
    }

    #[test]
    fn what_is_serial_follows_from_the_speed_up() {
        // 20 ms of 100 on one thread, and a quarter of the rest.
        let some = cost(100, 40, 4);
        assert_eq!(some.speed_up(), 2.5);
        assert!((some.serial_fraction().unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(cost(100, 25, 4).serial_fraction(), Some(0.0));
        assert_eq!(cost(100, 120, 4).serial_fraction(), Some(1.0));
        assert_eq!(cost(100, 100, 1).serial_fraction(), None);
    }
}
