//! Arguments of Python, with errors that name them.

use data::Filter;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
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

/// One value, or those of any iterable: a list, an array, a generator.
///
/// # Errors
/// A `TypeError` with the argument and its expected type; errors of the iterable itself.
pub(crate) fn one_or_several<'py, T: FromPyObjectOwned<'py>>(
    argument: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<T>> {
    if let Ok(one) = value.extract() {
        return Ok(vec![one]);
    }
    let wrong = |value: &Bound<'py, PyAny>| {
        let found = value.get_type().name();
        let found = found.map_or_else(|_| String::new(), |name| format!(", found {name}"));
        PyTypeError::new_err(format!("{argument}: expected {expected}, or several{found}"))
    };
    let item = |item: PyResult<Bound<'py, PyAny>>| {
        let item = item?;
        item.extract().map_err(|_| wrong(&item))
    };
    value.try_iter().map_err(|_| wrong(value))?.map(item).collect()
}

/// A filter by its name, as a table in one line, or as a dict with the keys of the table.
#[derive(FromPyObject)]
pub(crate) enum FilterArgument<'py> {
    Text(String),
    Table(Bound<'py, PyDict>),
}

impl FilterArgument<'_> {
    pub(crate) fn parsed(self) -> PyResult<Filter> {
        match self {
            Self::Text(text) => text.parse().map_err(raised),
            Self::Table(table) => {
                let json = table.py().import("json")?.call_method1("dumps", (table,))?;
                let refuse = |error: serde_json::Error| refused(format!("filter: {error}"));
                // By way of a value: the errors of a text name a line that the caller never wrote.
                let value: Value = serde_json::from_str(json.extract()?).map_err(refuse)?;
                serde_json::from_value(value).map_err(refuse)
            }
        }
    }
}
