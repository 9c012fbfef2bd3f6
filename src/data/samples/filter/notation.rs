//! Notation of a filter: a name, or a table of the fields that differ from it.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Filter, FilterTable};

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
        struct FilterLine {
            filter: Filter,
        }
        if !text.trim_start().starts_with('{') {
            return named(text.trim());
        }
        let line: Result<FilterLine, _> = toml::from_str(&format!("filter = {text}"));
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

impl<Net> TryFrom<FilterTable<Net>> for Filter<Net> {
    type Error = FilterError;

    fn try_from(table: FilterTable<Net>) -> Result<Self, FilterError> {
        let base = table.base.as_deref().map_or(Ok(Self::QUIET), named)?;
        let filter = table.over(base);
        filter.contradiction().map_or(Ok(filter), |wrong| Err(FilterError::Contradiction(wrong)))
    }
}

impl<Net> From<Filter<Net>> for FilterTable<Net> {
    fn from(filter: Filter<Net>) -> Self {
        // A table cannot take back the limit of "quiet".
        match filter.max_score {
            Some(_) => Self::difference(filter, "quiet", &Filter::QUIET),
            None => Self::difference(filter, "none", &Filter::NONE),
        }
    }
}

impl<Net: Serialize + Clone + PartialEq> Serialize for Filter<Net> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::QUIET {
            serializer.serialize_str("quiet")
        } else if *self == Self::NONE {
            serializer.serialize_str("none")
        } else {
            FilterTable::from(self.clone()).serialize(serializer)
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
        let table = FilterTable::deserialize(MapAccessDeserializer::new(map))?;
        table.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{StaticGap, Upset};
    use super::*;
    use crate::samples::share::Share;

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
            plies in any::<[u16; 3]>(),
            pieces in any::<[u8; 2]>(),
            shares in proptest::collection::vec(0.0..=1.0f64, 0..6),
            keep in 0.0..=1.0f64,
            upset in proptest::option::of((0.0..=1.0f64, 1.0..1e4f64)),
            net in proptest::option::of(("[a-z/ \"]{1,12}", any::<u32>())),
            skip_seed in any::<u32>(),
        ) -> Filter {
            let [checks, tactical, quiet_lists, winning_captures, unscored] = flags;
            let share = |share| Share::try_from(share).unwrap();
            let [min_ply, above, min_depth] = plies.map(u32::from);
            let [first, second] = pieces.map(u32::from);
            Filter {
                checks, tactical, quiet_lists, winning_captures, unscored, max_score,
                static_gap: net.map(|(net, max)| StaticGap { net: net.into(), max }),
                upset: upset.map(|(max, scale_cp)| Upset { max, scale_cp }),
                min_depth,
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
