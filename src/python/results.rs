//! `oplus.results`.

use std::path::PathBuf;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use report::Value;
use report::render::columns;

use super::error::{guarded, mistake, raised};
use super::waiting::interruptible;
use experiment::ExperimentError;

/// Columns of the nets of a run, by name.
#[pyfunction]
pub(crate) fn results(
    py: Python<'_>,
    folder: PathBuf,
) -> PyResult<Vec<(String, Vec<Bound<'_, PyAny>>)>> {
    guarded(|| {
        let table = interruptible(py, move |_| experiment::nets(&folder))?;
        let table = table.map_err(|error| match error {
            ExperimentError::Config(wrong) => mistake(*wrong),
            error => raised(error),
        })?;
        let converted = |(name, values): (String, Vec<Value>)| {
            let values: PyResult<_> = values.iter().map(|value| python(py, value)).collect();
            Ok((name, values?))
        };
        columns::of(&table).into_iter().map(converted).collect()
    })
}

fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Text(text) => text.into_bound_py_any(py),
        Value::Flag(flag) => flag.into_bound_py_any(py),
        Value::Count(count) => count.into_bound_py_any(py),
        Value::Counts(counts) => counts.into_bound_py_any(py),
        Value::Number(number) => number.into_bound_py_any(py),
        Value::Estimate(estimate) => estimate.value.into_bound_py_any(py),
        Value::Missing | Value::Remark(_) => Ok(py.None().into_bound(py)),
    }
}
