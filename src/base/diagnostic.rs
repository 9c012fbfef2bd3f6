//! Mistakes in a text that a user wrote: an expression, an experiment file.

use std::ops::Range;

/// A mistake, its place in the text, and its remedy.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    pub message: String,
    pub place: Option<Place>,
    pub help: Option<String>,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub struct Place {
    /// File name, or another name of the text.
    pub title: String,
    pub text: String,
    /// In bytes.
    pub span: Range<usize>,
    /// Words beside the caret.
    pub label: String,
}

impl Diagnostic {
    /// A message without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, help: None }
    }
}
