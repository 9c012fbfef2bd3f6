//! Errors as people read them: message, excerpt of the text with a caret, causes, help.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Place};
use super::printable::printable;

/// Width to which excerpts are cut, in columns.
const WIDTH: usize = 100;

/// Characters of a mistake that are underlined; an excerpt shows at least as many.
const LONGEST_MARK: usize = WIDTH / 2;

/// Characters of a message, a label or a help text.
const LONGEST: usize = 2_000;

/// An error message and its causes.
#[derive(Debug)]
pub struct Message {
    pub diagnostic: Box<Diagnostic>,
    /// Causes that the message does not name itself.
    causes: Vec<String>,
}

impl Message {
    pub fn of_error(error: &dyn Error) -> Self {
        let message = error.to_string();
        let chain = std::iter::successors(error.source(), |&cause| cause.source());
        let causes = chain.map(ToString::to_string).filter(|cause| !message.contains(cause));
        Self { causes: causes.collect(), ..Diagnostic::new(message.clone()).into() }
    }

    /// Text without colours, over several lines.
    pub fn plain(&self) -> String {
        self.drawn(Renderer::plain())
    }

    /// Text with the colours of a terminal.
    pub fn coloured(&self) -> String {
        self.drawn(Renderer::styled())
    }

    /// Text with the place in an excerpt.
    fn drawn(&self, renderer: Renderer) -> String {
        let Diagnostic { message, place, help } = &*self.diagnostic;
        let title = Level::ERROR.primary_title(shortened(message));
        let excerpt = place.as_ref().map(|Place { title, text, span, label }| {
            let span = marked(text, span);
            let place = AnnotationKind::Primary.span(span).label(shortened(label));
            Snippet::source(text).path(title).annotation(place)
        });
        let causes = self.causes.iter().map(|cause| Level::NOTE.message(shortened(cause)));
        let help = help.iter().map(|help| Level::HELP.message(shortened(help)));
        let group = title.elements(excerpt).elements(causes).elements(help);
        renderer.term_width(WIDTH).render(&[group])
    }
}

impl From<Diagnostic> for Message {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic: Box::new(diagnostic), causes: Vec::new() }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic.fmt(f)
    }
}

/// The first characters of a span, up to the end of the line in which it begins.
fn marked(text: &str, span: &Range<usize>) -> Range<usize> {
    let mistake = text.get(span.clone()).unwrap_or_default();
    let line = mistake.split('\n').next().unwrap_or_default();
    let length: usize = line.chars().take(LONGEST_MARK).map(char::len_utf8).sum();
    span.start..span.start + length
}

/// Text without control sequences of quoted input.
fn shortened(text: &str) -> String {
    let text = printable(text);
    if text.len() <= LONGEST {
        return text.into_owned();
    }
    let half = LONGEST / 2;
    let (head, tail) = (text.floor_char_boundary(half), text.ceil_char_boundary(text.len() - half));
    format!("{} … {}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use std::io;

    use proptest::prelude::*;

    use super::*;

    fn drawn(text: &str, span: Range<usize>) -> String {
        let (title, label) = ("file.toml".to_owned(), "here".to_owned());
        let place = Some(Place { title, text: text.to_owned(), span, label });
        Message::from(Diagnostic { place, ..Diagnostic::new("a mistake") }).plain()
    }

    #[test]
    fn places_have_a_caret() {
        let drawn = drawn("one\ntwo = wrong\nthree\n", 10..15);
        for line in ["error: a mistake", "--> file.toml:2:7", "2 | two = wrong", "^^^^^ here"] {
            assert!(drawn.contains(line), "{line}: {drawn}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mistake() {
        let line = format!("{}wrong{}", " ".repeat(70_000), "x".repeat(90_000));
        let text = format!("{}\n{line}\nlast", "a".repeat(80_000));
        let drawn = drawn(&text, 150_001..150_006);
        assert!(drawn.contains("file.toml:2:70001") && drawn.contains("wrongxxx"), "{drawn}");
        assert!(drawn.len() < 2_000, "{}", drawn.len());
    }

    #[test]
    fn mistakes_of_many_lines_are_cut() {
        let text = "line\n".repeat(100_000);
        let drawn = drawn(&text, 10..400_000);
        assert!(drawn.contains("file.toml:3:1") && drawn.len() < 2_000, "{drawn}");
    }

    #[test]
    fn causes_are_named_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Outer(&'static str, #[source] io::Error);
        let cause = || io::Error::other("the disk is full");
        let with = Message::of_error(&Outer("cannot write", cause()));
        assert_eq!(with.causes, ["the disk is full"]);
        let message = Message::of_error(&Outer("cannot write: the disk is full", cause()));
        assert!(message.causes.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_drawn(
            lines in prop::collection::vec(("[aé\u{1F600}\t ]{0,9}", 0usize..200), 1..6),
            from in any::<prop::sample::Index>(),
            length in 0usize..3_000,
        ) {
            let lines: Vec<String> = lines.iter().map(|(text, times)| text.repeat(*times)).collect();
            let text = lines.join("\n");
            let from = text.floor_char_boundary(from.index(text.len() + 1));
            let to = text.floor_char_boundary((from + length).min(text.len()));
            let drawn = drawn(&text, from..to);
            let characters = drawn.chars().count();
            prop_assert!(drawn.contains("a mistake") && characters < 2_000, "{characters}");
        }
    }
}
