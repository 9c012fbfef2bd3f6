//! Which positions of a game are worth training on.
//!
//! A static evaluation is asked in quiet positions; where a capture, a
//! promotion or an answer to a check is due, the score of a search says
//! little about the board as it stands, and learning it makes nets worse.
//! Trainers therefore drop such positions by default (nnue-pytorch: in check
//! or best move a capture; bullet's examples: also promotions and large scores).

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{GameMove, Score};
use crate::chess::Position;

/// Why a position is dropped. A position is counted under the first rule that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropRule {
    /// Nobody has judged it.
    NoScore,
    /// Too near the start.
    EarlyPly,
    /// A mate, or a score beyond the limit.
    LargeScore,
    /// The side to move is in check.
    InCheck,
    /// The move played is a capture or a promotion.
    Tactical,
}

impl DropRule {
    /// All rules in the order in which they are asked.
    pub const ALL: [DropRule; 5] = [
        DropRule::NoScore,
        DropRule::EarlyPly,
        DropRule::LargeScore,
        DropRule::InCheck,
        DropRule::Tactical,
    ];

    /// How to keep the positions it drops.
    pub fn advice(self) -> &'static str {
        match self {
            DropRule::NoScore => {
                "The games carry no scores: give games with scores (`[%eval …]` comments), or train on results alone with `filter = { base = \"quiet\", unscored = true }` and `result_weight = 1`"
            }
            DropRule::EarlyPly => "Lower `min_ply` in the filter",
            DropRule::LargeScore => "Raise `max_score` in the filter, or use `filter = \"none\"`",
            DropRule::InCheck | DropRule::Tactical => "Use `filter = \"none\"` to keep them",
        }
    }
}

impl fmt::Display for DropRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropRule::NoScore => "without a score",
            DropRule::EarlyPly => "before the first ply wanted",
            DropRule::LargeScore => "with a mate or large score",
            DropRule::InCheck => "in check",
            DropRule::Tactical => "where a capture or promotion was played",
        })
    }
}

/// How many positions each rule has dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropCounts([u64; DropRule::ALL.len()]);

impl DropCounts {
    /// Counts one position.
    pub fn add(&mut self, rule: DropRule) {
        self.0[rule as usize] += 1;
    }

    /// Takes up other counts.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }

    /// Dropped by that rule.
    pub fn count(&self, rule: DropRule) -> u64 {
        self.0[rule as usize]
    }

    /// Dropped by any.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The rule that dropped most, if any did.
    pub fn main_rule(&self) -> Option<DropRule> {
        DropRule::ALL
            .into_iter()
            .filter(|&rule| self.count(rule) > 0)
            .max_by_key(|&rule| self.count(rule))
    }
}

/// `12 in check, 30 without a score`.
impl fmt::Display for DropCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for rule in DropRule::ALL.into_iter().filter(|&rule| self.count(rule) > 0) {
            write!(f, "{separator}{} {rule}", self.count(rule))?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("none dropped") } else { Ok(()) }
    }
}

/// What to keep. In TOML a name, `"quiet"` or `"none"`, or a table that
/// starts from one of them: `{ base = "quiet", min_ply = 16, max_score = 2000 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Keep positions in check.
    pub checks: bool,
    /// Keep positions in which a capture or promotion was played.
    pub tactical: bool,
    /// Keep positions without a score (their sample says
    /// [`Sample::NO_SCORE`](super::Sample::NO_SCORE)); only for training on results.
    pub unscored: bool,
    /// Largest score kept, in centipawns, mates being beyond any; `None` keeps all.
    pub max_score: Option<u32>,
    /// First ply kept, counted from the start of the game (move 1 is ply 0).
    pub min_ply: u32,
}

impl Filter {
    /// Keeps every position that has a score.
    pub const NONE: Self =
        Self { checks: true, tactical: true, unscored: false, max_score: None, min_ply: 0 };

    /// The default: not in check, a quiet move played, |score| at most 5000 centipawns.
    pub const QUIET: Self = Self {
        checks: false,
        tactical: false,
        unscored: false,
        max_score: Some(5_000),
        min_ply: 0,
    };

    const NAMED: [(&'static str, Self); 2] = [("quiet", Self::QUIET), ("none", Self::NONE)];

    /// The rule that drops this position, in which `played` was played; `None` keeps it.
    pub fn judge(&self, position: &Position, played: &GameMove) -> Option<DropRule> {
        let m = played.played;
        if played.white_score.is_none() && !self.unscored {
            Some(DropRule::NoScore)
        } else if position.ply() < self.min_ply {
            Some(DropRule::EarlyPly)
        } else if played.white_score.is_some_and(|score| self.is_large(score)) {
            Some(DropRule::LargeScore)
        } else if !self.checks && position.is_check() {
            Some(DropRule::InCheck)
        } else if !self.tactical && (m.is_capture() || m.is_promotion()) {
            Some(DropRule::Tactical)
        } else {
            None
        }
    }

    fn is_large(&self, score: Score) -> bool {
        self.max_score.is_some_and(|max| match score {
            Score::Centipawns(cp) => cp.unsigned_abs() > max,
            Score::Mate(_) => true,
        })
    }

    fn name(&self) -> Option<&'static str> {
        Self::NAMED.into_iter().find(|(_, filter)| filter == self).map(|(name, _)| name)
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::QUIET
    }
}

/// A filter name that is not known.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown filter `{0}`: expected \"quiet\" or \"none\"")]
pub struct UnknownFilter(String);

impl FromStr for Filter {
    type Err = UnknownFilter;

