//! A part of what follows in a row: games, pairs, entries of files.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The n-th of so many parts, which follow each other: `3/16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Which, from 1.
    number: u32,
    of: u32,
}

/// A text that is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no shard: write which of how many, such as 3/16")]
pub struct NoShard(String);

impl Shard {
    pub const ALL: Self = Self { number: 1, of: 1 };

    /// So many, in their order.
    pub fn each_of(of: u32) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }

    /// As a part of a file's name: `shard-3-of-16`.
    pub fn slug(self) -> String {
        format!("shard-{}-of-{}", self.number, self.of)
    }

    /// From its [`slug`](Self::slug).
    pub fn from_slug(slug: &str) -> Option<Self> {
        let (number, of) = slug.strip_prefix("shard-")?.split_once("-of-")?;
        format!("{number}/{of}").parse().ok()
    }

    /// Number of all shards.
    pub fn count(self) -> u32 {
        self.of
    }

    pub fn range(self, entries: u64) -> Range<u64> {
        let bound =
            |number: u32| (u128::from(entries) * u128::from(number) / u128::from(self.of)) as u64;
        bound(self.number - 1)..bound(self.number)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err(NoShard(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = NoShard;

    fn try_from(text: String) -> Result<Self, NoShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_follow_each_other_and_leave_nothing_out() {
        for (entries, of) in [(0, 3), (1, 4), (100, 7), (u64::MAX / 2, 16)] {
            let mut end = 0;
            for number in 1..=of {
                let range = Shard { number, of }.range(entries);
                assert_eq!(range.start, end);
                end = range.end;
            }
            assert_eq!(end, entries);
        }
    }

    #[test]
    fn texts_are_shards_or_refused() {
        let shard: Shard = "3/16".parse().unwrap();
        assert_eq!(shard.to_string(), "3/16");
        assert_eq!(Shard::from_slug(&shard.slug()), Some(shard));
        assert_eq!(Shard::from_slug("shard-0-of-3"), None);
        for text in ["0/3", "4/3", "3", "a/b", "1/0", "1/2/3", ""] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("such as 3/16"), "{error}");
        }
    }
}
