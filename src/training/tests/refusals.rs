//! Refused jobs and their errors.

use super::small::*;
use super::{random_choices, random_samples};
use crate::{Optimiser, TrainingConfig, TrainingError, TrainingJob};
use chess::{PackedPosition, Position};
use data::{Stretch, Weight};
use features::FeatureSet;
use network::Compute;
use network::testing::every_compute;

#[test]
fn a_ranking_needs_choices() {
    let mut samples = random_choices(1200, 5);
    samples[7].played = 0;
    let dir = tempfile::tempdir().unwrap();
    let text = fail(&ranking(job(&samples, dir.path()))).to_string();
    assert!(text.contains("of 1 of 1200 positions the move played is not known"), "{text}");
}

#[test]
fn features_of_the_clock_need_clocks() {
    let dir = tempfile::tempdir().unwrap();
    let check = |clock: u32| {
        let mut samples = random_samples(1200, 6);
        for sample in &mut samples {
            let fen = sample.position.unpack().unwrap().fen();
            let board = fen.rsplitn(3, ' ').nth(2).unwrap();
            let position = Position::from_fen(&format!("{board} {clock} 40")).unwrap();
            sample.position = PackedPosition::pack(&position).unwrap();
        }
        let mut job = job(&samples, dir.path());
        job.features = FeatureSet::parse("halfmoves(BANDS(10)) * ALL").unwrap();
        job.check()
    };
    check(12).unwrap();
    let text = check(0).unwrap_err().to_string();
    assert!(text.contains("(`halfmoves`), and it is 0 in all 900 training positions"), "{text}");
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
    let config = TrainingConfig { batch: 901, ..job.config.clone() };
    let error = fail(&TrainingJob { config, ..job.clone() });
    assert!(matches!(error, TrainingError::BatchTooLarge { batch: 901, positions: 900 }));
    let config = TrainingConfig { gamma: 2.0, ..job.config.clone() };
    assert!(matches!(fail(&TrainingJob { config, ..job.clone() }), TrainingError::Config(_)));
    for device in [Compute::Ndarray, Compute::GPU] {
        if !every_compute().contains(&device) {
            let config = TrainingConfig { device, ..job.config.clone() };
            let error = fail(&TrainingJob { config, ..job.clone() });
            assert!(matches!(error, TrainingError::Device(_)), "{error}");
        }
    }
    assert!(!job.dir.exists());
}

#[test]
fn the_checkpoint_of_another_run_is_refused() {
    let samples = random_choices(1200, 10);
    let dir = tempfile::tempdir().unwrap();
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    let mut other_validation = job.validation.to_vec();
    other_validation[7].score += 1;
    let twice = [Stretch { samples: 100, weight: Weight::try_from(2.0).unwrap() }];
    let others = [
        (TrainingJob { seed: 2, ..job.clone() }, "seed"),
        (TrainingJob { layers: layers("24 -> 8 -> 1"), ..job.clone() }, "layers"),
        (TrainingJob { layers: layers("16 -> 8 -> 1, psqt"), ..job.clone() }, "layers"),
        (TrainingJob { train: job.train.as_slice()[1..].into(), ..job.clone() }, "data"),
        (TrainingJob { validation: &other_validation, ..job.clone() }, "data"),
        (TrainingJob { stretches: &twice, ..job.clone() }, "weights"),
        (TrainingJob { features: FeatureSet::parse("H").unwrap(), ..job.clone() }, "features"),
        (with(job.clone(), Optimiser::Ranger), "training.optimiser"),
        (ranking(job.clone()), "training.method"),
    ];
    for (other, what) in &others {
        let text = fail(other).to_string();
        assert!(text.contains(&format!("its {what} is")), "{text}");
    }
}
