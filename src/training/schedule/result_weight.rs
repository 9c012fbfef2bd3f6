//! How much the game's result counts beside the score.

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Place, between};

/// Share of the game's result in the target, 0 to 1. In TOML a number, or a
/// table `{ from = 0.0, to = 0.5 }` for a line over the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ResultWeight {
    /// The same at every step.
    Constant(f64),
    /// A straight line.
    Line {
        /// At the first step.
        from: f64,
        /// At the last.
        to: f64,
    },
}

impl ResultWeight {
    pub fn at(self, place: Place) -> f64 {
        match self {
            ResultWeight::Constant(weight) => weight,
            ResultWeight::Line { from, to } => between(from, to, place.share()),
        }
    }

    /// The weight at the end of the run.
    pub fn last(self) -> f64 {
        self.ends()[1]
    }

    /// Weights at the first and the last step.
    pub fn ends(self) -> [f64; 2] {
        match self {
            ResultWeight::Constant(weight) => [weight; 2],
            ResultWeight::Line { from, to } => [from, to],
        }
    }

    pub fn lowest(self) -> f64 {
        let [from, to] = self.ends();
        from.min(to)
    }

    /// Whether results ever count.
    pub(crate) fn wants_results(self) -> bool {
        self.ends().into_iter().any(|weight| weight > 0.0)
    }

    /// Whether scores ever count.
    pub(crate) fn wants_scores(self) -> bool {
        self.lowest() < 1.0
    }

    /// Whether the weight of a step depends on how many there will be.
    pub(crate) fn knows_the_end(self) -> bool {
        matches!(self, ResultWeight::Line { .. })
    }
}

impl fmt::Display for ResultWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultWeight::Constant(weight) => write!(f, "{weight}"),
            ResultWeight::Line { from, to } => write!(f, "{{ from = {from}, to = {to} }}"),
        }
    }
}

/// A text that is no result weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no result weight: write a number such as 0.3, or two such as 0..0.5")]
pub struct WrongResultWeight(String);

/// Reads the form of the command line: `0.3` or `0..0.5`.
impl FromStr for ResultWeight {
    type Err = WrongResultWeight;

    fn from_str(text: &str) -> Result<Self, WrongResultWeight> {
        let number = |part: &str| part.parse().map_err(|_| WrongResultWeight(text.to_owned()));
        match text.split_once("..") {
            Some((from, to)) => Ok(ResultWeight::Line { from: number(from)?, to: number(to)? }),
            None => number(text).map(ResultWeight::Constant),
        }
    }
}

/// The table form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    from: f64,
    to: f64,
}

/// By hand, since serde's untagged enums cannot say what is wrong.
impl<'de> Deserialize<'de> for ResultWeight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Form)
    }
}

struct Form;

impl<'de> Visitor<'de> for Form {
    type Value = ResultWeight;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 0 to 1 or a table such as { from = 0.0, to = 0.5 }")
    }

    fn visit_f64<E>(self, weight: f64) -> Result<ResultWeight, E> {
        Ok(ResultWeight::Constant(weight))
    }

    fn visit_i64<E>(self, weight: i64) -> Result<ResultWeight, E> {
        Ok(ResultWeight::Constant(weight as f64))
    }

    fn visit_u64<E>(self, weight: u64) -> Result<ResultWeight, E> {
        Ok(ResultWeight::Constant(weight as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ResultWeight, A::Error> {
        let Line { from, to } = Line::deserialize(MapAccessDeserializer::new(map))?;
        Ok(ResultWeight::Line { from, to })
    }
}
