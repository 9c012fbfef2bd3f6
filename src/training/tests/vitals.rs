//! Nets that are lifeless say so.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::random_samples;
use super::small::*;
use crate::data::Sample;
use crate::training::{Progress, TrainingError, TrainingJob, TrainingOutcome, Warning, train};

#[test]
fn a_net_that_says_one_thing_has_failed_and_stays_so() {
    let (samples, dir) = (random_samples(1200, 21), tempfile::tempdir().unwrap());
    let mut job = narrow_job(&samples, dir.path());
    job.seed = seed_that_dies(&samples);
    for _ in ["trained", "as the checkpoint has it"] {
        let error = fail(&job);
        assert!(matches!(error, TrainingError::Constant { .. }), "{error}");
        let text = error.to_string();
        for part in [" cp of every position", "never fire", "it began with 0.1)", "lower"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// One neuron a layer and a high learning rate: it dies early or lives on.
fn narrow_job<'a>(samples: &'a [Sample], dir: &'a Path) -> TrainingJob<'a> {
    let mut job = job(samples, dir);
    job.layers = layers(1, 1);
    job.config.learning_rate = 0.1;
    job
}

/// A seed of whose net no neuron survives; which one it is depends on how the processor
/// rounds.
fn seed_that_dies(samples: &[Sample]) -> u64 {
    let dies = |&seed: &u64| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = narrow_job(samples, dir.path());
        job.seed = seed;
        let outcome = train(&job, &mut |_| {}, &AtomicBool::new(false));
        outcome.is_err_and(|error| error.to_string().contains("never fire"))
    };
    (1..100).find(dies).expect("a neuron dies")
}

/// The net's weights say which neurons are lost; the last warning counts just these.
#[test]
fn the_counts_are_those_of_the_net() {
    let (samples, dir) = (random_samples(1200, 22), tempfile::tempdir().unwrap());
    let mut job = job(&samples, dir.path());
    job.config.learning_rate = 0.05;
    let mut told = Vec::new();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::Warning(Warning::Lifeless { odd, .. }) = progress {
            told.push(odd.clone());
        }
    };
    let outcome = train(&job, &mut observer, &AtomicBool::new(false)).unwrap();
    let TrainingOutcome::Finished(net) = outcome else { panic!("nobody raised the flag") };
    assert!(net.health.lost() > 0, "a learning rate that is too high kills neurons");
    assert_eq!(told.last(), Some(&net.health.odd()));
    assert!((290..=job.validation.len()).contains(&net.health.positions));
}
