//! The net that a run ends with.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random_samples;
use super::small::*;
use crate::{Keep, Kept, TrainedNet, TrainingJob};
use data::Sample;

/// Positions whose scores are noise, so that training overfits.
fn noise(count: usize) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut samples = random_samples(count, 9);
    samples.iter_mut().for_each(|sample| sample.score = rng.random_range(-800..800));
    samples
}

/// The result of a run of `epochs` epochs.
fn kept(samples: &[Sample], keep: Keep, epochs: u32) -> TrainedNet {
    let dir = tempfile::tempdir().unwrap();
    let mut job = job(samples, dir.path());
    (job.config.keep, job.config.epochs) = (keep, epochs);
    finish(&job)
}

#[test]
fn the_net_of_the_best_epoch_is_kept_unless_another_is_wanted() {
    let samples = noise(1200);
    let best = kept(&samples, Keep::default(), 12);
    let losses: Vec<f64> = best.history.iter().filter_map(|epoch| epoch.validation_loss).collect();
    let lowest = best.kept.validation_loss.unwrap();
    assert!(losses.iter().all(|&loss| loss >= lowest), "{losses:?}");
    assert_eq!(losses[best.kept.epoch as usize - 1], lowest);
    assert!(best.kept.epoch < 12, "noise is overfitted: {losses:?}");
    let last = kept(&samples, Keep::Last, 12);
    assert_eq!(last.kept, Kept::of(&last.history[11]));
    assert!(last.weights != best.weights);
    assert!(kept(&samples, Keep::Last, best.kept.epoch).weights == best.weights);
}

#[test]
fn without_validation_the_last_net_is_kept() {
    let samples = noise(1200);
    let ends = [Keep::Best, Keep::Last].map(|keep| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = TrainingJob { validation: &[], ..job(&samples, dir.path()) };
        job.config.keep = keep;
        finish(&job)
    });
    assert_eq!((ends[0].kept.epoch, ends[0].kept.validation_loss), (3, None));
    assert!(ends[0].weights == ends[1].weights);
}

/// The runs of fewer epochs that end with their last nets are those that are averaged.
#[test]
fn an_average_is_the_mean_of_the_last_nets() {
    let samples = random_samples(1200, 3);
    let average = kept(&samples, Keep::Swa { epochs: 3 }, 5);
    let last = [3, 4, 5].map(|epochs| kept(&samples, Keep::Last, epochs));
    assert_eq!((average.kept.first, average.kept.epoch), (3, 5));
    for (at, (name, mean)) in average.weights.tensors().into_iter().enumerate() {
        for (i, &ours) in mean.iter().enumerate() {
            let sum: f32 = last.iter().map(|net| net.weights.tensors()[at].1[i]).sum();
            assert!((ours - sum / 3.0).abs() < 1e-5 * (1.0 + ours.abs()), "{name} {i}: {ours}");
        }
    }
    let loss = average.kept.validation_loss.unwrap();
    assert!(last.iter().all(|net| net.kept.validation_loss != Some(loss)), "it is its own net");
    assert!(loss < last[0].kept.validation_loss.unwrap());
    // A run with fewer epochs averages all of them.
    assert_eq!(kept(&samples, Keep::Swa { epochs: 9 }, 2).kept.first, 1);
}
