//! Nets that are lifeless say so.

use std::sync::atomic::AtomicBool;

use super::random_samples;
use super::small::*;
use crate::data::Sample;
use crate::training::{Progress, TrainingError, TrainingOutcome, Warning, train};

#[test]
fn a_net_that_says_one_thing_has_failed_and_stays_so() {
    let (samples, dir) = (random_samples(1200, 21), tempfile::tempdir().unwrap());
    let mut job = job(&samples, dir.path());
    job.config.epochs = 4;
    job.config.learning_rate = killing_rate(&samples);
    for _ in ["trained", "as the checkpoint has it"] {
        let error = fail(&job);
        assert!(matches!(error, TrainingError::Constant { positions: 300, .. }), "{error}");
        let text = error.to_string();
        for part in [" cp of every position", "never fire", "it began with 0.", "lower"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// A learning rate at which no neuron survives and nothing diverges. Which one it is depends
/// on how the processor rounds.
fn killing_rate(samples: &[Sample]) -> f64 {
    let kills = |&rate: &f64| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(samples, dir.path());
        (job.config.learning_rate, job.config.epochs) = (rate, 4);
        let outcome = train(&job, &mut |_| {}, &AtomicBool::new(false));
        matches!(outcome, Err(TrainingError::Constant { .. }))
    };
    [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6].into_iter().find(kills).expect("a killing rate")
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
    assert_eq!(net.health.positions, job.validation.len());
}
