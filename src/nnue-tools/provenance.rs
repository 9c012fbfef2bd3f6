//! Provenance of a net: a JSON object in its file.
//!
//! Training adds data, seed and configuration; program and date are the same for all. Readers
//! accept any object: entries of other versions of the program are shown as they are.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The environment variable with a fixed date for reproducible builds, in seconds since 1970
/// (reproducible-builds.org).
const FIXED_DATE: &str = "SOURCE_DATE_EPOCH";

pub(crate) const PROGRAM: &str = concat!("oplus ", env!("CARGO_PKG_VERSION"));

/// Program and date, to which more can be added.
pub fn now() -> Value {
    json!({ "program": PROGRAM, "date": date() })
}

/// Program and date with the entries of `more`, an object.
pub fn now_with(more: Value) -> Value {
    let mut all = now();
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        all.extend(more);
    }
    all
}

/// UTC in RFC 3339, to the second; empty if the clock stands before 1970 or
/// past the year 9999.
fn date() -> String {
    let fixed = std::env::var(FIXED_DATE).ok().and_then(|text| text.parse().ok());
    let since_1970 = fixed.map(Duration::from_secs).or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Duration::from_secs(now.as_secs()))
    });
    since_1970.and_then(rfc_3339).unwrap_or_default()
}

fn rfc_3339(since_1970: Duration) -> Option<String> {
    let seconds = i64::try_from(since_1970.as_secs()).ok()?;
    OffsetDateTime::from_unix_timestamp(seconds).ok()?.format(&Rfc3339).ok()
}

/// The entries of nested objects one by one, under keys such as `data.files.0.blake3`; texts
/// without quotes.
pub fn flattened(value: &Value) -> Vec<(String, String)> {
    let mut entries = Vec::new();
    flatten(value, String::new(), &mut entries);
    entries
}

fn flatten(value: &Value, key: String, entries: &mut Vec<(String, String)>) {
    let below = |name: &str| match key.as_str() {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, value)| flatten(value, below(name), entries));
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(i, item)| flatten(item, below(&i.to_string()), entries));
        }
        Value::String(text) => entries.push((key, text.clone())),
        Value::Null if key.is_empty() => {}
        other => entries.push((key, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // `date -u -d @N --rfc-3339=seconds`
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_298_399, "2026-11-21T21:59:59Z"),
        ] {
            assert_eq!(rfc_3339(Duration::from_secs(seconds)).as_deref(), Some(expected));
        }
        assert_eq!(rfc_3339(Duration::MAX), None);
    }

    #[test]
    fn nested_entries_have_dotted_keys() {
        let value = json!({
            "seed": 3,
            "data": { "files": [{ "file": "a.pgn" }, { "file": "b.pgn" }], "limit": null },
            "list": [1, 2],
        });
        let entries = flattened(&value);
        let entries: Vec<_> = entries.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let expected = [
            ("data.files.0.file", "a.pgn"),
            ("data.files.1.file", "b.pgn"),
            ("data.limit", "null"),
            ("list", "[1,2]"),
            ("seed", "3"),
        ];
        assert_eq!(entries, expected);
        assert_eq!(flattened(&Value::Null), []);
    }

    #[test]
    fn more_is_added() {
        let all = now_with(json!({ "seed": 7 }));
        assert_eq!(all["seed"], 7);
        assert!(all["program"].as_str().unwrap().starts_with("oplus "));
        assert!(all["date"].as_str().unwrap().ends_with('Z'));
    }
}
