//! Warnings about sets and experiments that are valid and may not be meant.

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use base::Observer;
use experiment::{Experiment, grid, lints};
use features::FeatureSet;

pub(crate) fn of_set(set: &FeatureSet) {
    features::lints::of(set).iter().for_each(|lint| eprintln!("warning: {lint}"));
}

/// Of the experiment, and once of each of its sets.
pub(crate) fn of_experiment(experiment: &Experiment) -> Result<(), Failure> {
    let mut seen: Vec<String> = Vec::new();
    for run in grid::expand(experiment)? {
        let name = run.features.canonical().to_owned();
        if !seen.contains(&name) {
            of_set(run.features.set());
            seen.push(name);
        }
    }
    for lint in lints::of(experiment, stop_flag())? {
        Progress::default().warn(&lint);
    }
    Ok(())
}
