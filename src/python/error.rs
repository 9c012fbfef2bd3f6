//! Errors of rooms as exceptions, with the text of the command line.

use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

use base::{Diagnostic, Message};
use nnue::{Layers, LayersError};
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    oplus,
    OplusError,
    PyValueError,
    "Wrong input, with the text of the command line."
);

/// Word before a message on the command line; an exception has its name there.
const HEADING: &str = "error: ";

/// The exception of an error.
pub(crate) fn raised(error: impl Error) -> PyErr {
    exception(&Message::of_error(&error))
}

/// The exception of a mistake in a text, with a caret at its place.
pub(crate) fn mistake(diagnostic: impl Into<Diagnostic>) -> PyErr {
    let diagnostic: Diagnostic = diagnostic.into();
    exception(&diagnostic.into())
}

/// The line of layers in a text.
pub(crate) fn parsed_layers(text: &str) -> PyResult<Layers> {
    text.parse().map_err(|error: LayersError| mistake(error.mistake().clone()))
}

/// An exception of this crate's own.
pub(crate) fn refused(message: impl Into<String>) -> PyErr {
    mistake(Diagnostic::new(message))
}

fn exception(message: &Message) -> PyErr {
    let text = message.plain();
    OplusError::new_err(text.strip_prefix(HEADING).unwrap_or(&text).to_owned())
}

/// The result of `work`; a panic becomes a `RuntimeError`.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic)))
}

/// The exception of a panic.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!("a bug in oplus: {text}"))
}
