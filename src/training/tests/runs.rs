//! Whole runs.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{random_choices, random_samples};
use crate::chess::Scene;
use crate::data::Sample;
use crate::features::{FeatureSet, TrainedSet};
use crate::network::device::tests::every_compute;
use crate::network::{Compute, OUTPUT_SCALE};
use crate::nnue::{Buckets, HiddenActivation, Layers, LayersError, ROUNDING, quantise};
use crate::training::loss::{Loss, Pqr, Target};
use crate::training::{
    EpochMetrics, Method, Optimiser, Progress, ResultWeight, Schedule, TrainedNet, TrainingConfig,
    TrainingError, TrainingJob, TrainingOutcome, Warning, train,
};

/// Clipped ReLU, no buckets.
fn layers(l1: usize, l2: usize) -> Layers {
    Layers::new(l1, l2, HiddenActivation::ClippedRelu, 1).unwrap()
}

/// Every other kind of net.
fn other_layers() -> [Layers; 5] {
    let (clipped, squared) = (HiddenActivation::ClippedRelu, HiddenActivation::SquaredClippedRelu);
    [
        (0, 0, clipped, 1),
        (16, 0, clipped, 1),
        (16, 0, squared, 4),
        (16, 8, squared, 1),
        (16, 8, clipped, 8),
    ]
    .map(|(l1, l2, activation, buckets)| Layers::new(l1, l2, activation, buckets).unwrap())
}

/// A small job: 3 epochs of 7 batches, and 1.4 passes over the data in all.
fn job<'a>(samples: &'a [Sample], dir: &'a Path) -> TrainingJob<'a> {
    let (train, validation) = samples.split_at(samples.len() * 3 / 4);
    TrainingJob {
        features: FeatureSet::parse("ALL").unwrap(),
        layers: layers(16, 8),
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

/// Runs until at least `batches` more batches are known to be learnt from;
/// where every loss is asked for at once, until just so many.
fn run_for(job: &TrainingJob<'_>, batches: u64) -> TrainingOutcome {
    let stop = AtomicBool::new(false);
    let mut learnt = 0;
    let mut observer = |progress: &Progress<'_>| {
        learnt += u64::from(matches!(progress, Progress::Batch(_)));
        stop.store(learnt >= batches, Ordering::Relaxed);
    };
    train(job, &mut observer, &stop).unwrap()
}

/// Everything of a history that does not depend on the clock.
fn timeless(history: &[EpochMetrics]) -> Vec<(u32, u64, f64, Option<f64>, f64, u64)> {
    history
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
    let targets: Vec<f32> =
        job.validation.iter().map(|s| Target::last(&job.config).of(s)).collect();
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
        let target = Target::last(&job.config);
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
/// threads, which they do from 192³ multiplications on; the others for the
/// optimisers to.
#[test]
fn threads_do_not_change_a_bit() {
    let samples = random_samples(4000, 2);
    for (features, l1, l2, batch, optimiser) in [
        ("ALL", 64, 32, 2048, Optimiser::Adam),
        ("KING * ALL", 16, 8, 200, Optimiser::Adamw),
        ("KING * ALL", 16, 8, 200, Optimiser::Ranger),
    ] {
        let nets = [1, 2, 4].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = with(job(&samples, dir.path()), optimiser);
            job.features = FeatureSet::parse(features).unwrap();
            (job.layers, job.config.threads) = (layers(l1, l2), threads);
            (job.config.batch, job.config.positions_per_epoch) = (batch, 3 * batch as u64);
            finish(&job)
        });
        for net in &nets[1..] {
            assert!(net.weights == nets[0].weights, "{features}, {optimiser:?}");
            assert_eq!(timeless(&net.history), timeless(&nets[0].history), "{features}");
        }
    }
}

