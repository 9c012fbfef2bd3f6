//! Whole runs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::random_samples;
use crate::chess::Scene;
use crate::data::Sample;
use crate::features::{FeatureSet, TrainedSet};
use crate::training::loss::{Loss, Target};
use crate::training::{
    Progress, TrainedNet, TrainingConfig, TrainingError, TrainingJob, TrainingOutcome, train,
};

/// A small job: 3 epochs of 7 batches, and 1.4 passes over the data in all.
fn job<'a>(samples: &'a [Sample], dir: &'a Path) -> TrainingJob<'a> {
    let (train, validation) = samples.split_at(samples.len() * 3 / 4);
    TrainingJob {
        features: FeatureSet::parse("ALL").unwrap(),
        l1: 16,
        l2: 8,
        seed: 1,
        config: TrainingConfig {
            threads: 1,
            epochs: 3,
            positions_per_epoch: 7 * 200,
            batch: 200,
            learning_rate: 2e-3,
            ..Default::default()
        },
        train,
        validation,
        dir,
    }
}

fn finish(job: &TrainingJob<'_>) -> TrainedNet {
    match train(job, &mut |_| {}, &AtomicBool::new(false)).unwrap() {
        TrainingOutcome::Finished(net) => net,
        TrainingOutcome::Stopped { .. } => panic!("nobody raised the flag"),
    }
}

fn fail(job: &TrainingJob<'_>) -> TrainingError {
    train(job, &mut |_| {}, &AtomicBool::new(false)).unwrap_err()
}

/// Runs until `batches` more batches are learnt from.
fn run_for(job: &TrainingJob<'_>, batches: u64) -> TrainingOutcome {
    let stop = AtomicBool::new(false);
    let mut learnt = 0;
    let mut observer = |progress: &Progress<'_>| {
        learnt += u64::from(matches!(progress, Progress::Batch(_)));
        stop.store(learnt == batches, Ordering::Relaxed);
    };
    train(job, &mut observer, &stop).unwrap()
}

/// Everything of a history that does not depend on the clock.
fn timeless(net: &TrainedNet) -> Vec<(u32, u64, f64, Option<f64>, f64, u64)> {
    net.history
        .iter()
        .map(|e| (e.epoch, e.step, e.train_loss, e.validation_loss, e.learning_rate, e.positions))
        .collect()
}

#[test]
fn it_learns_to_count_material() {
    let samples = random_samples(40_000, 1);
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(&samples, dir.path());
    job.config.positions_per_epoch = 30_000;
    job.config.epochs = 5;
    let net = finish(&job);
    let targets: Vec<f32> = job.validation.iter().map(|s| Target::new(&job.config).of(s)).collect();
    let nothing = Loss::new(&job.config).of_knowing_nothing(&targets);
    let last = net.history.last().unwrap();
    assert!(last.validation_loss.unwrap() < nothing / 5.0, "{last:?} against {nothing}");
    assert!(last.train_loss < net.history[0].train_loss / 2.0);
    assert_eq!((last.epoch, last.step, last.positions), (5, 750, 150_000));
}

#[test]
fn valued_sets_learn() {
    let samples = random_samples(40_000, 5);
    for features in ["LEORIK-18", "count(piece(ROLES * COLORS * FILES))"] {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.features = FeatureSet::parse(features).unwrap();
        job.config.positions_per_epoch = 30_000;
        job.config.epochs = 3;
        let net = finish(&job);
        let target = Target::new(&job.config);
        let targets: Vec<f32> = job.validation.iter().map(|s| target.of(s)).collect();
        let nothing = Loss::new(&job.config).of_knowing_nothing(&targets);
        let last = net.history.last().unwrap().validation_loss.unwrap();
        assert!(last < nothing / 2.0, "{features}: {last} against {nothing}");
    }
}

#[test]
fn a_net_trained_with_factors_says_the_same_once_they_are_folded() {
    let samples = random_samples(4_000, 6);
    for text in ["train KING-ALL + factors", "train HALF-KA-HM + factors"] {
        let trained = TrainedSet::parse(text).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.features = trained.input().clone();
        let weights = finish(&job).weights;
        let folded = weights.clone().folded(&trained);
        assert_eq!(folded.architecture.features, trained.set().size());
        for sample in &samples[..200] {
            let (scene, turn) = (Scene::from(&sample.position), sample.position.turn());
            let before = weights.evaluate(trained.input(), &scene, turn);
            let after = folded.evaluate(trained.set(), &scene, turn);
            assert!((before - after).abs() < 0.01, "{text}: {before} cp, {after} cp");
        }
    }
}

