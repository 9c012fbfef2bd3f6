//! Mistakes shown in a few words of what they stand in, however long that is.
//!
//! A line of an experiment, or an expression, may be as long as somebody's generator
//! makes it; nobody reads a screenful of it, and the crate that draws the caret counts
//! columns in 16 bits. So what is drawn is cut to a window around the mistake.

use std::fmt;

use base::printable;
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
    SpanContents,
};

/// Lines up to this length are shown whole.
const WHOLE: usize = 400;
/// What is shown of a longer one before the mistake, in characters.
const BEFORE: usize = 60;
/// And of the mistake and what follows.
const AFTER: usize = 160;
/// Lines of a mistake that are shown.
const LINES: usize = 8;
/// What stands for what is left out.
const CUT: &str = "…";
/// Characters of a message, a label or an advice.
const WORDS: usize = 2_000;

/// A diagnostic whose source is cut to a window.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    of: &'a dyn Diagnostic,
    window: Option<Window>,
}

impl<'a> Excerpt<'a> {
    /// Of a diagnostic with one label at most; of others the first is shown.
    pub(super) fn new(of: &'a dyn Diagnostic) -> Self {
        Self { of, window: Window::of(of) }
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shortened(&self.of.to_string()))
    }
}

impl std::error::Error for Excerpt<'_> {
    /// Below a message stands the cause that it does not tell itself.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let told = self.of.to_string();
        let mut cause = self.of.source();
        while let Some(error) = cause.filter(|error| told.contains(&error.to_string())) {
            cause = error.source();
        }
        cause
    }
}

impl Diagnostic for Excerpt<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.of.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.of.severity()
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.of.help().map(|help| Box::new(shortened(&help.to_string())) as Box<_>)
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.of.diagnostic_source()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.window.as_ref().map(|window| window as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Window { label, shown, .. } = self.window.as_ref()?;
        let label = LabeledSpan::new_with_span(label.clone(), shown.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// The place of a mistake, and what stands around it.
#[derive(Debug)]
struct Window {
    name: String,
    /// Line of the source with which it begins.
    first_line: usize,
    label: Option<String>,
    shown: Shown,
}

impl Window {
    fn of(diagnostic: &dyn Diagnostic) -> Option<Self> {
        let label = diagnostic.labels()?.next()?;
        let contents = diagnostic.source_code()?.read_span(label.inner(), 1, 1).ok()?;
        let text = std::str::from_utf8(contents.data()).ok()?;
        let from = label.offset().checked_sub(contents.span().offset())?;
        let to = (from + label.len()).min(text.len());
        Some(Self {
            name: contents.name().unwrap_or("text").to_owned(),
            first_line: contents.line(),
            label: label.label().map(shortened),
            shown: Self::around(text, from..to.max(from)),
        })
    }

    /// Cuts a text around a mistake in it.
    fn around(text: &str, mistake: std::ops::Range<usize>) -> Shown {
        let mut shown = Shown::default();
        let (mut start, mut begun) = (0, None);
        for (number, line) in text.split('\n').enumerate() {
            let place = |at: usize| at.saturating_sub(start).min(line.len());
            let (from, to) = (place(mistake.start), place(mistake.end));
            let piece = Piece::of(line, from);
            if number > 0 {
                shown.text.push('\n');
            }
            if begun.is_none() && mistake.start <= start + line.len() {
                begun = Some(number);
                shown.line = number;
                shown.cut = piece.cut;
                shown.span.start = shown.text.len() + piece.place(from);
                shown.span.end = shown.span.start;
            }
            if begun.is_some() && mistake.end > start {
                shown.span.end = shown.text.len() + piece.place(to);
            }
            shown.text.push_str(&piece.text);
            start += line.len() + 1;
            if begun.is_some_and(|begun| number >= begun + LINES) {
                break;
            }
        }
        shown
    }
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.shown.text.read_span(span, before, after)?;
        let at_mistake = inner.line() == self.shown.line && inner.span().offset() >= span.offset();
        let column = inner.column() + if at_mistake { self.shown.cut } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            inner.data(),
            *inner.span(),
            self.first_line + inner.line(),
            column,
            inner.line_count(),
        )))
    }
}

/// What is shown of a text.
#[derive(Debug, Default)]
struct Shown {
    text: String,
    /// Where the mistake stands in it.
    span: std::ops::Range<usize>,
    /// In which of its lines the mistake begins.
    line: usize,
    /// Columns that are missing before it in that line.
    cut: usize,
}