/// The job with an optimiser, and weight decay where it has any.
fn with(mut job: TrainingJob<'_>, optimiser: Optimiser) -> TrainingJob<'_> {
    job.config.optimiser = optimiser;
    job.config.weight_decay = if optimiser == Optimiser::Adam { 0.0 } else { 0.1 };
    job
}

/// Every optimiser with every schedule.
fn methods() -> impl Iterator<Item = (Optimiser, Schedule)> {
    let optimisers = [Optimiser::Adam, Optimiser::Adamw, Optimiser::Ranger];
    let schedules = [
        Schedule::Exponential {},
        Schedule::Step { every: 2, factor: 0.3 },
        Schedule::Cosine { last: 1e-5 },
        Schedule::Linear { last: 0.0 },
    ];
    optimisers.into_iter().flat_map(move |o| schedules.into_iter().map(move |s| (o, s)))
}

/// The job as a ranking.
fn ranking(mut job: TrainingJob<'_>) -> TrainingJob<'_> {
    job.config.method = Method::Pqr(Pqr::default());
    job
}

#[test]
fn a_ranking_learns_which_moves_win_material() {
    let samples = random_choices(12_000, 4);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut job = ranking(job(&samples, dirs[0].path()));
    job.config.positions_per_epoch = 20_000;
    let net = finish(&job);
    let (first, last) = (&net.history[0], net.history.last().unwrap());
    let nothing = Pqr::default().of_knowing_nothing();
    assert!(last.validation_loss.unwrap() < nothing - 0.05, "{:?}", net.history);
    assert!(last.validation_loss < first.validation_loss, "{:?}", net.history);
    assert!(last.trains_another_loss() && last.score_loss() != last.validation_loss);

    // The control arm sees the same positions and says what it is measured by.
    job.config.method = Method::TargetScores;
    job.dir = dirs[1].path();
    let control = finish(&job);
    let control = control.history.last().unwrap();
    assert!(!control.trains_another_loss());
    assert_eq!((control.step, control.positions), (last.step, last.positions));
    assert!(control.score_loss() < last.score_loss(), "{control:?} {last:?}");
}

#[test]
fn a_ranking_is_the_same_with_any_threads_stopped_or_not() {
    let samples = random_choices(1200, 5);
    let nets = [(1, None), (2, Some(9)), (4, None)].map(|(threads, stop)| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = ranking(job(&samples, dir.path()));
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
fn a_ranking_needs_choices() {
    let mut samples = random_choices(1200, 5);
    samples[7].played = 0;
    let dir = tempfile::tempdir().unwrap();
    let text = fail(&ranking(job(&samples, dir.path()))).to_string();
    assert!(text.contains("of 1 of 1200 positions the move played is not known"), "{text}");
}

/// The epochs that `metrics.csv` tells of; `metrics.jsonl` must tell the same.
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
        for (optimiser, schedule) in methods() {
            let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let mut job = with(job(&samples, dirs[0].path()), optimiser);
            (job.config.schedule, job.config.warmup) = (schedule, rng.random_range(0..12));
            (job.config.decay, job.config.patience) = (0.99, rng.random_range(0..3));
            job.config.result_weight = ResultWeight::Line { from: 0.1, to: 0.6 };
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
            prop_assert_eq!(stopped.epoch, straight.epoch);
            prop_assert_eq!(timeless(&stopped.history), timeless(&straight.history));
            prop_assert_eq!(written(job.dir), stopped.history);
            // A finished run is handed out again without another step.
            prop_assert!(finish(&job).weights == straight.weights);
        }
    }
}

#[test]
fn all_methods_give_different_nets() {
    let samples = random_samples(1200, 3);
    let nets: Vec<_> = methods()
        .map(|(optimiser, schedule)| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = with(job(&samples, dir.path()), optimiser);
            job.config.schedule = schedule;
            finish(&job).weights
        })
        .collect();
    for (i, net) in nets.iter().enumerate() {
        assert!(!nets[..i].contains(net), "{:?}", methods().nth(i));
    }
}

#[test]
fn every_kind_of_net_learns_and_resumes() {
    let samples = random_samples(20_000, 12);
    for layers in other_layers() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [mut straight, mut stopped] =
            dirs.each_ref().map(|dir| TrainingJob { layers, ..job(&samples, dir.path()) });
        for job in [&mut straight, &mut stopped] {
            job.config.positions_per_epoch = 10_000;
            // A weight of the linear model alone is what a piece is worth, and
            // has further to go.
            job.config.learning_rate = if layers == Layers::Linear { 2e-2 } else { 5e-3 };
        }
        let net = finish(&straight);
        let target = Target::last(&straight.config);
        let targets: Vec<f32> = straight.validation.iter().map(|s| target.of(s)).collect();
        let nothing = Loss::new(&straight.config).of_knowing_nothing(&targets);
        let last = net.history.last().unwrap().validation_loss.unwrap();
        assert!(last < nothing / 2.0, "{layers}: {last} against {nothing}");

        stopped.config.threads = 2;
        run_for(&stopped, 60);
        assert!(finish(&stopped).weights == net.weights, "{layers}");
    }
}

