//! Errors in expressions: message, place and advice.

use base::{Diagnostic, Place};

/// A mistake in an expression, of features or of layers, with its place.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    message: String,
    place: Place,
    help: Option<String>,
}

/// Result of reading an expression.
pub type Result<T> = std::result::Result<T, Box<ExpressionError>>;

/// Place in a text: bytes `start..end`.
pub type Span = std::ops::Range<usize>;

impl ExpressionError {
    /// `message` about `span` of `text`, whose `title` is such as "expression" or "definition of
    /// CENTRE".
    pub fn new(
        title: &str,
        text: &str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) -> Box<Self> {
        // A caret needs a character above it, also at the end of the text.
        let (text, span) = match span.is_empty() {
            true => (format!("{text} "), span.start..span.start + 1),
            false => (text.to_owned(), span),
        };
        let place = Place { title: title.to_owned(), text, span, label: label.into() };
        Box::new(Self { message: message.into(), place, help })
    }

    /// The same error in the longer text that its own text begins.
    pub(crate) fn in_text(self, text: &str) -> Box<Self> {
        let Self { message, place, help } = self;
        Self::new("expression", text, 0..text.len(), message, place.label, help)
    }

    /// Byte range of the mistake in the text it stands in.
    pub fn span(&self) -> Span {
        self.place.span.clone()
    }

    /// The text with the mistake in it, for a caret.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The remedy.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<ExpressionError> for Diagnostic {
    fn from(ExpressionError { message, place, help }: ExpressionError) -> Self {
        Self { message, place: Some(place), help }
    }
}

/// Advice to replace the mistake by `word`, which the parser must accept there.
pub(crate) fn meant(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// The nearest known word, if it is near enough to be a misspelling. Of several
/// the one that begins alike.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let begins_alike = candidate.chars().next() == lower.chars().next();
        (strsim::damerau_levenshtein(&lower, &candidate), !begins_alike)
    };
    known
        .into_iter()
        .map(|candidate| (distance(candidate), candidate))
        .min()
        .filter(|((distance, _), candidate)| *distance <= 1 + candidate.len().max(word.len()) / 4)
        .map(|(_, candidate)| candidate)
}
