//! Which checkpoint belongs to which data.

use std::sync::atomic::AtomicBool;

use super::random_samples;
use super::small::*;
use crate::checkpoint::Checkpoint;
use crate::identity::{SAMPLED, sampled_identity};
use crate::{Progress, TrainingJob, train};
use data::Sample;

/// More samples to train on than earlier versions looked at.
fn many() -> Vec<Sample> {
    random_samples(1_000, 12).into_iter().cycle().take(2 * SAMPLED).collect()
}

/// The first sample to train on that earlier versions did not look at.
fn unseen(job: &TrainingJob<'_>) -> usize {
    let len = job.train.len() as u64;
    let seen: Vec<u64> = (0..SAMPLED as u64).map(|i| i * len / SAMPLED as u64).collect();
    (0..len).find(|i| seen.binary_search(i).is_err()).unwrap() as usize
}

fn changed(samples: &[Sample], place: usize) -> Vec<Sample> {
    let mut samples = samples.to_vec();
    samples[place].score = -samples[place].score - 1;
    samples
}

/// Makes the checkpoint one of an earlier version.
fn make_old(job: &TrainingJob<'_>) {
    let path = job.dir.join("checkpoint.bin");
    let mut checkpoint = Checkpoint::load(&path).unwrap().unwrap();
    checkpoint.header.identity = sampled_identity(job);
    checkpoint.save(&path, || Ok(())).unwrap();
}

fn warnings(job: &TrainingJob<'_>) -> Vec<String> {
    let mut told = Vec::new();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::Warning(warning) = progress {
            told.push(warning.to_string());
        }
    };
    train(job, &mut observer, &AtomicBool::new(false)).unwrap();
    told.retain(|told| told.contains("earlier version"));
    told
}

#[test]
fn one_score_of_all_that_changed_is_noticed() {
    let (samples, dir) = (many(), tempfile::tempdir().unwrap());
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    let other = changed(job.train, unseen(&job));
    let text = fail(&TrainingJob { train: &other, ..job.clone() }).to_string();
    assert!(text.contains("another run: its data is"), "{text}");
}

#[test]
fn a_checkpoint_of_an_earlier_version_is_taken_with_a_warning() {
    let (samples, dir) = (many(), tempfile::tempdir().unwrap());
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    make_old(&job);
    let other = changed(job.train, 0);
    let text = fail(&TrainingJob { train: &other, ..job.clone() }).to_string();
    assert!(text.contains("its training data is"), "{text}");
    let told = warnings(&job);
    assert!(told.len() == 1 && told[0].contains("65536 of the positions"), "{told:?}");
    assert_eq!(warnings(&job), [""; 0], "what was written since knows all of them");
}

/// Of few samples earlier versions had looked at every one.
#[test]
fn of_few_samples_there_is_nothing_to_warn_of() {
    let (samples, dir) = (random_samples(1_200, 13), tempfile::tempdir().unwrap());
    let job = job(&samples, dir.path());
    run_for(&job, 2);
    make_old(&job);
    assert_eq!(warnings(&job), [""; 0]);
}