#[test]
fn weights_are_clipped_after_every_step() {
    let samples = random_samples(1200, 13);
    let widest = |values: &[f32]| values.iter().fold(0.0, |most: f32, w| most.max(w.abs()));
    let clipped = |layers, clip_weights| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = TrainingJob { layers, ..job(&samples, dir.path()) };
        (job.config.clip_weights, job.config.learning_rate) = (clip_weights, 1e-2);
        finish(&job).weights
    };
    // Exact in binary, below where all layers start.
    let limit = 1.0 / 64.0;
    let two = clipped(layers(16, 8), limit);
    assert_eq!(widest(&two.dense_weights), limit as f32);
    assert_eq!(widest(&two.out_weights), (OUTPUT_SCALE * limit) as f32);
    assert!(widest(&two.ft_weights) > limit as f32, "the feature transformer is left alone");
    let one = clipped(other_layers()[1], limit);
    assert_eq!(widest(&one.dense_weights), (OUTPUT_SCALE * limit) as f32);
    // A limit that nothing reaches changes nothing.
    let free = clipped(layers(16, 8), 0.0);
    assert!(widest(&free.dense_weights) > limit as f32);
    assert!(clipped(layers(16, 8), 1e3) == free);
}

#[test]
fn training_with_rounding_ends_on_multiples_that_integers_hold() {
    let samples = random_samples(20_000, 14);
    for layers in [layers(16, 8), other_layers()[2]] {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [straight, stopped] = dirs.each_ref().map(|dir| {
            let mut job = TrainingJob { layers, ..job(&samples, dir.path()) };
            job.config.rounding = true;
            (job.config.positions_per_epoch, job.config.learning_rate) = (10_000, 5e-3);
            job
        });
        let net = finish(&straight);
        let target = Target::last(&straight.config);
        let targets: Vec<f32> = straight.validation.iter().map(|s| target.of(s)).collect();
        let nothing = Loss::new(&straight.config).of_knowing_nothing(&targets);
        let last = net.history.last().unwrap().validation_loss.unwrap();
        assert!(last < nothing / 2.0, "{layers}: {last} against {nothing}");

        let weights = &net.weights;
        let all = weights.ft_weights.iter().chain(&weights.ft_bias);
        assert!(all.copied().all(|w| (w * ROUNDING).fract() == 0.0), "{layers}");
        let quantised = quantise(weights, &straight.features, serde_json::Value::Null).unwrap();
        assert_eq!(quantised.scales().qa % ROUNDING as i32, 0, "{layers}");

        // The checkpoint keeps what lies between the multiples.
        run_for(&stopped, 60);
        assert!(finish(&stopped).weights == net.weights, "{layers}");
    }
}

#[test]
fn every_device_reaches_the_same_loss() {
    let samples = random_samples(4_000, 12);
    for features in ["ALL", "KING * ALL", "LEORIK-18"] {
        let run = |device| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = job(&samples, dir.path());
            job.features = FeatureSet::parse(features).unwrap();
            job.config.device = device;
            finish(&job)
        };
        let on_cpu = run(Compute::Cpu);
        for device in every_compute() {
            for (ours, theirs) in run(device).history.iter().zip(&on_cpu.history) {
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b;
                let near = near(ours.train_loss, theirs.train_loss)
                    && near(ours.validation_loss.unwrap(), theirs.validation_loss.unwrap());
                assert!(near, "{features} on {device:?}: {ours:?}, {theirs:?}");
            }
        }
    }
}

/// In the middle of an epoch, whether or not losses are outstanding, and at the
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

/// Positions whose scores are noise: what is learnt of some is wrong of others.
fn noise(count: usize) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut samples = random_samples(count, 9);
    samples.iter_mut().for_each(|sample| sample.score = rng.random_range(-800..800));
    samples
}

