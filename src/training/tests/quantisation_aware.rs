//! The cost of quantisation for real nets, with and without quantisation-aware training.

use std::sync::atomic::AtomicBool;

use crate::loss::Target;
use crate::{TrainingConfig, TrainingJob, TrainingOutcome, train};
use chess::Scene;
use data::{self, DataSpec, Ingredient, Sample};
use features::FeatureSet;
use nnue::{Layers, QuantisationError, quantise};

/// Mean loss of evaluations in centipawns.
fn loss(config: &TrainingConfig, samples: &[Sample], centipawns: impl Fn(&Sample) -> f64) -> f64 {
    let target = Target::last(config);
    let of = |sample: &Sample| {
        let points = 1.0 / (1.0 + (-centipawns(sample) / config.in_scaling).exp());
        (points - f64::from(target.of(sample))).abs().powf(config.loss_exponent)
    };
    samples.iter().map(of).sum::<f64>() / samples.len() as f64
}

#[test]
#[ignore = "trains for minutes; prints the figures of docs/training.md; run by .ci/long"]
fn rounding_leaves_nothing_to_quantise() {
    let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/bootstrap.oarc");
    let spec = DataSpec { train: vec![Ingredient::new(bundled)], ..DataSpec::default() };
    let data = data::load(&spec, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let samples = &data.validation[..data.validation.len().min(10_000)];
    let positions: Vec<_> = samples.iter().map(|sample| sample.position).collect();
    for line in ["64 -> 16 -> 1", "64 screlu -> 16 screlu -> 1", "64 screlu -> 1"] {
        let layers: Layers = line.parse().unwrap();
        let [plain, rounded] = [false, true].map(|quantisation_aware| {
            let dir = tempfile::tempdir().unwrap();
            let job = TrainingJob {
                features: FeatureSet::parse("ALL").unwrap(),
                layers: layers.clone(),
                seed: 1,
                start: None,
                config: TrainingConfig {
                    epochs: 6,
                    positions_per_epoch: 200_000,
                    batch: 2_048,
                    learning_rate: 2e-3,
                    gamma: 0.7,
                    quantisation_aware,
                    ..TrainingConfig::default()
                },
                train: (&data.train).into(),
                stretches: &data.stretches,
                validation: samples,
                inventory: Some(&data.inventory),
                dir: dir.path(),
            };
            let outcome = train(&job, &mut |_| {}, &AtomicBool::new(false)).unwrap();
            let TrainingOutcome::Finished(trained) = outcome else {
                panic!("stopped without the flag")
            };
            let net = quantise(&trained.weights, &job.features, serde_json::Value::Null).unwrap();
            let error = QuantisationError::measure(&trained.weights, &net, &positions);
            let float = loss(&job.config, samples, |sample| {
                let scene = Scene::from(&sample.position);
                f64::from(trained.weights.evaluate(&job.features, &scene, sample.position.turn()))
            });
            let integer = loss(&job.config, samples, |sample| {
                let scene = Scene::from(&sample.position);
                f64::from(net.evaluate(&scene, sample.position.turn()))
            });
            println!(
                "{} quantisation-aware {quantisation_aware}: {}, error mean {:.2} 99 % {:.2} largest {:.2} cp, \
                 loss float {float:.6} integers {integer:.6}",
                job.layers,
                net.scales(),
                error.mean,
                error.percentile_99,
                error.largest
            );
            assert!((integer / float - 1.0).abs() < 0.005, "{float} in integers is {integer}");
            error
        });
        // A dense layer of bytes rounds more than the feature transformer.
        if layers.hidden().is_empty() {
            assert!(rounded.mean < plain.mean / 2.0, "{rounded:?} against {plain:?}");
        }
    }
}
