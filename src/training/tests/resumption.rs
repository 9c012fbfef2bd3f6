//! Same job, same bits: with any threads, stopped or not, from any checkpoint.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::small::*;
use super::{random_choices, random_samples};
use crate::{
    EpochMetrics, Keep, Optimiser, Progress, Schedule, TrainingError, TrainingJob, TrainingOutcome,
    Warning, WdlWeight, train,
};
use data::{Sample, Stretch, Weight};
use features::FeatureSet;
use network::testing::every_compute;

/// The first case is large enough for Burn's matrix products to use all
/// threads, which they do from 192³ multiplications on; the others for the
/// optimisers to.
#[test]
fn threads_do_not_change_a_bit() {
    let samples = random_samples(4000, 2);
    for (features, line, batch, optimiser) in [
        ("ALL", "64 -> 32 -> 1", 2048, Optimiser::Adam),
        ("KING * ALL", "16 -> 8 -> 1", 200, Optimiser::Adamw),
        ("KING * ALL", "16 -> 8 -> 1", 200, Optimiser::Ranger),
        ("ALL", "64 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt", 2048, Optimiser::Adam),
    ] {
        let nets = [1, 2, 4].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = with(job(&samples, dir.path()), optimiser);
            job.features = FeatureSet::parse(features).unwrap();
            (job.layers, job.config.threads) = (layers(line), threads);
            (job.config.batch, job.config.positions_per_epoch) = (batch, 3 * batch as u64);
            finish(&job)
        });
        for net in &nets[1..] {
            assert!(net.weights == nets[0].weights, "{features}, {optimiser:?}");
            assert_eq!(timeless(&net.history), timeless(&nets[0].history), "{features}");
        }
    }
}

/// One thread, two threads and stopped on the way, four threads.
fn assert_same_with_any_threads_stopped_or_not(job: &TrainingJob<'_>) {
    let nets = [(1, None), (2, Some(9)), (4, None)].map(|(threads, stop)| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = TrainingJob { dir: dir.path(), ..job.clone() };
        job.config.threads = threads;
        if let Some(batches) = stop {
            assert!(matches!(run_for(&job, batches), TrainingOutcome::Stopped { .. }));
            job.config.threads = 1;
        }
        let net = finish(&job);
        assert_eq!(written(job.dir), net.history);
        net
    });
    for net in &nets[1..] {
        assert!(net.weights == nets[0].weights);
        assert_eq!(timeless(&net.history), timeless(&nets[0].history));
    }
}

#[test]
fn a_ranking_is_the_same_with_any_threads_stopped_or_not() {
    let samples = random_choices(1200, 5);
    assert_same_with_any_threads_stopped_or_not(&ranking(job(&samples, Path::new(""))));
}

#[test]
fn weighted_stretches_are_the_same_with_any_threads_stopped_or_not() {
    let samples = random_samples(1200, 5);
    let job = job(&samples, Path::new(""));
    let half = Weight::try_from(0.5).unwrap();
    let stretches = [Stretch { samples: 500, weight: half }];
    let weighted = TrainingJob { stretches: &stretches, ..job.clone() };
    assert_same_with_any_threads_stopped_or_not(&weighted);

    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [weighted, even] = [(weighted, &dirs[0]), (job, &dirs[1])]
        .map(|(job, dir)| finish(&TrainingJob { dir: dir.path(), ..job }));
    assert!(weighted.weights != even.weights);
}

#[test]
fn clipped_gradients_are_the_same_with_any_threads_stopped_or_not() {
    let samples = random_samples(1200, 6);
    let mut job = job(&samples, Path::new(""));
    job.config.clip_gradients = 1e-3;
    assert_same_with_any_threads_stopped_or_not(&job);
}

#[test]
fn noise_is_the_same_with_any_threads_stopped_or_not() {
    let samples = random_choices(1200, 6);
    let mut job = job(&samples, Path::new(""));
    job.config.wdl = WdlWeight::Constant(0.3);
    job.config.feature_dropout = 0.2;
    assert_same_with_any_threads_stopped_or_not(&job);
    assert_same_with_any_threads_stopped_or_not(&ranking(job));
}

/// The epochs of `metrics.csv`; those of `metrics.jsonl` must be the same.
fn written(dir: &Path) -> Vec<EpochMetrics> {
    let mut sheet = csv::Reader::from_path(dir.join("metrics.csv")).unwrap();
    let rows: Vec<EpochMetrics> = sheet.deserialize().map(Result::unwrap).collect();
    let lines = std::fs::read_to_string(dir.join("metrics.jsonl")).unwrap();
    let expected = rows.iter().map(|row| serde_json::to_string(row).unwrap());
    assert!(lines.lines().map(str::to_owned).eq(expected), "{lines} against {rows:?}");
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// A run of 21 steps, stopped here and there: in the middle of an epoch,
    /// at its end, in the warm-up.
    #[test]
    fn stopping_and_resuming_is_as_not_stopping(seed: u64) {
        let samples = random_samples(1200, 3);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let average = |epochs| Keep::Swa { epochs };
        let keeps = [Keep::Best, Keep::Last, average(2), average(8)];
        for (optimiser, schedule) in methods() {
            let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let mut job = with(job(&samples, dirs[0].path()), optimiser);
            (job.config.schedule, job.config.warmup) = (schedule, rng.random_range(0..12));
            (job.config.gamma, job.config.keep) = (0.99, keeps[rng.random_range(0..4)]);
            job.config.wdl = WdlWeight::Line { from: 0.1, to: 0.6 };
            let straight = finish(&job);

            job.dir = dirs[1].path();
            let mut steps = Vec::new();
            for _ in 0..4 {
                job.config.threads = rng.random_range(1..=2);
                match run_for(&job, rng.random_range(1..8)) {
                    TrainingOutcome::Stopped { step, .. } => steps.push(step),
                    TrainingOutcome::Finished(_) => break,
                }
            }
            let stopped = finish(&job);
            prop_assert!(stopped.weights == straight.weights, "{:?} at {steps:?}", job.config);
            prop_assert_eq!(&stopped.kept, &straight.kept);
            prop_assert_eq!(timeless(&stopped.history), timeless(&straight.history));
            prop_assert_eq!(written(job.dir), stopped.history);
            // A finished run is handed out again without another step.
            prop_assert!(finish(&job).weights == straight.weights);
        }
    }
}

