//! Warnings about dead neurons.

use std::sync::atomic::AtomicBool;

use super::random_samples;
use super::small::*;
use crate::{Progress, TrainingOutcome, Warning, train};

/// The last warning counts the neurons that the net's weights show as dead.
#[test]
fn the_counts_are_those_of_the_net() {
    let (samples, dir) = (random_samples(1200, 22), tempfile::tempdir().unwrap());
    let mut job = job(&samples, dir.path());
    job.config.learning_rate = 0.06;
    let mut reported = Vec::new();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::Warning(Warning::Lifeless { odd, .. }) = progress {
            reported.push(odd.clone());
        }
    };
    let outcome = train(&job, &mut observer, &AtomicBool::new(false)).unwrap();
    let TrainingOutcome::Finished(net) = outcome else { panic!("stopped without the flag") };
    assert!(net.health.lost() > 0, "a learning rate that is too high kills neurons");
    assert_eq!(reported.last(), Some(&net.health.odd()));
    assert!((290..=job.validation.len()).contains(&net.health.positions));
}
