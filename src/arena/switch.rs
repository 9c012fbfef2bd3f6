//! A rule that may be switched off.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The word for a rule that is off.
const OFF: &str = "off";

/// A value, or `off`. In files, a number stands without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<T>(pub Option<T>);

impl<T: FromStr> FromStr for Switch<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text {
            OFF => Ok(Self(None)),
            text => Ok(Self(Some(text.parse()?))),
        }
    }
}

impl<T: Display> Display for Switch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str(OFF),
        }
    }
}

impl<T: Display> Serialize for Switch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_worded(self, serializer)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_worded(deserializer)
    }
}

/// Writes a value's text; a text that is a number as a number.
pub(crate) fn write_worded<S: Serializer>(
    value: &impl Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = value.to_string();
    match text.parse() {
        Ok(number) => serializer.serialize_i64(number),
        Err(_) => serializer.serialize_str(&text),
    }
}

/// Reads a value from a text or a number.
pub(crate) fn read_worded<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(TextOrNumber).and_then(|text| {
        text.parse().map_err(|error| de::Error::custom(format!("`{text}`: {error}")))
    })
}

/// Reads a text, or a number as its text.
struct TextOrNumber;

impl Visitor<'_> for TextOrNumber {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number or \"off\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct WordTable {
        bound: Switch<NonZeroU32>,
    }

    #[test]
    fn numbers_and_off_are_read_as_they_are_written() {
        let bound = |number| WordTable { bound: Switch(NonZeroU32::new(number)) };
        for (table, text) in [(bound(150), "bound = 150\n"), (bound(0), "bound = \"off\"\n")] {
            assert_eq!(toml::to_string(&table).unwrap(), text);
            assert_eq!(toml::from_str::<WordTable>(text).unwrap(), table);
        }
        for nonsense in ["0", "-1", "\"on\"", "true"] {
            let read = toml::from_str::<WordTable>(&format!("bound = {nonsense}"));
            assert!(read.is_err(), "{nonsense}: {read:?}");
        }
    }
}
