//! WDL weight: the weight of the game's result beside the score.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use super::{SchedulePlace, between};
use crate::form;

/// Weight of the game's result (win, draw, loss) in the target, 0 to 1. In TOML a number, or a
/// table `{ from = 0.0, to = 0.5 }` for a line over the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WdlWeight {
    Constant(f64),
    Line {
        /// At the first step.
        from: f64,
        /// At the last.
        to: f64,
    },
}

impl WdlWeight {
    pub fn at(self, place: SchedulePlace) -> f64 {
        match self {
            WdlWeight::Constant(weight) => weight,
            WdlWeight::Line { from, to } => between(from, to, place.share()),
        }
    }

    /// The weight at the end of the run.
    pub fn last(self) -> f64 {
        self.ends()[1]
    }

    /// Weights at the first and the last step.
    pub fn ends(self) -> [f64; 2] {
        match self {
            WdlWeight::Constant(weight) => [weight; 2],
            WdlWeight::Line { from, to } => [from, to],
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

    /// Whether the weight of a step depends on the number of steps.
    pub(crate) fn depends_on_length(self) -> bool {
        matches!(self, WdlWeight::Line { .. })
    }
}

impl fmt::Display for WdlWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WdlWeight::Constant(weight) => write!(f, "{weight}"),
            WdlWeight::Line { from, to } => write!(f, "{{ from = {from}, to = {to} }}"),
        }
    }
}

/// A text that is no WDL weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no WDL weight: write a number such as 0.3, or two such as 0..0.5")]
pub struct WrongWdlWeight(String);

/// Reads the form of the command line: `0.3` or `0..0.5`.
impl FromStr for WdlWeight {
    type Err = WrongWdlWeight;

    fn from_str(text: &str) -> Result<Self, WrongWdlWeight> {
        let number = |part: &str| part.parse().map_err(|_| WrongWdlWeight(text.to_owned()));
        match text.split_once("..") {
            Some((from, to)) => Ok(WdlWeight::Line { from: number(from)?, to: number(to)? }),
            None => number(text).map(WdlWeight::Constant),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    from: f64,
    to: f64,
}

impl From<f64> for WdlWeight {
    fn from(weight: f64) -> Self {
        WdlWeight::Constant(weight)
    }
}

impl From<Line> for WdlWeight {
    fn from(Line { from, to }: Line) -> Self {
        WdlWeight::Line { from, to }
    }
}

impl<'de> Deserialize<'de> for WdlWeight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number from 0 to 1 or a table such as { from = 0.0, to = 0.5 }";
        form::number_or_table::<D, Self, Line>(deserializer, expecting)
    }
}
