//! Entries left out of a file, by reason.
//!
//! Real files have bad entries. One of them must not end a long load, and
//! none may vanish unseen: each is counted by its reason, and the first few
//! keep their message.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use base::printable;

/// Number of messages kept.
const SHOWN: usize = 3;

/// Entries skipped, by reason `R`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(serialize = "R: Serialize", deserialize = "R: Deserialize<'de> + Ord"))]
pub struct SkipReport<R> {
    by_reason: BTreeMap<R, u64>,
    first: Vec<String>,
}

impl<R> Default for SkipReport<R> {
    fn default() -> Self {
        Self { by_reason: BTreeMap::new(), first: Vec::new() }
    }
}

impl<R: Ord + Copy> SkipReport<R> {
    /// Counts one entry; the message is only made while messages are kept.
    pub fn add(&mut self, reason: R, message: impl FnOnce() -> String) {
        *self.by_reason.entry(reason).or_default() += 1;
        if self.first.len() < SHOWN {
            // It quotes text from outside.
            self.first.push(printable(&message()).into_owned());
        }
    }

    /// Adds the report of entries read after these.
    pub fn merge(&mut self, later: Self) {
        for (reason, count) in later.by_reason {
            *self.by_reason.entry(reason).or_default() += count;
        }
        let room = SHOWN - self.first.len();
        self.first.extend(later.first.into_iter().take(room));
    }

    pub fn total(&self) -> u64 {
        self.by_reason.values().sum()
    }

    pub fn count(&self, reason: R) -> u64 {
        self.by_reason.get(&reason).copied().unwrap_or(0)
    }

    /// Reasons that occurred, with their counts.
    pub fn by_reason(&self) -> impl Iterator<Item = (R, u64)> + '_ {
        self.by_reason.iter().map(|(&reason, &count)| (reason, count))
    }

    /// The messages of the first three skipped entries: file, place, reason.
    pub fn first(&self) -> &[String] {
        &self.first
    }
}

/// `3 skipped (2 illegal move, 1 other variant)`.
impl<R: Ord + Copy + fmt::Display> fmt::Display for SkipReport<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.by_reason.is_empty() {
            return f.write_str("nothing skipped");
        }
        write!(f, "{} skipped (", self.total())?;
        for (i, (reason, count)) in self.by_reason().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {reason}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_is_reading_on() {
        let mut whole = SkipReport::default();
        let mut parts = [SkipReport::default(), SkipReport::default()];
        for i in 0..6u8 {
            whole.add(i % 2, || format!("entry {i}"));
            parts[usize::from(i / 2 >= 1)].add(i % 2, || format!("entry {i}"));
        }
        let [mut first, second] = parts;
        first.merge(second);
        assert_eq!(first, whole);
        assert_eq!(first.total(), 6);
        assert_eq!(first.count(1), 3);
        assert_eq!(first.first(), ["entry 0", "entry 1", "entry 2"]);
    }
}