/// What is shown of a line.
struct Piece {
    text: String,
    kept: std::ops::Range<usize>,
    /// Bytes that stand for what was cut off before.
    head: usize,
    /// Columns that this saves.
    cut: usize,
}

impl Piece {
    /// Of a line that is of interest at that byte.
    fn of(line: &str, place: usize) -> Self {
        let kept = kept(line, place);
        let head = if kept.start > 0 { CUT } else { "" };
        let tail = if kept.end < line.len() { CUT } else { "" };
        let cut = kept.start.saturating_sub(head.len());
        Self { text: [head, &line[kept.clone()], tail].concat(), kept, head: head.len(), cut }
    }

    /// Where a byte of the line stands in the piece.
    fn place(&self, at: usize) -> usize {
        self.head + at.clamp(self.kept.start, self.kept.end) - self.kept.start
    }
}

/// The part of a line that is kept: all of it if it is short, else what stands around
/// `place`.
fn kept(line: &str, place: usize) -> std::ops::Range<usize> {
    if line.len() <= WHOLE {
        return 0..line.len();
    }
    let place = line.floor_char_boundary(place);
    let start = line.floor_char_boundary(place.saturating_sub(BEFORE));
    let end = line.floor_char_boundary((place + AFTER).min(line.len()));
    start..end
}

/// Words that fit a screen.
/// Words that fit a screen and do nothing to it: they may quote somebody else.
fn shortened(words: &str) -> String {
    let words = printable(words);
    if words.len() <= WORDS {
        return words.into_owned();
    }
    let half = WORDS / 2;
    let (head, tail) =
        (words.floor_char_boundary(half), words.ceil_char_boundary(words.len() - half));
    format!("{} {CUT} {}", &words[..head], &words[tail..])
}

#[cfg(test)]
mod tests {
    use miette::{GraphicalReportHandler, GraphicalTheme, NamedSource};
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, thiserror::Error, Diagnostic)]
    #[error("a mistake")]
    struct Mistake {
        #[source_code]
        text: NamedSource<String>,
        #[label("here")]
        span: SourceSpan,
    }

    fn drawn(text: &str, span: std::ops::Range<usize>) -> String {
        let text = NamedSource::new("file.toml", text.to_owned());
        let mistake = Mistake { text, span: span.into() };
        let mut drawn = String::new();
        GraphicalReportHandler::new_themed(GraphicalTheme::none())
            .with_width(100)
            .render_report(&mut drawn, &Excerpt::new(&mistake))
            .unwrap();
        drawn
    }

    #[test]
    fn short_texts_are_shown_as_they_are() {
        let drawn = drawn("one\ntwo = wrong\nthree\n", 10..15);
        assert!(drawn.contains("[file.toml:2:7]"), "{drawn}");
        for line in ["1 | one", "2 | two = wrong", "3 | three", "here"] {
            assert!(drawn.contains(line), "{line}: {drawn}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mistake() {
        let line = format!("{}wrong{}", " ".repeat(70_000), "x".repeat(90_000));
        let text = format!("{}\n{line}\nlast", "a".repeat(80_000));
        let drawn = drawn(&text, 150_001..150_006);
        assert!(drawn.contains("[file.toml:2:70001]"), "{drawn}");
        assert!(drawn.contains("wrongxxx") && drawn.contains("3 | last"), "{drawn}");
        assert!(drawn.len() < 2_000, "{}", drawn.len());
    }

    #[test]
    fn mistakes_of_many_lines_are_cut() {
        let text = "line\n".repeat(100_000);
        let drawn = drawn(&text, 10..400_000);
        assert!(drawn.contains("[file.toml:3:1]") && drawn.len() < 2_000, "{drawn}");
    }

    proptest! {
        #[test]
        fn whatever_the_text_it_is_drawn(
            lines in prop::collection::vec(("[aé\u{1F600}\t ]{0,9}", 0usize..200), 1..6),
            from in any::<prop::sample::Index>(),
            length in 0usize..3_000,
        ) {
            let lines: Vec<String> = lines.iter().map(|(text, times)| text.repeat(*times)).collect();
            let text = lines.join("\n");
            let from = text.floor_char_boundary(from.index(text.len() + 1));
            let to = text.floor_char_boundary((from + length).min(text.len()));
            let drawn = drawn(&text, from..to);
            prop_assert!(drawn.contains("a mistake") && drawn.len() < 12_000, "{}", drawn.len());
        }
    }
}
