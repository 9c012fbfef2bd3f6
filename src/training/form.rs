//! Values with a short and a long form: a name or a table, `"pqr"` or
//! `{ kind = "pqr", kappa = 0.5 }`, also `pqr:kappa=0.5` as an option; a number or a table, `0.1`
//! or `{ from = 0.0, to = 0.5 }`.
//!
//! The type behind a name is an enum that serde tags with `kind`; a name is the
//! table with nothing but the kind. Serde's untagged enums would read all of them, but
//! their errors name no cause.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};

/// Reads a name or a table; `expecting` names an example of each.
///
/// # Errors
/// Those of `T`, and a value of another type.
pub(crate) fn name_or_table<'de, D, T>(
    deserializer: D,
    expecting: &'static str,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    deserializer.deserialize_any(NameOrTable { expecting, of: PhantomData })
}

/// Reads the form of the command line: `kind` or `kind:key=value,key=value`.
///
/// # Errors
/// Those of `T`, in the words of TOML.
pub(crate) fn of_option<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let (kind, keys) = text.split_once(':').unwrap_or((text, ""));
    let table = format!("kind = {kind:?}\n{}", keys.replace(',', "\n"));
    toml::from_str(&table).map_err(|error| error.message().to_owned())
}

struct NameOrTable<T> {
    expecting: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: DeserializeOwned> Visitor<'de> for NameOrTable<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        T::deserialize(MapDeserializer::new(std::iter::once(("kind", name))))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// Reads a number, or a table of the form `T`; `expecting` names an example of each.
///
/// # Errors
/// Those of `T`, and a value of another type.
pub(crate) fn number_or_table<'de, D, V, T>(
    deserializer: D,
    expecting: &'static str,
) -> Result<V, D::Error>
where
    D: Deserializer<'de>,
    V: From<f64>,
    T: DeserializeOwned + Into<V>,
{
    deserializer.deserialize_any(NumberOrTable { expecting, of: PhantomData::<(V, T)> })
}

struct NumberOrTable<VT> {
    expecting: &'static str,
    of: PhantomData<VT>,
}

impl<'de, V: From<f64>, T: DeserializeOwned + Into<V>> Visitor<'de> for NumberOrTable<(V, T)> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_f64<E>(self, number: f64) -> Result<V, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<V, E> {
        Ok((number as f64).into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<V, E> {
        Ok((number as f64).into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(T::into)
    }
}
