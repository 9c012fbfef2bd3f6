//! A small job, and ways to run it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::loss::Pqr;
use crate::{
    EpochMetrics, Method, Optimiser, Progress, Schedule, TrainedNet, TrainingConfig, TrainingError,
    TrainingJob, TrainingOutcome, WeightDecay, train,
};
use data::Sample;
use features::FeatureSet;
use nnue::Layers;

pub(super) fn layers(line: &str) -> Layers {
    line.parse().unwrap()
}

/// Every other kind of net.
pub(crate) fn other_layers() -> [Layers; 8] {
    [
        "1",
        "16 -> 1",
        "16 screlu -> 1, buckets 4",
        "16 screlu -> 8 screlu -> 1",
        "16 -> 8 -> 1, buckets 8",
        "32 pairwise -> 16 dual -> 8 -> 1, buckets 8, psqt",
        "16 -> 7 + skip -> 1, psqt",
        "16 pairwise -> 1, buckets king(FILES)",
    ]
    .map(layers)
}

/// A small job: 3 epochs of 7 batches, and 1.4 passes over the data in all.
pub(super) fn job<'a>(samples: &'a [Sample], dir: &'a Path) -> TrainingJob<'a> {
    let (train, validation) = samples.split_at(samples.len() * 3 / 4);
    TrainingJob {
        features: FeatureSet::parse("ALL").unwrap(),
        layers: layers("16 -> 8 -> 1"),
        seed: 1,
        start: None,
        config: TrainingConfig {
            threads: 1,
            epochs: 3,
            positions_per_epoch: 7 * 200,
            batch: 200,
            learning_rate: 2e-3,
            ..Default::default()
        },
        train: train.into(),
        stretches: &[],
        validation,
        inventory: None,
        dir,
    }
}

pub(super) fn finish(job: &TrainingJob<'_>) -> TrainedNet {
    match train(job, &mut |_| {}, &AtomicBool::new(false)).unwrap() {
        TrainingOutcome::Finished(net) => *net,
        TrainingOutcome::Stopped { .. } => panic!("stopped without the flag"),
    }
}

/// Runs until at least `batches` more batches are reported; exactly `batches` where every loss is
/// read at once.
pub(crate) fn run_for(job: &TrainingJob<'_>, batches: u64) -> TrainingOutcome {
    let stop = AtomicBool::new(false);
    let mut learnt = 0;
    let mut observer = |progress: &Progress<'_>| {
        learnt += u64::from(matches!(progress, Progress::Batch(_)));
        stop.store(learnt >= batches, Ordering::Relaxed);
    };
    train(job, &mut observer, &stop).unwrap()
}

/// Everything of a history that does not depend on the clock.
pub(crate) fn timeless(history: &[EpochMetrics]) -> Vec<(u32, u64, f64, Option<f64>, f64, u64)> {
    history
        .iter()
        .map(|e| (e.epoch, e.step, e.train_loss, e.validation_loss, e.learning_rate, e.positions))
        .collect()
}

/// The job with an optimiser, and weight decay where it has any.
pub(super) fn with(mut job: TrainingJob<'_>, optimiser: Optimiser) -> TrainingJob<'_> {
    job.config.optimiser = optimiser;
    let decay = if optimiser == Optimiser::Adam { 0.0 } else { 0.1 };
    job.config.weight_decay = WeightDecay::even(decay);
    job
}

pub(super) fn ranking(mut job: TrainingJob<'_>) -> TrainingJob<'_> {
    job.config.method = Method::Pqr(Pqr::default());
    job
}

pub(super) fn methods() -> impl Iterator<Item = (Optimiser, Schedule)> {
    let optimisers = [Optimiser::Adam, Optimiser::Adamw, Optimiser::Ranger];
    let schedules = [
        Schedule::Exponential {},
        Schedule::Step { every: 2, factor: 0.3 },
        Schedule::Cosine { last: 1e-5 },
        Schedule::Linear { last: 0.0 },
    ];
    optimisers.into_iter().flat_map(move |o| schedules.into_iter().map(move |s| (o, s)))
}

pub(super) fn fail(job: &TrainingJob<'_>) -> TrainingError {
    train(job, &mut |_| {}, &AtomicBool::new(false)).unwrap_err()
}
