//! How a filter is written: a name, or a table of what differs from it.

use std::fmt;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Filter;
use crate::share::Share;

const NAMED: [(&str, Filter); 2] = [("quiet", Filter::QUIET), ("none", Filter::NONE)];

/// A text that is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// A name that is not known.
    #[error("unknown filter `{0}`: expected \"quiet\" or \"none\"")]
    Unknown(String),
    /// A table that cannot be read.
    #[error(
        "{0}; a filter is quiet, none, or a table such as {{ base = \"quiet\", min_ply = 16 }}"
    )]
    Table(String),
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

fn named(text: &str) -> Result<Filter, FilterError> {
    let named = NAMED.into_iter().find(|(name, _)| *name == text);
    named.map(|(_, filter)| filter).ok_or_else(|| FilterError::Unknown(text.to_owned()))
}

/// The table form: what is not said is as in `base`.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tactical: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiet_lists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unscored: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ply: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_seed: Option<u32>,
}

impl TryFrom<Table> for Filter {
    type Error = FilterError;

    fn try_from(table: Table) -> Result<Self, FilterError> {
        let base = table.base.map_or(Ok(Self::default()), |name| named(&name))?;
        Ok(Self {
            checks: table.checks.unwrap_or(base.checks),
            tactical: table.tactical.unwrap_or(base.tactical),
            quiet_lists: table.quiet_lists.unwrap_or(base.quiet_lists),
            unscored: table.unscored.unwrap_or(base.unscored),
            max_score: table.max_score.or(base.max_score),
            min_ply: table.min_ply.unwrap_or(base.min_ply),
            keep: table.keep.unwrap_or(base.keep),
            skip_seed: table.skip_seed.unwrap_or(base.skip_seed),
        })
    }
}

/// What differs from the named filter it is based on.
impl From<Filter> for Table {
    fn from(filter: Filter) -> Self {
        // A table cannot take back the limit of "quiet".
        let (name, base) = match filter.max_score {
            Some(_) => ("quiet", Filter::QUIET),
            None => ("none", Filter::NONE),
        };
        Self {
            base: Some(name.to_owned()),
            checks: changed(filter.checks, base.checks),
            tactical: changed(filter.tactical, base.tactical),
            quiet_lists: changed(filter.quiet_lists, base.quiet_lists),
            unscored: changed(filter.unscored, base.unscored),
            max_score: filter.max_score.filter(|_| filter.max_score != base.max_score),
            min_ply: changed(filter.min_ply, base.min_ply),
            keep: changed(filter.keep, base.keep),
            skip_seed: changed(filter.skip_seed, base.skip_seed),
        }
    }
}

fn changed<T: PartialEq>(value: T, base: T) -> Option<T> {
    (value != base).then_some(value)
}

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match NAMED.into_iter().find(|(_, filter)| filter == self) {
            Some((name, _)) => serializer.serialize_str(name),
            None => Table::from(*self).serialize(serializer),
        }
    }
}

/// As it stands in TOML: `"quiet"`, `{ base = "quiet", min_ply = 16 }`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = toml::Value::try_from(self).map_err(|_| fmt::Error)?;
        value.fmt(f)
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
        named(name).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Filter, A::Error> {
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
        assert_eq!(table.parse(), Ok(kept));
        assert_eq!(kept.to_string(), table);
        assert_eq!(Filter::NONE.to_string(), "\"none\"");
        for (text, part) in [("loud", "loud"), ("{ tactical = 1 }", "a table"), ("{", "a table")] {
            let error = text.parse::<Filter>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    prop_compose! {
        fn filters()(
            flags in any::<[bool; 4]>(),
            max_score in any::<Option<u32>>(),
            min_ply in any::<u32>(),
            keep in 0.0..=1.0f64,
            skip_seed in any::<u32>(),
        ) -> Filter {
            let [checks, tactical, quiet_lists, unscored] = flags;
            let keep = Share::try_from(keep).unwrap();
            Filter { checks, tactical, quiet_lists, unscored, max_score, min_ply, keep, skip_seed }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(filter in filters()) {
            let text = toml::to_string(&Config { filter }).unwrap();
            prop_assert_eq!(toml::from_str::<Config>(&text).unwrap(), Config { filter });
            prop_assert_eq!(filter.to_string().parse(), Ok(filter));
        }
    }
}