/// The first case is large enough for Burn's matrix products to use all
/// threads, which they do from 192³ multiplications on.
#[test]
fn threads_do_not_change_a_bit() {
    let samples = random_samples(4000, 2);
    for (features, l1, l2, batch) in [("ALL", 64, 32, 2048), ("KING * ALL", 16, 8, 200)] {
        let nets = [1, 2, 3].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = job(&samples, dir.path());
            job.features = FeatureSet::parse(features).unwrap();
            (job.l1, job.l2, job.config.threads) = (l1, l2, threads);
            (job.config.batch, job.config.positions_per_epoch) = (batch, 3 * batch as u64);
            finish(&job)
        });
        for net in &nets[1..] {
            assert!(net.weights == nets[0].weights, "{features}");
            assert_eq!(timeless(net), timeless(&nets[0]), "{features}");
        }
    }
}

#[test]
fn stopping_and_resuming_is_as_not_stopping() {
    let samples = random_samples(1200, 3);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let straight = finish(&job(&samples, dirs[0].path()));
    let mut job = job(&samples, dirs[1].path());
    // In the middle of the first epoch, at the end of it, in the last one.
    for (batches, step) in [(4, 4), (3, 7), (9, 16)] {
        job.config.threads = 1 + batches as usize % 2;
        match run_for(&job, batches) {
            TrainingOutcome::Stopped { step: at, .. } => assert_eq!(at, step),
            TrainingOutcome::Finished(_) => panic!("stopped too late"),
        }
    }
    let stopped = finish(&job);
    assert!(stopped.weights == straight.weights);
    assert_eq!(timeless(&stopped), timeless(&straight));
    // A finished run is handed out again without another step.
    assert!(finish(&job).weights == straight.weights);
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
fn seeds_give_different_nets() {
    let samples = random_samples(1200, 5);
    let nets = [1, 2].map(|seed| {
        let dir = tempfile::tempdir().unwrap();
        finish(&TrainingJob { seed, ..job(&samples, dir.path()) })
    });
    assert_ne!(nets[0].weights, nets[1].weights);
}

#[test]
fn a_line_of_metrics_per_epoch() {
    let samples = random_samples(1200, 6);
    let dir = tempfile::tempdir().unwrap();
    let net = finish(&job(&samples, dir.path()));
    let text = std::fs::read_to_string(dir.path().join("metrics.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for (line, epoch) in lines.iter().zip(&net.history) {
        assert_eq!(line["epoch"], epoch.epoch);
        assert_eq!(line["step"], epoch.step);
        assert!(line["validation_loss"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn without_validation_samples_there_is_no_validation_loss() {
    let samples = random_samples(1200, 7);
    let dir = tempfile::tempdir().unwrap();
    let net = finish(&TrainingJob { validation: &[], ..job(&samples, dir.path()) });
    assert!(net.history.iter().all(|epoch| epoch.validation_loss.is_none()));
}

#[test]
fn a_diverging_run_says_where_it_was() {
    let samples = random_samples(1200, 8);
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(&samples, dir.path());
    job.config.learning_rate = 1e38;
    let error = fail(&job);
    assert!(matches!(error, TrainingError::Diverged { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("learning rate 1e38") || text.contains("100000"), "{text}");
    assert!(text.contains("there is no checkpoint yet"), "{text}");
    assert!(!dir.path().join("checkpoint.bin").exists());
}

#[test]
fn impossible_jobs_are_refused_before_anything_is_written() {
    let samples = random_samples(1200, 9);
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("run");
    let job = job(&samples, &missing);
    let error = fail(&TrainingJob { l1: 20, ..job.clone() });
    assert!(
        error.to_string().contains("l1 = 20: layer sizes are multiples of 8; the nearest is 24")
    );
    let error = fail(&TrainingJob { l2: 0, ..job.clone() });
    assert!(matches!(error, TrainingError::Layer { nearest: 8, .. }), "{error}");
    let config = TrainingConfig { batch: 901, ..job.config.clone() };
    let error = fail(&TrainingJob { config, ..job.clone() });
    assert!(matches!(error, TrainingError::BatchTooLarge { batch: 901, positions: 900 }));
    let config = TrainingConfig { decay: 2.0, ..job.config.clone() };
    assert!(matches!(fail(&TrainingJob { config, ..job.clone() }), TrainingError::Config(_)));
    let config = TrainingConfig { device: crate::network::Compute::Gpu, ..job.config.clone() };
    assert!(matches!(fail(&TrainingJob { config, ..job.clone() }), TrainingError::Device(_)));
    assert!(!job.dir.exists());
}

#[test]
fn the_checkpoint_of_another_run_is_refused() {
    let samples = random_samples(1200, 10);
    let dir = tempfile::tempdir().unwrap();
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    let others = [
        (TrainingJob { seed: 2, ..job.clone() }, "seed"),
        (TrainingJob { l1: 24, ..job.clone() }, "l1"),
        (TrainingJob { train: &job.train[1..], ..job.clone() }, "training data"),
        (TrainingJob { features: FeatureSet::parse("H").unwrap(), ..job.clone() }, "features"),
    ];
    for (other, what) in &others {
        let text = fail(other).to_string();
        assert!(text.contains(&format!("its {what} is")), "{text}");
    }
}
