//! How a filter is written: a name, or a table of what differs from it.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Filter, StaticGap, Upset};
use crate::share::Share;
use chess::FULL_PHASE;

/// A text that is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    #[error("unknown filter `{0}`: expected \"quiet\" or \"none\"")]
    Unknown(String),
    #[error(
        "{0}; a filter is quiet, none, or a table such as {{ base = \"quiet\", min_ply = 16 }}"
    )]
    Table(String),
    #[error("{0}")]
    Contradiction(String),
}

/// A name, or a table as TOML writes it in one line.
impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        #[derive(Deserialize)]
        struct Line {
            filter: Filter,
        }
        if !text.trim_start().starts_with('{') {
            return named(text.trim());
        }
        let line: Result<Line, _> = toml::from_str(&format!("filter = {text}"));
        line.map(|line| line.filter).map_err(|error| FilterError::Table(error.message().to_owned()))
    }
}

fn named<Net>(text: &str) -> Result<Filter<Net>, FilterError> {
    match text {
        "quiet" => Ok(Filter::QUIET),
        "none" => Ok(Filter::NONE),
        _ => Err(FilterError::Unknown(text.to_owned())),
    }
}

/// The table form: what is not said is as in `base`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "Net: Deserialize<'de>"))]
struct Table<Net> {
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tactical: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_lists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winning_captures: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unscored: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ply: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_ply: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_pieces: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_pieces: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_by_phase: Option<Vec<Share>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_seed: Option<u32>,
    // Tables stand last, as TOML wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    upset: Option<Upset>,
    #[serde(skip_serializing_if = "Option::is_none")]
    static_gap: Option<StaticGap<Net>>,
}

impl<Net> Default for Table<Net> {
    fn default() -> Self {
        Self {
            base: None,
            checks: None,
            tactical: None,
            quiet_lists: None,
            winning_captures: None,
            unscored: None,
            max_score: None,
            min_ply: None,
            full_ply: None,
            min_pieces: None,
            max_pieces: None,
            keep_by_phase: None,
            keep: None,
            skip_seed: None,
            upset: None,
            static_gap: None,
        }
    }
}

impl<Net> TryFrom<Table<Net>> for Filter<Net> {
    type Error = FilterError;

    fn try_from(table: Table<Net>) -> Result<Self, FilterError> {
        let base: Self = table.base.map_or(Ok(Self::QUIET), |name| named(&name))?;
        let filter = Self {
            checks: table.checks.unwrap_or(base.checks),
            tactical: table.tactical.unwrap_or(base.tactical),
            quiet_lists: table.quiet_lists.unwrap_or(base.quiet_lists),
            winning_captures: table.winning_captures.unwrap_or(base.winning_captures),
            unscored: table.unscored.unwrap_or(base.unscored),
            max_score: table.max_score.or(base.max_score),
            static_gap: table.static_gap,
            upset: table.upset,
            min_ply: table.min_ply.unwrap_or(base.min_ply),
            full_ply: table.full_ply.unwrap_or(base.full_ply),
            min_pieces: table.min_pieces.unwrap_or(base.min_pieces),
            max_pieces: table.max_pieces.unwrap_or(base.max_pieces),
            keep_by_phase: table.keep_by_phase.unwrap_or(base.keep_by_phase),
            keep: table.keep.unwrap_or(base.keep),
            skip_seed: table.skip_seed.unwrap_or(base.skip_seed),
        };
        filter.contradiction().map_or(Ok(filter), |wrong| Err(FilterError::Contradiction(wrong)))
    }
}

impl<Net> Filter<Net> {
    /// What no position could ever satisfy, or nobody can have meant.
    fn contradiction(&self) -> Option<String> {
        let Self { min_ply, full_ply, min_pieces, max_pieces, .. } = self;
        if *full_ply > 0 && full_ply <= min_ply {
            return Some(format!(
                "full_ply = {full_ply} is not above min_ply = {min_ply}: all are kept from the \
                 later ply on, and a growing share before it"
            ));
        }
        if min_pieces > max_pieces {
            return Some(format!(
                "no position has at least min_pieces = {min_pieces} and at most max_pieces = \
                 {max_pieces} pieces"
            ));
        }
        if self.keep_by_phase.len() > FULL_PHASE as usize + 1 {
            let parts = FULL_PHASE + 1;
            return Some(format!(
                "keep_by_phase has {} shares, and a game no more than {parts} phases",
                self.keep_by_phase.len()
            ));
        }
        let Upset { max, scale_cp } = self.upset?;
        if !(0.0..=1.0).contains(&max) || scale_cp.is_nan() || scale_cp <= 0.0 {
            return Some(format!(
                "upset = {{ max = {max}, scale_cp = {scale_cp} }}: max is a difference of points, \
                 from 0 to 1, and scale_cp is above 0"
            ));
        }
        None
    }
}