#[test]
fn patience_ends_a_run_that_learns_by_heart_with_its_best_net() {
    let samples = noise(1200);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let patient = |dir| {
        let mut job = job(&samples, dir);
        (job.config.epochs, job.config.patience) = (60, 3);
        job
    };
    let mut told = Vec::new();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::Kept(kept) = progress {
            told.push((kept.epoch.epoch, kept.trained, kept.to_string()));
        }
    };
    let outcome = train(&patient(dirs[0].path()), &mut observer, &AtomicBool::new(false));
    let Ok(TrainingOutcome::Finished(net)) = outcome else { panic!("{outcome:?}") };
    let trained = net.history.len() as u32;
    assert_eq!(trained, net.epoch + 3, "three epochs without a better one: {:?}", net.history);
    let losses: Vec<f64> = net.history.iter().filter_map(|epoch| epoch.validation_loss).collect();
    let best = losses[net.epoch as usize - 1];
    assert!(losses.iter().all(|&loss| loss >= best));
    assert_eq!((told.len(), told[0].0, told[0].1), (1, net.epoch, trained));
    assert!(told[0].2.starts_with(&format!("stopped early, after {trained} of 60")), "{told:?}");

    // The net is what an impatient run ends with after the best epoch.
    let mut short = job(&samples, dirs[1].path());
    short.config.epochs = net.epoch;
    assert!(finish(&short).weights == net.weights);
    assert!(finish(&patient(dirs[0].path())).weights == net.weights, "asked again");
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
        Progress::Warning(warning) => warnings.push(warning.to_string()),
        Progress::Resumed { step, .. } => resumed = *step,
        _ => {}
    };
    let outcome = train(&job, &mut observer, &AtomicBool::new(false)).unwrap();
    let TrainingOutcome::Finished(net) = outcome else { panic!("nobody raised the flag") };
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
        job.config.result_weight = ResultWeight::Constant(0.5);
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
    assert!(text.contains("training.result_weight is 0.5 but no training position"), "{text}");
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
fn without_validation_samples_there_is_no_validation_loss() {
    let samples = random_samples(1200, 7);
    let dir = tempfile::tempdir().unwrap();
    let net = finish(&TrainingJob { validation: &[], ..job(&samples, dir.path()) });
    assert!(net.history.iter().all(|epoch| epoch.validation_loss.is_none()));
}

#[test]
fn a_diverging_run_says_where_it_was() {
    let samples = random_samples(1200, 8);
    for device in every_compute() {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        (job.config.learning_rate, job.config.device) = (1e38, device);
        let error = fail(&job);
        assert!(matches!(error, TrainingError::Diverged { step: 1..=7, .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("learning rate 1e38") || text.contains("100000"), "{text}");
        assert!(text.contains("there is no checkpoint yet"), "{text}");
        assert!(!dir.path().join("checkpoint.bin").exists());
    }
}

#[test]
fn impossible_jobs_are_refused_before_anything_is_written() {
    let samples = random_samples(1200, 9);
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("run");
    let job = job(&samples, &missing);
    let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
    let layers = Layers::Two { l1: 20, l2: 8, activation, buckets };
    let error = fail(&TrainingJob { layers, ..job.clone() });
    assert!(error.to_string().contains("l1 = 20 is not a multiple of 8; the nearest is 24"));
    let layers = Layers::Two { l1: 16, l2: 0, activation, buckets };
    let error = fail(&TrainingJob { layers, ..job.clone() });
    let size = LayersError::Size { key: "l2", size: 0, nearest: 8 };
    assert!(matches!(error, TrainingError::Layers(error) if error == size), "{error}");
    let config = TrainingConfig { batch: 901, ..job.config.clone() };
    let error = fail(&TrainingJob { config, ..job.clone() });
    assert!(matches!(error, TrainingError::BatchTooLarge { batch: 901, positions: 900 }));
    let config = TrainingConfig { decay: 2.0, ..job.config.clone() };
    assert!(matches!(fail(&TrainingJob { config, ..job.clone() }), TrainingError::Config(_)));
    for device in [Compute::Ndarray, Compute::Gpu] {
        if !every_compute().contains(&device) {
            let config = TrainingConfig { device, ..job.config.clone() };
            let error = fail(&TrainingJob { config, ..job.clone() });
            assert!(matches!(error, TrainingError::Device(_)), "{error}");
        }
    }
    let config = TrainingConfig { patience: 2, ..job.config.clone() };
    let error = fail(&TrainingJob { config, validation: &[], ..job.clone() });
    assert!(matches!(error, TrainingError::PatienceWithoutValidation { patience: 2 }), "{error}");
    assert!(!job.dir.exists());
}

#[test]
fn the_checkpoint_of_another_run_is_refused() {
    let samples = random_choices(1200, 10);
    let dir = tempfile::tempdir().unwrap();
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    let others = [
        (TrainingJob { seed: 2, ..job.clone() }, "seed"),
        (TrainingJob { layers: layers(24, 8), ..job.clone() }, "l1"),
        (TrainingJob { layers: other_layers()[3], ..job.clone() }, "activation"),
        (TrainingJob { layers: other_layers()[4], ..job.clone() }, "buckets"),
        (TrainingJob { train: &job.train[1..], ..job.clone() }, "training data"),
        (TrainingJob { features: FeatureSet::parse("H").unwrap(), ..job.clone() }, "features"),
        (with(job.clone(), Optimiser::Ranger), "training.optimiser"),
        (ranking(job.clone()), "training.method"),
    ];
    for (other, what) in &others {
        let text = fail(other).to_string();
        assert!(text.contains(&format!("its {what} is")), "{text}");
    }
}
