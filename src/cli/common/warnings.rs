//! Warnings about sets that are valid and may not be meant.

use features::FeatureSet;

pub(crate) fn of_set(set: &FeatureSet) {
    features::lints::of(set).iter().for_each(|lint| eprintln!("warning: {lint}"));
}
