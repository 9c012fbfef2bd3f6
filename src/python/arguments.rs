//! Arguments of Python, with errors that name them.

use data::Filter;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFrozenSet, PyMapping, PySet, PyString};
use serde_json::Value;

use super::error::{raised, refused};

/// A count of any size; a negative one is an error, not an `OverflowError` without a name.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(transparent)]
pub(crate) struct Count(i128);

impl Count {
    pub(crate) const fn new(count: u64) -> Self {
        Self(count as i128)
    }

    /// The count as an integer type of the loader.
    ///
    /// # Errors
    /// A negative count, or one beyond the type.
    pub(crate) fn of<T: TryFrom<i128>>(self, argument: &str) -> PyResult<T> {
        let Self(count) = self;
        T::try_from(count).map_err(|_| {
            let fault = if count < 0 { "negative" } else { "too large" };
            refused(format!("{argument}: {count} is {fault}"))
        })
    }
}

/// One value, or those of a list, an array, a generator or another iterable with an order.
///
/// # Errors
/// A `TypeError` with the argument, its expected type and the one found; errors of the iterable.
pub(crate) fn one_or_several<'py, T: FromPyObjectOwned<'py>>(
    argument: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<T>> {
    if let Ok(one) = value.extract() {
        return Ok(vec![one]);
    }
    let wrong = || wrong_type(argument, &format!("{expected}, or several"), value);
    // Iterables that are one value, or have no order of several.
    let is_no_list = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.cast::<PyMapping>().is_ok()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>();
    if is_no_list {
        return Err(wrong());
    }
    let items = value.try_iter().map_err(|error| {
        match error.is_instance_of::<PyTypeError>(value.py()) {
            true => wrong(),
            false => error,
        }
    })?;
    let item = |(i, item): (usize, PyResult<Bound<'py, PyAny>>)| {
        let item = item?;
        item.extract().map_err(|_| wrong_type(&format!("{argument}[{i}]"), expected, &item))
    };
    items.enumerate().map(item).collect()
}

fn wrong_type(argument: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let name = found.get_type().name();
    let found = name.map_or_else(|_| String::new(), |name| format!(", found {name}"));
    PyTypeError::new_err(format!("{argument}: expected {expected}{found}"))
}

/// A filter by its name, as a table in one line, or as a mapping with the keys of the table.
#[derive(FromPyObject)]
pub(crate) enum FilterArgument<'py> {
    Text(String),
    Table(Bound<'py, PyMapping>),
}

impl FilterArgument<'_> {
    pub(crate) fn parsed(self) -> PyResult<Filter> {
        match self {
            Self::Text(text) => text.parse().map_err(raised),
            Self::Table(table) => {
                let keys = PyDict::new(table.py());
                keys.update(&table)?;
                let json = table.py().import("json")?.call_method1("dumps", (keys,));
                let json = json.map_err(|error| refused(format!("filter: {error}")))?;
                let refuse = |error: serde_json::Error| refused(format!("filter: {error}"));
                // By way of a value: the errors of a text name a line that the caller never wrote.
                let value: Value = serde_json::from_str(json.extract()?).map_err(refuse)?;
                serde_json::from_value(value).map_err(refuse)
            }
        }
    }
}
