//! Settings that determine the outcome of resumable work, compared key by key.
//!
//! Resuming with other settings would mix two outcomes. So the settings are kept with the work,
//! and the error names the first keys that differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A key of the settings whose value has changed; `rules.draw.moves` for one in tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub key: String,
    pub earlier: Option<Value>,
    pub now: Option<Value>,
}

impl Difference {
    /// `training.epochs 20`: the key with its present value.
    pub fn current(&self) -> String {
        format!("{} {}", self.key, shown(self.now.as_ref()))
    }
}

impl fmt::Display for Difference {
    /// `seed was 1, now it is 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, earlier, now } = self;
        write!(f, "{key} was {}, now it is {}", shown(earlier.as_ref()), shown(now.as_ref()))
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "not set".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => {
            let values: Vec<String> = values.iter().map(|value| shown(Some(value))).collect();
            format!("[{}]", values.join(", "))
        }
        Some(other) => other.to_string(),
    }
}

/// Differences between two settings, in the order of their keys.
pub fn differences(earlier: &impl Serialize, now: &impl Serialize) -> Vec<Difference> {
    let [earlier, now] = [normal(earlier), normal(now)].map(|settings| flattened(&settings));
    let keys: BTreeSet<&String> = earlier.keys().chain(now.keys()).collect();
    let compared = keys.into_iter().map(|key| Difference {
        key: key.clone(),
        earlier: earlier.get(key).cloned(),
        now: now.get(key).cloned(),
    });
    compared.filter(|difference| difference.earlier != difference.now).collect()
}

/// The first few of several differences; `None` if there are none.
pub fn summary(differences: &[Difference]) -> Option<String> {
    const SHOWN: usize = 4;
    let mut parts: Vec<String> = differences.iter().take(SHOWN).map(ToString::to_string).collect();
    match differences.len().saturating_sub(SHOWN) {
        0 => {}
        more => parts.push(format!("and {more} more")),
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The value as it reads back from JSON: numbers are rounded alike on both sides.
fn normal(settings: &impl Serialize) -> Value {
    let text = serde_json::to_string(settings).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn flattened(settings: &Value) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::new();
    flatten(settings, "", &mut values);
    values
}

fn flatten(value: &Value, path: &str, values: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(table) => {
            let separator = if path.is_empty() { "" } else { "." };
            for (key, value) in table {
                flatten(value, &format!("{path}{separator}{key}"), values);
            }
        }
        // An option that is off equals one that is left out.
        Value::Null => {}
        value => {
            values.insert(path.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_name_the_key_and_both_values() {
        let earlier = json!({"seed": 1, "rules": {"draw": {"moves": 2}, "plies": 3}, "a": null});
        let now = json!({"seed": 2, "rules": {"draw": null, "plies": 3}, "list": ["x", "y"]});
        assert_eq!(
            summary(&differences(&earlier, &now)).as_deref(),
            Some(
                "list was not set, now it is [x, y]; rules.draw.moves was 2, now it is not set; \
                 seed was 1, now it is 2"
            )
        );
        assert_eq!(summary(&differences(&now, &now)), None);
    }

    #[test]
    fn many_differences_are_counted() {
        let numbered = |value: u32| -> BTreeMap<String, u32> {
            (0..6).map(|key| (format!("k{key}"), value)).collect()
        };
        let text = summary(&differences(&numbered(0), &numbered(1))).unwrap();
        assert!(text.ends_with("k3 was 0, now it is 1; and 2 more"), "{text}");
    }

    #[test]
    fn numbers_equal_their_text() {
        let tiny = f64::from_bits(5e-4_f64.to_bits() + 1);
        let text = serde_json::to_string(&[tiny]).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert!(differences(&[tiny], &read).is_empty());
    }
}