/// In the middle of an epoch, whether or not losses are pending, and at the
/// end of one.
#[test]
fn every_device_resumes_to_the_bit() {
    let samples = random_samples(1200, 13);
    for device in every_compute() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [straight, stopped] = [0, 1].map(|i| {
            let mut job = job(&samples, dirs[i].path());
            (job.config.device, job.config.epochs) = (device, 2);
            (job.config.batch, job.config.positions_per_epoch) = (20, 20 * 50);
            if i == 1 {
                for batches in [4, 20] {
                    let outcome = run_for(&job, batches);
                    assert!(matches!(outcome, TrainingOutcome::Stopped { .. }), "{device:?}");
                }
            }
            finish(&job)
        });
        assert!(stopped.weights == straight.weights, "{device:?}");
        assert_eq!(timeless(&stopped.history), timeless(&straight.history), "{device:?}");
    }
}

#[test]
fn epochs_can_be_added() {
    let samples = random_samples(1200, 4);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let straight = finish(&job(&samples, dirs[0].path()));
    let mut job = job(&samples, dirs[1].path());
    job.config.epochs = 1;
    assert_eq!(finish(&job).history.len(), 1);
    job.config.epochs = 3;
    assert!(finish(&job).weights == straight.weights);
    // But not taken away: the net of epoch 1 is gone.
    job.config.epochs = 1;
    assert!(matches!(fail(&job), TrainingError::Beyond { done: 3, epochs: 1, .. }));
}

#[test]
fn epochs_cannot_be_added_where_the_schedule_looks_at_the_end() {
    let samples = random_samples(1200, 4);
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(&samples, dir.path());
    job.config.schedule = Schedule::Linear { last: 0.0 };
    run_for(&job, 3);
    job.config.epochs = 4;
    let text = fail(&job).to_string();
    assert!(text.contains("its training.epochs is 3, here it is 4"), "{text}");
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let samples = random_samples(1200, 3);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let straight = finish(&job(&samples, dirs[0].path()));
    let job = job(&samples, dirs[1].path());
    run_for(&job, 5);
    run_for(&job, 4);
    let newest = job.dir.join("checkpoint.bin");
    let mut bytes = std::fs::read(&newest).unwrap();
    bytes[5000] ^= 1;
    std::fs::write(&newest, &bytes).unwrap();
    let mut warnings = Vec::new();
    let mut resumed = 0;
    let mut observer = |progress: &Progress<'_>| match progress {
        Progress::Warning(Warning::Lifeless { .. }) => {}
        Progress::Warning(warning) => warnings.push(warning.to_string()),
        Progress::Resumed { step, .. } => resumed = *step,
        _ => {}
    };
    let outcome = train(&job, &mut observer, &AtomicBool::new(false)).unwrap();
    let TrainingOutcome::Finished(net) = outcome else { panic!("stopped without the flag") };
    assert!(net.weights == straight.weights);
    assert_eq!(timeless(&written(job.dir)), timeless(&straight.history));
    // The one before is of the end of the epoch, step 7.
    assert_eq!((warnings.len(), resumed), (1, 7), "{warnings:?}");
    for part in ["checksum does not match", "checkpoint.refused.bin", "at step 7"] {
        assert!(warnings[0].contains(part), "{warnings:?}");
    }
    assert_eq!(std::fs::read(job.dir.join("checkpoint.refused.bin")).unwrap(), bytes);
}

#[test]
fn results_are_there_where_they_are_wanted() {
    let mut samples = random_samples(1200, 3);
    let dir = tempfile::tempdir().unwrap();
    let wanting = |samples: &[Sample]| {
        let mut job = job(samples, dir.path());
        job.config.wdl = WdlWeight::Constant(0.5);
        let mut warnings = Vec::new();
        let mut observer = |progress: &Progress<'_>| {
            if let Progress::Warning(Warning::WithoutResult { share, .. }) = progress {
                warnings.push(*share);
            }
        };
        train(&job, &mut observer, &AtomicBool::new(false)).map(|_| warnings)
    };
    samples[..225].iter_mut().for_each(|sample| sample.result = Sample::UNKNOWN_RESULT);
    assert_eq!(wanting(&samples).unwrap(), [0.25]);
    samples.iter_mut().for_each(|sample| sample.result = Sample::UNKNOWN_RESULT);
    let text = wanting(&samples).unwrap_err().to_string();
    assert!(text.contains("training.wdl is 0.5 but no training position"), "{text}");
}