    fn from_str(text: &str) -> Result<Self, UnknownFilter> {
        let named = Self::NAMED.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, filter)| filter).ok_or_else(|| UnknownFilter(text.to_owned()))
    }
}

/// The table form: what is not said is as in `base`.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    base: Option<String>,
    checks: Option<bool>,
    tactical: Option<bool>,
    unscored: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<u32>,
    min_ply: Option<u32>,
}

impl TryFrom<Table> for Filter {
    type Error = UnknownFilter;

    fn try_from(table: Table) -> Result<Self, UnknownFilter> {
        let base = table.base.map_or(Ok(Self::default()), |name| name.parse())?;
        Ok(Self {
            checks: table.checks.unwrap_or(base.checks),
            tactical: table.tactical.unwrap_or(base.tactical),
            unscored: table.unscored.unwrap_or(base.unscored),
            max_score: table.max_score.or(base.max_score),
            min_ply: table.min_ply.unwrap_or(base.min_ply),
        })
    }
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(name) = self.name() {
            return serializer.serialize_str(name);
        }
        // Based on "none" so that a missing `max_score` means no limit.
        let table = Table {
            base: Some("none".to_owned()),
            checks: Some(self.checks),
            tactical: Some(self.tactical),
            unscored: Some(self.unscored),
            max_score: self.max_score,
            min_ply: Some(self.min_ply),
        };
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = Filter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"quiet\", \"none\", or a table such as { base = \"quiet\", min_ply = 16 }")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Filter, E> {
        name.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Filter, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        table.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(filter: Filter, fen: &str, uci: &str, white_score: Option<Score>) -> Option<DropRule> {
        let position = Position::from_fen(fen).unwrap();
        let played = position.parse_uci(uci).unwrap();
        filter.judge(&position, &GameMove { played, white_score })
    }

    #[test]
    fn each_rule_drops_what_it_names() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let capture = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20";
        let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 20";
        let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 20";
        let cp = |n| Some(Score::Centipawns(n));
        let late = Filter { min_ply: 1, ..Filter::QUIET };
        for (expected, filter, fen, uci, score) in [
            (None, Filter::QUIET, start, "e2e4", cp(-5_000)),
            (Some(DropRule::NoScore), Filter::QUIET, start, "e2e4", None),
            (Some(DropRule::NoScore), Filter::NONE, start, "e2e4", None),
            (Some(DropRule::LargeScore), Filter::QUIET, start, "e2e4", cp(-5_001)),
            (Some(DropRule::LargeScore), Filter::QUIET, start, "e2e4", Some(Score::Mate(9))),
            (None, Filter::NONE, start, "e2e4", Some(Score::Mate(9))),
            (Some(DropRule::EarlyPly), late, start, "e2e4", cp(0)),
            (Some(DropRule::Tactical), late, capture, "e4d5", cp(0)),
            (None, late, capture, "e4e5", cp(0)),
            (Some(DropRule::Tactical), late, promotion, "a7a8q", cp(0)),
            (None, Filter::NONE, promotion, "a7a8q", cp(0)),
            (Some(DropRule::InCheck), late, check, "e1d1", cp(0)),
            (None, Filter { unscored: true, ..Filter::QUIET }, start, "e2e4", None),
        ] {
            assert_eq!(
                judge(filter, fen, uci, score),
                expected,
                "{filter:?} {fen} {uci} {score:?}"
            );
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Config {
        filter: Filter,
    }

    #[test]
    fn toml_forms() {
        let read = |text: &str| toml::from_str::<Config>(text).map(|c| c.filter);
        assert_eq!(read("filter = \"quiet\"").unwrap(), Filter::QUIET);
        assert_eq!(read("filter = \"none\"").unwrap(), Filter::NONE);
        assert_eq!(
            read("filter = { min_ply = 16 }").unwrap(),
            Filter { min_ply: 16, ..Filter::QUIET }
        );
        assert_eq!(
            read("filter = { base = \"none\", max_score = 900 }").unwrap(),
            Filter { max_score: Some(900), ..Filter::NONE }
        );
        assert!(
            read("filter = \"loud\"").unwrap_err().to_string().contains("\"quiet\" or \"none\"")
        );
        assert!(read("filter = { min_plies = 3 }").unwrap_err().to_string().contains("min_ply"));
        assert!(read("filter = 3").unwrap_err().to_string().contains("or a table"));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for filter in [
            Filter::QUIET,
            Filter::NONE,
            Filter { max_score: None, ..Filter::QUIET },
            Filter { min_ply: 8, max_score: Some(1), checks: false, ..Filter::NONE },
        ] {
            let text = toml::to_string(&Config { filter }).unwrap();
            assert_eq!(toml::from_str::<Config>(&text).unwrap(), Config { filter }, "{text}");
        }
    }

    #[test]
    fn counts_are_told_in_words() {
        let mut counts = DropCounts::default();
        assert_eq!(counts.to_string(), "none dropped");
        counts.add(DropRule::InCheck);
        counts.add(DropRule::NoScore);
        counts.add(DropRule::InCheck);
        assert_eq!(counts.to_string(), "1 without a score, 2 in check");
        assert_eq!(counts.main_rule(), Some(DropRule::InCheck));
    }
}
