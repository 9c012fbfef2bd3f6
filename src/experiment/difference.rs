//! Keys in which an experiment's file differs from its last run.

use std::collections::BTreeMap;
use std::fmt;

use super::config::Experiment;

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// `training.epochs`.
    pub key: String,
    /// The value of the last run; `None` where it was missing.
    pub then: Option<String>,
    pub now: Option<String>,
}

impl fmt::Display for Difference {
    /// `` `training.epochs` is 13, was 12 ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "not there".to_owned());
        write!(f, "`{}` is {}, was {}", self.key, text(&self.now), text(&self.then))
    }
}

/// Keys that decide results and differ between the resolved file of the last run and the
/// experiment; none if that file can no longer be read.
pub(crate) fn differences(then: &str, now: &Experiment) -> Vec<Difference> {
    // Through the types, so that newer keys have their defaults.
    let Ok(then) = toml::from_str::<Experiment>(then) else { return Vec::new() };
    let (then, now) = (flattened(&then), flattened(now));
    let keys: std::collections::BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let of_key = |key: &String| {
        let [then, now] = [&then, &now].map(|values| values.get(key).cloned());
        (then != now).then(|| Difference { key: key.clone(), then, now })
    };
    keys.into_iter().filter_map(of_key).collect()
}

/// The first few differences as text.
pub(crate) fn in_words(differences: &[Difference]) -> String {
    const SHOWN: usize = 4;
    let mut parts: Vec<String> = differences.iter().take(SHOWN).map(ToString::to_string).collect();
    match differences.len().saturating_sub(SHOWN) {
        0 => {}
        more => parts.push(format!("and {more} more")),
    }
    parts.join("; ")
}

/// Values by key, without keys that change no result.
fn flattened(experiment: &Experiment) -> BTreeMap<String, String> {
    const WITHOUT_RESULT: [&str; 5] =
        ["name", "question", "scale", "training.threads", "data.source"];
    let mut values = BTreeMap::new();
    if let Ok(toml::Value::Table(table)) = toml::Value::try_from(experiment) {
        flatten(&table, "", &mut values);
    }
    values.retain(|key, _| !WITHOUT_RESULT.contains(&key.as_str()));
    values
}

fn flatten(table: &toml::Table, above: &str, values: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let key = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        match value {
            toml::Value::Table(inner) => flatten(inner, &key, values),
            other => {
                values.insert(key, other.to_string());
            }
        }
    }
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
        assert_eq!(changed(&["training.epochs=13"]), ["`training.epochs` is 13, was 20"]);
        let two = changed(&["grid.seed=[1, 2]", "define.C=\"ALL\""]);
        assert_eq!(two, ["`define.C` is \"ALL\", was not there", "`grid.seed` is [1, 2], was [1]"]);
        assert!(
            differences("[nonsense", &parse("x", FILE, &Overrides::default()).unwrap()).is_empty()
        );
    }
}