/// What differs from the named filter it is based on.
impl<Net: Clone + PartialEq> From<&Filter<Net>> for Table<Net> {
    fn from(filter: &Filter<Net>) -> Self {
        // A table cannot take back the limit of "quiet".
        let (name, base) = match filter.max_score {
            Some(_) => ("quiet", Filter::<Net>::QUIET),
            None => ("none", Filter::<Net>::NONE),
        };
        Self {
            base: Some(name.to_owned()),
            checks: changed(&filter.checks, &base.checks),
            tactical: changed(&filter.tactical, &base.tactical),
            quiet_lists: changed(&filter.quiet_lists, &base.quiet_lists),
            winning_captures: changed(&filter.winning_captures, &base.winning_captures),
            unscored: changed(&filter.unscored, &base.unscored),
            max_score: filter.max_score.filter(|_| filter.max_score != base.max_score),
            min_ply: changed(&filter.min_ply, &base.min_ply),
            full_ply: changed(&filter.full_ply, &base.full_ply),
            min_pieces: changed(&filter.min_pieces, &base.min_pieces),
            max_pieces: changed(&filter.max_pieces, &base.max_pieces),
            keep_by_phase: changed(&filter.keep_by_phase, &base.keep_by_phase),
            keep: changed(&filter.keep, &base.keep),
            skip_seed: changed(&filter.skip_seed, &base.skip_seed),
            upset: filter.upset,
            static_gap: filter.static_gap.clone(),
        }
    }
}

fn changed<T: Clone + PartialEq>(value: &T, base: &T) -> Option<T> {
    (value != base).then(|| value.clone())
}

impl<Net: Serialize + Clone + PartialEq> Serialize for Filter<Net> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::QUIET {
            serializer.serialize_str("quiet")
        } else if *self == Self::NONE {
            serializer.serialize_str("none")
        } else {
            Table::from(self).serialize(serializer)
        }
    }
}

/// As it stands in TOML: `"quiet"`, `{ base = "quiet", min_ply = 16 }`.
impl<Net: Serialize + Clone + PartialEq> fmt::Display for Filter<Net> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = toml::Value::try_from(self).map_err(|_| fmt::Error)?;
        value.fmt(f)
    }
}

impl<'de, Net: Deserialize<'de>> Deserialize<'de> for Filter<Net> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable(PhantomData))
    }
}

struct NameOrTable<Net>(PhantomData<Net>);

impl<'de, Net: Deserialize<'de>> Visitor<'de> for NameOrTable<Net> {
    type Value = Filter<Net>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"quiet\", \"none\", or a table such as { base = \"quiet\", min_ply = 16 }")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Filter<Net>, E> {
        named(name).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Filter<Net>, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        table.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
        let quarter = Share::try_from(0.25).unwrap();
        assert_eq!(
            read("filter = { keep = 0.25, skip_seed = 3 }").unwrap(),
            Filter { keep: quarter, skip_seed: 3, ..Filter::QUIET }
        );
        for (text, part) in [
            ("filter = \"loud\"", "\"quiet\" or \"none\""),
            ("filter = { base = \"loud\" }", "\"quiet\" or \"none\""),
            ("filter = { min_plies = 3 }", "min_ply"),
            ("filter = { keep = 1.5 }", "1.5 is not a share"),
            ("filter = { min_ply = 8, full_ply = 8 }", "not above min_ply = 8"),
            ("filter = { min_pieces = 9, max_pieces = 8 }", "at least min_pieces = 9"),
            ("filter = { upset = { max = 2.0 } }", "from 0 to 1"),
            ("filter = { upset = { max = 0.5, scale_cp = 0.0 } }", "above 0"),
            ("filter = { upset = 0.5 }", "struct Upset"),
            ("filter = { keep_by_phase = [0.5, 2] }", "2 is not a share"),
            ("filter = { static_gap = { max = 60 } }", "net"),
            ("filter = 3", "or a table"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn the_form_of_the_command_line() {
        assert_eq!("quiet".parse(), Ok(Filter::QUIET));
        let table = "{ base = \"quiet\", tactical = true }";
        let kept = Filter { tactical: true, ..Filter::QUIET };
        assert_eq!(table.parse(), Ok(kept.clone()));
        assert_eq!(kept.to_string(), table);
        assert_eq!(Filter::<std::path::PathBuf>::NONE.to_string(), "\"none\"");
        for (text, part) in [("loud", "loud"), ("{ tactical = 1 }", "a table"), ("{", "a table")] {
            let error = text.parse::<Filter>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    prop_compose! {
        fn filters()(
            flags in any::<[bool; 5]>(),
            max_score in any::<Option<u32>>(),
            plies in any::<[u16; 2]>(),
            pieces in any::<[u8; 2]>(),
            shares in proptest::collection::vec(0.0..=1.0f64, 0..6),
            keep in 0.0..=1.0f64,
            upset in proptest::option::of((0.0..=1.0f64, 1.0..1e4f64)),
            net in proptest::option::of(("[a-z/ \"]{1,12}", any::<u32>())),
            skip_seed in any::<u32>(),
        ) -> Filter {
            let [checks, tactical, quiet_lists, winning_captures, unscored] = flags;
            let share = |share| Share::try_from(share).unwrap();
            let [min_ply, above] = plies.map(u32::from);
            let [first, second] = pieces.map(u32::from);
            Filter {
                checks, tactical, quiet_lists, winning_captures, unscored, max_score,
                static_gap: net.map(|(net, max)| StaticGap { net: net.into(), max }),
                upset: upset.map(|(max, scale_cp)| Upset { max, scale_cp }),
                min_ply,
                full_ply: if above == 0 { 0 } else { min_ply + above },
                min_pieces: first.min(second),
                max_pieces: first.max(second),
                keep_by_phase: shares.into_iter().map(share).collect(),
                keep: share(keep),
                skip_seed,
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(filter in filters()) {
            let text = toml::to_string(&Config { filter: filter.clone() }).unwrap();
            prop_assert_eq!(filter.to_string().parse(), Ok(filter.clone()));
            prop_assert_eq!(toml::from_str::<Config>(&text).unwrap(), Config { filter });
        }
    }
}
