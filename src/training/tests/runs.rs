//! Results of whole runs.

use super::small::*;
use super::{random_choices, random_samples};
use crate::loss::{Loss, Pqr, Target};
use crate::{Method, TrainingJob, WdlWeight};
use chess::Scene;
use features::{FeatureSet, TrainedSet};
use network::testing::every_compute;
use network::{Compute, OUTPUT_SCALE, RowPrecision};
use nnue::{FloatWeights, ROUNDING, quantise};

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
    let nothing = Loss::new(&job.config).baseline(&targets);
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
        let nothing = Loss::new(&job.config).baseline(&targets);
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

#[test]
fn a_ranking_learns_which_moves_win_material() {
    let samples = random_choices(12_000, 4);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut job = ranking(job(&samples, dirs[0].path()));
    job.config.positions_per_epoch = 20_000;
    let net = finish(&job);
    let (first, last) = (&net.history[0], net.history.last().unwrap());
    let nothing = Pqr::default().baseline();
    assert!(last.validation_loss.unwrap() < nothing - 0.05, "{:?}", net.history);
    assert!(last.validation_loss < first.validation_loss, "{:?}", net.history);
    assert!(last.trains_another_loss() && last.score_loss() != last.validation_loss);

    // The control run sees the same positions and names its validation loss.
    job.config.method = Method::TargetScores;
    job.dir = dirs[1].path();
    let control = finish(&job);
    let control = control.history.last().unwrap();
    assert!(!control.trains_another_loss());
    assert_eq!((control.step, control.positions), (last.step, last.positions));
    assert!(control.score_loss() < last.score_loss(), "{control:?} {last:?}");
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
        let [mut straight, mut stopped] = dirs
            .each_ref()
            .map(|dir| TrainingJob { layers: layers.clone(), ..job(&samples, dir.path()) });
        for job in [&mut straight, &mut stopped] {
            job.config.positions_per_epoch = 10_000;
            // A weight of the linear model is the whole value of a piece, and has further
            // to go.
            job.config.learning_rate = if layers.is_linear() { 2e-2 } else { 5e-3 };
        }
        let net = finish(&straight);
        let target = Target::last(&straight.config);
        let targets: Vec<f32> = straight.validation.iter().map(|s| target.of(s)).collect();
        let nothing = Loss::new(&straight.config).baseline(&targets);
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
    let usual = || layers("16 -> 8 -> 1");
    let two = clipped(usual(), limit);
    assert_eq!(widest(&two.dense[0].weights), limit as f32);
    assert_eq!(widest(&two.dense[1].weights), (OUTPUT_SCALE * limit) as f32);
    assert!(widest(&two.ft_weights) > limit as f32, "the feature transformer is left alone");
    let one = clipped(layers("16 -> 1"), limit);
    assert_eq!(widest(&one.dense[0].weights), (OUTPUT_SCALE * limit) as f32);
    // A limit that nothing reaches changes nothing.
    let free = clipped(usual(), 0.0);
    assert!(widest(&free.dense[0].weights) > limit as f32);
    assert!(clipped(usual(), 1e3) == free);
}

#[test]
fn a_limit_of_gradients_counts_where_it_is_reached() {
    let samples = random_samples(1200, 13);
    let clipped = |clip_gradients| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.config.clip_gradients = clip_gradients;
        finish(&job).weights
    };
    let free = clipped(0.0);
    assert!(clipped(1e6) == free);
    // So small that Adam's epsilon dominates: steps are close to zero.
    let still = clipped(1e-12);
    let apart = |a: &FloatWeights, b: &FloatWeights| {
        let differences = a.ft_weights.iter().zip(&b.ft_weights).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f32::max)
    };
    let stiller = clipped(1e-13);
    assert!(apart(&still, &stiller) < apart(&still, &free) / 100.0);
}

/// With a negligible learning rate the net keeps its initial weights, so that its validation loss
/// changes only with the validation samples.
#[test]
fn noise_is_for_training_alone() {
    let samples = random_samples(1200, 13);
    let losses = |feature_dropout| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.config.wdl = WdlWeight::Constant(0.5);
        (job.config.learning_rate, job.config.epochs) = (1e-30, 1);
        job.config.feature_dropout = feature_dropout;
        let epoch = finish(&job).history[0].clone();
        (epoch.train_loss, epoch.validation_loss)
    };
    let (train, validation) = losses(0.0);
    let (noisy, sound) = losses(0.3);
    assert_eq!(sound, validation);
    assert_ne!(noisy, train);
}

#[test]
fn training_with_rounding_ends_on_multiples_that_integers_hold() {
    let samples = random_samples(20_000, 14);
    for line in ["16 -> 8 -> 1", "16 screlu -> 1, buckets 4", "32 pairwise -> 8 -> 1"] {
        let layers = layers(line);
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [straight, stopped] = dirs.each_ref().map(|dir| {
            let mut job = TrainingJob { layers: layers.clone(), ..job(&samples, dir.path()) };
            job.config.quantisation_aware = true;
            (job.config.positions_per_epoch, job.config.learning_rate) = (10_000, 5e-3);
            job
        });
        let net = finish(&straight);
        let target = Target::last(&straight.config);
        let targets: Vec<f32> = straight.validation.iter().map(|s| target.of(s)).collect();
        let nothing = Loss::new(&straight.config).baseline(&targets);
        let last = net.history.last().unwrap().validation_loss.unwrap();
        assert!(last < nothing / 2.0, "{layers}: {last} against {nothing}");

        let weights = &net.weights;
        let all = weights.ft_weights.iter().chain(&weights.ft_bias);
        assert!(all.copied().all(|w| (w * ROUNDING).fract() == 0.0), "{layers}");
        let quantised = quantise(weights, &straight.features, serde_json::Value::Null).unwrap();
        assert_eq!(quantised.scales().transformer.unwrap().one % ROUNDING as i32, 0, "{layers}");

        // The checkpoint keeps what lies between the multiples.
        run_for(&stopped, 60);
        assert!(finish(&stopped).weights == net.weights, "{layers}");
    }
}

#[test]
fn every_device_reaches_the_same_loss() {
    let samples = random_samples(4_000, 12);
    let sets = ["ALL", "KING * ALL", "LEORIK-18"];
    let precisions = [RowPrecision::F32, RowPrecision::Bf16];
    for (features, precision) in sets.iter().flat_map(|set| precisions.map(|it| (*set, it))) {
        let run = |device| {
            let dir = tempfile::tempdir().unwrap();
            let mut job = job(&samples, dir.path());
            job.features = FeatureSet::parse(features).unwrap();
            (job.config.device, job.config.row_precision) = (device, precision);
            finish(&job)
        };
        let on_cpu = run(Compute::Cpu);
        for device in every_compute() {
            for (ours, theirs) in run(device).history.iter().zip(&on_cpu.history) {
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b;
                let near = near(ours.train_loss, theirs.train_loss)
                    && near(ours.validation_loss.unwrap(), theirs.validation_loss.unwrap());
                assert!(near, "{features} in {precision} on {device:?}: {ours:?}, {theirs:?}");
            }
        }
    }
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
