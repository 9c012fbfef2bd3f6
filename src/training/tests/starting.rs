//! Runs that begin with another net.

use std::sync::atomic::AtomicBool;

use super::random_samples;
use super::small::{fail, finish, job, layers, run_for};
use crate::start::{StartNet, WEIGHTS_FILE, read};
use crate::{Progress, TrainingJob, train};
use features::FeatureSet;
use nnue::FloatWeights;
use nnue_tools::floats;

/// A small net on ALL, trained.
fn trained() -> FloatWeights {
    let (samples, dir) = (random_samples(4000, 31), tempfile::tempdir().unwrap());
    finish(&job(&samples, dir.path())).weights
}

#[test]
fn a_run_goes_on_where_its_start_net_was() {
    let (start, all) = (trained(), FeatureSet::parse("ALL").unwrap());
    let (samples, dir) = (random_samples(4000, 32), tempfile::tempdir().unwrap());
    let mut larger = job(&samples, dir.path());
    larger.features = FeatureSet::parse("ALL + PH").unwrap();
    larger.layers = layers("24 -> 8 -> 1");
    larger.start = Some(StartNet { features: &all, weights: &start });
    let mut summaries = Vec::new();
    let mut observer = |progress: &Progress<'_>| {
        if let Progress::WarmStart(start) = progress {
            summaries.push(start.to_string());
        }
    };
    train(&larger, &mut observer, &AtomicBool::new(false)).unwrap();
    assert_eq!(summaries, ["ALL taken over; PH new, at zero"]);
}

#[test]
fn stopped_and_resumed_it_is_the_same_to_the_bit() {
    let (start, all) = (trained(), FeatureSet::parse("ALL").unwrap());
    let samples = random_samples(4000, 33);
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [straight, stopped] = dirs.each_ref().map(|dir| {
        let mut job = job(&samples, dir.path());
        job.start = Some(StartNet { features: &all, weights: &start });
        job
    });
    let net = finish(&straight).weights;
    run_for(&stopped, 9);
    assert!(finish(&stopped).weights == net);
    assert!(net.ft_weights != start.ft_weights && net.dense != start.dense);
}

#[test]
fn another_start_is_another_run() {
    let (start, all) = (trained(), FeatureSet::parse("ALL").unwrap());
    let (samples, dir) = (random_samples(1200, 34), tempfile::tempdir().unwrap());
    finish(&job(&samples, dir.path()));
    let start = Some(StartNet { features: &all, weights: &start });
    let error = fail(&TrainingJob { start, ..job(&samples, dir.path()) }).to_string();
    assert!(error.contains("its start is not given, here it is "), "{error}");
}

#[test]
fn what_a_start_is_read_from() {
    let (start, all) = (trained(), FeatureSet::parse("ALL").unwrap());
    let dir = tempfile::tempdir().unwrap();
    floats::save(&start, &all, &dir.path().join(WEIGHTS_FILE)).unwrap();
    let (read_back, features) = read(dir.path()).unwrap();
    assert_eq!((read_back, features.canonical()), (start, all.canonical()));
    let empty = tempfile::tempdir().unwrap();
    let error = read(empty.path()).unwrap_err().to_string();
    assert!(error.contains("net.oplus: cannot be read"), "{error}");
}

/// A penalty makes activations of the feature transformer rarer.
#[test]
fn a_penalty_silences_neurons() {
    let samples = random_samples(6000, 35);
    let active = |penalty: f64| {
        let dir = tempfile::tempdir().unwrap();
        let mut job = job(&samples, dir.path());
        job.layers = layers("64 pairwise -> 8 -> 1");
        job.config.activation_penalty = penalty;
        finish(&job).health.layers[0].active
    };
    let (free, taxed) = (active(0.0), active(1e-3));
    assert!(taxed < 0.8 * free, "{taxed} against {free}");
}
