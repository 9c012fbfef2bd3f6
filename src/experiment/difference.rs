//! Keys in which an experiment's file differs from its last run.

use base::identity::{self, Difference};

use super::config::Experiment;

/// Keys that decide results and differ between the resolved file of the last run and the
/// experiment; none if that file can no longer be read.
pub(crate) fn differences(then: &str, now: &Experiment) -> Vec<Difference> {
    const WITHOUT_RESULT: [&str; 6] =
        ["name", "question", "scale", "training.threads", "data.source", "data.licence"];
    // Through the types, so that keys that came later have their defaults.
    let Ok(then) = toml::from_str::<Experiment>(then) else { return Vec::new() };
    let mut all = identity::differences(&then, now);
    all.retain(|difference| !WITHOUT_RESULT.contains(&difference.key.as_str()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Overrides, parse};

    const FILE: &str = "name = \"x\"\n[grid]\nfeatures = [\"ALL\"]\n[data]\ntrain = [\"a.viri\"]\n";

    fn changed(set: &[&str]) -> Vec<String> {
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let now = parse("x", FILE, &Overrides { set, scale: None }).unwrap();
        differences(FILE, &now).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn differences_name_both_values() {
        assert!(changed(&[]).is_empty());
        assert!(changed(&["question=\"why?\"", "training.threads=3"]).is_empty());
        assert_eq!(changed(&["training.epochs=13"]), ["training.epochs was 20, now it is 13"]);
        let two = changed(&["grid.seed=[1, 2]", "define.C=\"ALL\""]);
        assert_eq!(
            two,
            ["define.C was not set, now it is ALL", "grid.seed was [1], now it is [1, 2]"]
        );
        assert!(
            differences("[nonsense", &parse("x", FILE, &Overrides::default()).unwrap()).is_empty()
        );
    }
}
