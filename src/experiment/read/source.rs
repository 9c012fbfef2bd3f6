//! The text of a file, and where its keys stand in it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::ExperimentError;
use crate::validate::ValidationError;
use base::{Diagnostic, Place};

/// The text that errors point into.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) title: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(title: &str, text: &str) -> Self {
        Self { title: title.to_owned(), text: text.to_owned() }
    }

    /// An error that points to a place, if there is one.
    pub(super) fn error(
        &self,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        label: &str,
        help: Option<String>,
    ) -> ExperimentError {
        let Self { title, text } = self;
        let message = match span {
            Some(_) => message.into(),
            None => format!("{title}: {}", message.into()),
        };
        let place = span.map(|span| Place {
            title: title.clone(),
            text: text.clone(),
            span,
            label: label.to_owned(),
        });
        ExperimentError::Config(Box::new(Diagnostic { message, place, help }))
    }

    /// A mistake at the place of its key.
    pub(super) fn invalid(&self, error: ValidationError) -> ExperimentError {
        let ValidationError { path, part, message, label, help } = error;
        let span = self.span(&path).map(|value| match part {
            Some(part) => self.part(value, part),
            None => value,
        });
        self.error(span, message, &label, help)
    }

    /// The value of a key, or the nearest table above it that the file has.
    pub(super) fn span(&self, path: &str) -> Option<Range<usize>> {
        let table = DeTable::parse(&self.text).ok()?;
        let path: Vec<&str> = path.split('.').collect();
        in_table(table.get_ref(), &path)
    }

    /// Part of a string, whose first character stands behind a quotation mark.
    fn part(&self, value: Range<usize>, part: Range<usize>) -> Range<usize> {
        let start = value.start + 1;
        let span = start + part.start..start + part.end;
        let is_inside = span.end <= value.end && self.text.is_char_boundary(span.start);
        if is_inside && self.text.is_char_boundary(span.end) { span } else { value }
    }
}

fn in_table(table: &DeTable<'_>, path: &[&str]) -> Option<Range<usize>> {
    // A key may be quoted and have dots: `"training.epochs" = [8, 16]`.
    (1..=path.len()).rev().find_map(|count| {
        let name = path[..count].join(".");
        let (key, value) = table.iter().find(|(key, _)| key.get_ref().as_ref() == name)?;
        let below = in_value(value, &path[count..]);
        Some(below.unwrap_or_else(|| match value.get_ref() {
            DeValue::Table(_) => key.span(),
            _ => value.span(),
        }))
    })
}

fn in_value(value: &Spanned<DeValue<'_>>, path: &[&str]) -> Option<Range<usize>> {
    let (first, rest) = path.split_first()?;
    match value.get_ref() {
        DeValue::Table(table) => in_table(table, path),
        DeValue::Array(items) => {
            let item = items.get(first.parse::<usize>().ok()?)?;
            Some(in_value(item, rest).unwrap_or_else(|| item.span()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"name = "x"
[selfplay]
positions = 7
[grid]
features = ["ALL", "H + V"]
"training.epochs" = [1, 0]
training.batch = [2]
[data]
positions = 9
[training]
schedule = { kind = "cosine", final = 1.0 }
[evaluation]
match = [{ nodes = 1, games = 2 }, { nodes = 3, games = 4 }]
[[stages]]
training.epochs = 5
[[stages]]
[stages.training]
epochs = 6
"#;

    #[test]
    fn keys_are_found_by_their_paths() {
        for (path, place) in [
            ("name", Some("\"x\"")),
            ("selfplay.positions", Some("7")),
            ("data.positions", Some("9")),
            ("grid.features.1", Some("\"H + V\"")),
            ("grid.training.epochs.1", Some("0")),
            ("grid.training.epochs", Some("[1, 0]")),
            ("grid.training.batch", Some("[2]")),
            ("training.schedule.final", Some("1.0")),
            ("evaluation.match.1.games", Some("4")),
            ("stages.0.training.epochs", Some("5")),
            ("stages.1.training.epochs", Some("6")),
            // A key that is missing stands for its table.
            ("training.warmup", Some("training")),
            ("selfplay", Some("selfplay")),
            ("discover.lose", None),
        ] {
            let source = Source::new("file.toml", TEXT);
            let found = source.span(path).map(|span| &source.text[span]);
            assert_eq!(found, place, "{path}");
        }
    }
}
