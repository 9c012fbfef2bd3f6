//! The text of a file that errors point into.

use std::ops::Range;

use miette::{Diagnostic, NamedSource};

use crate::error::{ConfigError, ExperimentError};

/// The text errors point into.
pub(super) struct Source {
    pub(super) title: String,
    pub(super) text: String,
}

impl Source {
    /// An error that points to a place, if there is one.
    pub(super) fn error(
        &self,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        label: &str,
        help: Option<String>,
    ) -> ExperimentError {
        ExperimentError::Config(Box::new(ConfigError {
            message: message.into(),
            source_text: NamedSource::new(&self.title, self.text.clone()).with_language("TOML"),
            span: span.map(Into::into),
            label: label.to_owned(),
            help,
        }))
    }

    /// Where a key stands, as well as a text search can tell.
    pub(super) fn find(&self, key: &str) -> Option<Range<usize>> {
        let at = self.text.lines().scan(0, |offset, line| {
            let start = *offset;
            *offset += line.len() + 1;
            Some((start, line))
        });
        let is_key = |line: &str| {
            line.trim_start()
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        at.into_iter().find(|(_, line)| is_key(line)).map(|(start, line)| {
            let indent = line.len() - line.trim_start().len();
            start + indent..start + line.trim_end().len()
        })
    }

    /// Where a table begins.
    pub(super) fn find_table(&self, name: &str) -> Option<Range<usize>> {
        let header = format!("[{name}]");
        let start = self.text.find(&header)?;
        Some(start..start + header.len())
    }

    /// Where a key of a table stands.
    pub(super) fn find_in(&self, table: &str, key: &str) -> Option<Range<usize>> {
        let start = self.find_table(table)?.end;
        let end = self.text[start..].find("\n[").map_or(self.text.len(), |end| start + end);
        let part = Self { title: String::new(), text: self.text[start..end].to_owned() };
        part.find(key).map(|at| start + at.start..start + at.end)
    }

    /// An error in an expression, shown in the line of the file it stands in; `text` is where
    /// the expression stands.
    pub(super) fn expression_error(
        &self,
        text: Range<usize>,
        error: &features::ExpressionError,
    ) -> ExperimentError {
        let labels: Vec<_> = error.labels().into_iter().flatten().collect();
        let label = labels.first().and_then(|l| l.label()).unwrap_or("here").to_owned();
        let help = error.help().map(|h| h.to_string());
        let title = error
            .source_code()
            .and_then(|code| code.read_span(&(0..0).into(), 0, 0).ok()?.name().map(str::to_owned))
            .unwrap_or_default();
        let inner = error.span();
        // Inside a definition: its text stands elsewhere in the file.
        let (start, message) = match title.strip_prefix("definition of ") {
            Some(name) => match self.find(name) {
                Some(line) => {
                    let quote = self.text[line.clone()].find('"').unwrap_or(0);
                    (line.start + quote + 1, error.to_string())
                }
                None => (text.start + 1, format!("{title}: {error}")),
            },
            None => (text.start + 1, error.to_string()),
        };
        let span = start + inner.start..start + inner.end;
        let span = if self.text.is_char_boundary(span.start) && span.end <= self.text.len() {
            span
        } else {
            text
        };
        self.error(Some(span), message, &label, help)
    }

    /// Where a key of a stage stands, perhaps in braces: the last place that looks like it.
    pub(super) fn find_within(&self, key: &str) -> Option<Range<usize>> {
        let stages = self.text.find("[[stages]]").unwrap_or(0);
        let at = self.text.rfind(&format!("{key} =")).filter(|&at| at > stages);
        at.map(|at| at..at + key.len()).or_else(|| self.find_key_like(key))
    }

    /// Where a key stands, if need be as the end of a dotted or quoted one.
    pub(super) fn find_key_like(&self, key: &str) -> Option<Range<usize>> {
        let dotted = |ending: &str| {
            let at = self.text.find(&format!(".{key}{ending}"))?;
            let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
            Some(start..end)
        };
        ["\"", " =", "="].into_iter().find_map(dotted).or_else(|| self.find(key))
    }
}
