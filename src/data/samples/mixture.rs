//! Several files in one training set, some seen more often than others.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use base::Content;

/// Frequency of a position relative to one of weight 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Weight(f64);

impl Weight {
    /// Every position once in each pass over the data.
    pub const ONE: Self = Self(1.0);

    /// Positions seen in a pass over `positions` positions; one at least.
    pub fn of(self, positions: usize) -> u64 {
        ((positions as f64 * self.0).round() as u64).max(1)
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::ONE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0} is no weight: write a number above 0, such as 0.5 or 2")]
pub struct InvalidWeight(f64);

impl TryFrom<f64> for Weight {
    type Error = InvalidWeight;

    fn try_from(weight: f64) -> Result<Self, InvalidWeight> {
        // Ten thousand times a hundred million positions can still be counted.
        if weight > 0.0 && weight <= 1e4 { Ok(Self(weight)) } else { Err(InvalidWeight(weight)) }
    }
}

impl From<Weight> for f64 {
    fn from(Weight(weight): Weight) -> f64 {
        weight
    }
}

/// A file or folder to train on, and its weight.
///
/// In TOML the path alone or `{ path = "games.oarc", weight = 0.5, blake3 = "1f2e…" }`; on the
/// command line `games.oarc` or `games.oarc@0.5`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ingredient {
    /// The file or folder.
    pub path: PathBuf,
    /// Frequency of its positions.
    pub weight: Weight,
    /// Content that the file must have.
    pub content: Option<Content>,
}

impl Ingredient {
    /// The ingredient with weight 1.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), weight: Weight::ONE, content: None }
    }
}

impl FromStr for Ingredient {
    type Err = InvalidWeight;

    /// The text behind the last `@` is a weight if it is a number and no file has the whole as its
    /// name.
    fn from_str(text: &str) -> Result<Self, InvalidWeight> {
        let parts = text.rsplit_once('@').filter(|_| !Path::new(text).exists());
        match parts.and_then(|(path, weight)| Some((path, weight.parse::<f64>().ok()?))) {
            Some((path, weight)) => Ok(Self { weight: weight.try_into()?, ..Self::new(path) }),
            None => Ok(Self::new(text)),
        }
    }
}

/// A table with all of it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTable {
    path: PathBuf,
    #[serde(default)]
    weight: Weight,
    #[serde(default, rename = "blake3", skip_serializing_if = "Option::is_none")]
    content: Option<Content>,
}

impl Serialize for Ingredient {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { path, weight, content } = self.clone();
        match (weight, content) {
            (Weight::ONE, None) => path.serialize(serializer),
            _ => FileTable { path, weight, content }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Ingredient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

/// Takes a path or a table.
struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Ingredient;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or `{ path = \"games.oarc\", weight = 0.5 }`")
    }

    fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<Ingredient, E> {
        PathBuf::deserialize(StrDeserializer::new(path)).map(Ingredient::new)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Ingredient, A::Error> {
        let FileTable { path, weight, content } =
            FileTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Ingredient { path, weight, content })
    }
}

/// Training samples that follow each other and have one weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    pub samples: usize,
    /// Their frequency.
    pub weight: Weight,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Data {
        train: Vec<Ingredient>,
    }

    #[test]
    fn paths_and_tables_are_read_and_written_back() {
        let text = "train = [\"a.oarc\", { path = \"b.oarc\", weight = 0.5 }]";
        let data: Data = toml::from_str(text).unwrap();
        let half = Ingredient { weight: Weight(0.5), ..Ingredient::new("b.oarc") };
        assert_eq!(data.train, [Ingredient::new("a.oarc"), half.clone()]);
        let written = toml::to_string(&data).unwrap();
        assert_eq!(toml::from_str::<Data>(&written).unwrap(), data);
        assert!(written.contains("\"a.oarc\","), "{written}");
        assert_eq!("b.oarc@0.5".parse(), Ok(half));
        assert_eq!("me@home.pgn".parse(), Ok(Ingredient::new("me@home.pgn")));
        let content = Content::of(b"games");
        let text = format!("train = [{{ path = \"a.oarc\", blake3 = \"{content}\" }}]");
        let data: Data = toml::from_str(&text).unwrap();
        let pinned = Ingredient { content: Some(content), ..Ingredient::new("a.oarc") };
        assert_eq!(data.train, [pinned]);
        assert_eq!(toml::from_str::<Data>(&toml::to_string(&data).unwrap()).unwrap(), data);
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for weight in ["0", "-1", "inf", "nan", "1e9"] {
            let error = format!("a.oarc@{weight}").parse::<Ingredient>().unwrap_err();
            assert!(error.to_string().contains("is no weight"), "{error}");
        }
        for text in ["[{ path = \"a\", weight = 0.0 }]", "[{ weight = 1.0 }]", "[3]"] {
            assert!(toml::from_str::<Data>(&format!("train = {text}")).is_err(), "{text}");
        }
    }
}
