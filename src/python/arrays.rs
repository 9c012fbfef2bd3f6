//! Numbers as numpy arrays, without a copy.

use numpy::{Element, IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

/// An array of one dimension.
pub(crate) type Array<T> = Py<PyArray1<T>>;

/// The numbers as an array, which takes their memory over.
pub(crate) fn array<T: Element>(py: Python<'_>, values: Vec<T>) -> Array<T> {
    values.into_pyarray(py).unbind()
}

/// The numbers as an array of a shape.
pub(crate) fn shaped<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    values.into_pyarray(py).reshape(shape.to_vec())
}
