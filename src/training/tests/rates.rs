//! The range test on real steps.

use std::sync::atomic::{AtomicBool, Ordering};

use super::random_samples;
use super::small::*;
use crate::trainer::find_rate;
use crate::{RateRange, RateTest, TrainingJob, Try};

fn tried(job: &TrainingJob<'_>, range: &str) -> RateTest {
    let range: RateRange = range.parse().unwrap();
    find_rate(job, range, &mut |_, _| {}, &AtomicBool::new(false)).unwrap().unwrap()
}

#[test]
fn it_finds_a_rate_that_teaches_whatever_the_threads() {
    let samples = random_samples(20_000, 2);
    let tests = [1, 3].map(|threads| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.config.threads = threads;
        let test = tried(&job, "1e-6..10");
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(Result::unwrap).collect();
        assert!(left.iter().all(|file| file.file_name() == ".lock"), "{left:?}");
        test
    });
    assert_eq!(tests[0], tests[1]);
    assert!(tests[0].blew_up(), "a rate of 10 diverges");
    let rates: Vec<f64> = tests[0].tries().iter().map(|at| at.rate).collect();
    assert!(rates.windows(2).all(|pair| pair[0] < pair[1]), "{rates:?}");

    let recommended = tests[0].recommended().unwrap();
    let last_loss = |learning_rate| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        (job.config.learning_rate, job.config.positions_per_epoch) = (learning_rate, 10_000);
        finish(&job).kept.validation_loss.unwrap()
    };
    let [low, good] = [recommended / 100.0, recommended].map(last_loss);
    assert!(good < low / 2.0, "{recommended}: {good}, a hundredth of it: {low}");
}

#[test]
fn it_begins_where_training_begins_and_can_be_stopped() {
    let samples = random_samples(1200, 3);
    let dir = tempfile::tempdir().unwrap();
    let job = job(&samples, dir.path());
    let test = tried(&job, "1e-6..1e-3");
    assert!(!test.blew_up() && test.tries().len() == 300);
    let mut first = None;
    let mut observer = |progress: &crate::Progress<'_>| {
        if let crate::Progress::Batch(batch) = progress {
            first.get_or_insert(batch.loss);
        }
    };
    crate::train(&job, &mut observer, &AtomicBool::new(false)).unwrap();
    assert_eq!(Some(test.tries()[0].loss), first);

    let (stop, mut steps) = (AtomicBool::new(false), 0);
    let mut observer = |step, _: &Try| {
        steps = step;
        stop.store(step == 7, Ordering::Relaxed);
    };
    assert_eq!(find_rate(&job, RateRange::default(), &mut observer, &stop).unwrap(), None);
    assert_eq!(steps, 7);
}
