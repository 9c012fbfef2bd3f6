//! A candidate added to a set.
//!
//! A candidate replaces the summands that are linear images of it: pieces by king file contain
//! pieces alone, for as many rows a move. The part that all copies of a block share is trained as a
//! factor.

use discovery::Candidate;
use features::{FeatureSet, Names, Summand, TrainedSet};

/// The summands of a set that are linear images of a candidate.
pub(crate) fn replaced<'s>(
    base: &'s FeatureSet,
    candidate: &FeatureSet,
    names: &Names,
) -> Vec<&'s Summand> {
    let is_image = |summand: &&Summand| {
        let alone = FeatureSet::compile(&summand.text, names);
        alone.is_ok_and(|alone| candidate.has_image(&alone))
    };
    base.summands().iter().filter(is_image).collect()
}

/// The sum, as it is trained: with factors where there are any.
pub(crate) fn sum(base: &FeatureSet, candidate: &Candidate, names: &Names) -> String {
    let replaced = replaced(base, &candidate.set, names);
    let kept = base.summands().iter().filter(|one| !replaced.iter().any(|it| it.text == one.text));
    let mut parts: Vec<&str> = kept.map(|summand| summand.text.as_str()).collect();
    parts.push(&candidate.name);
    with_factors(&parts.join(" + "), names)
}

fn with_factors(sum: &str, names: &Names) -> String {
    let shared = format!("train {sum} + factors");
    match TrainedSet::compile(&shared, names) {
        Ok(_) => shared,
        Err(_) => sum.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(base: &str, candidate: &str) -> String {
        let names = Names::catalogue();
        let base = FeatureSet::compile(base, &names).unwrap();
        sum(&base, &Candidate::parse(candidate).unwrap(), &names)
    }

    #[test]
    fn a_finer_set_replaces_a_coarser_one() {
        assert_eq!(added("ALL", "PV"), "ALL + PV");
        assert_eq!(added("ALL + PV", "KING-ALL"), "train PV + KING-ALL + factors");
        assert_eq!(added("mirror(ALL)", "BUCKETS-9-ALL"), "train BUCKETS-9-ALL + factors");
        assert_eq!(added("BUCKETS-9-ALL", "PV"), "train BUCKETS-9-ALL + PV + factors");
    }
}
