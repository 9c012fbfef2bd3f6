//! Failures of commands: message and exit code.

mod classes;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::output::{self, READER_GONE};
use base::{Diagnostic, Place, printable};
use plan::{JobError, PlanError};

/// Width to which excerpts are cut, in columns.
const WIDTH: usize = 100;

/// Characters of a mistake that are underlined; an excerpt shows at least as many.
const LONGEST_MARK: usize = WIDTH / 2;

/// Characters of a message, a label or a help text.
const LONGEST: usize = 2_000;

/// Failure of a command, by exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was wrong: exit code 2.
    Usage(Message),
    /// It failed on the way: exit code 1.
    Failed(Message),
    /// The reader of the output has gone, which is no error: the exit code of a program that
    /// SIGPIPE ends.
    Unread,
    /// Stopped, and the same command goes on from there: exit code 75, with which `sysexits.h`
    /// asks to try again.
    Stopped(&'static str),
    /// Stopped, and nothing is kept: exit code 130, as of a program that Ctrl-C ends.
    Interrupted(&'static str),
}

/// An error message and its causes.
#[derive(Debug)]
pub(crate) struct Message {
    diagnostic: Box<Diagnostic>,
    /// Causes that the message does not name itself.
    causes: Vec<String>,
}

impl Message {
    fn of_error(error: &dyn Error) -> Self {
        let message = error.to_string();
        let chain = std::iter::successors(error.source(), |&cause| cause.source());
        let causes = chain.map(ToString::to_string).filter(|cause| !message.contains(cause));
        Self { causes: causes.collect(), ..Diagnostic::new(message.clone()).into() }
    }

    /// As a terminal shows it, with the place in an excerpt of its text.
    fn drawn(&self, renderer: &Renderer) -> String {
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
        renderer.render(&[group])
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

impl Failure {
    /// The exit code of a command that was stopped and goes on when called again.
    pub(crate) const STOPPED: u8 = 75;
    /// The exit code of a command that was stopped and begins anew when called again.
    pub(crate) const INTERRUPTED: u8 = 130;

    /// A failed command with a plain message.
    pub(crate) fn message(message: impl Into<String>) -> Self {
        Failure::Failed(Diagnostic::new(message).into())
    }

    /// A wrong request with a plain message.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(Diagnostic::new(message).into())
    }

    /// A failure on the way.
    pub(crate) fn from_error(error: impl Error) -> Self {
        Failure::Failed(Message::of_error(&error))
    }

    /// An error of a study.
    pub(crate) fn of_job(error: JobError) -> Self {
        PlanError::from(error).into()
    }

    /// Message and help.
    pub(crate) fn in_a_line(&self) -> String {
        match self {
            Failure::Usage(message) | Failure::Failed(message) => {
                let Diagnostic { message, help, .. } = &*message.diagnostic;
                help.iter().fold(message.clone(), |line, help| format!("{line}; {help}"))
            }
            Failure::Stopped(hint) | Failure::Interrupted(hint) => (*hint).to_owned(),
            Failure::Unread => String::new(),
        }
    }

    /// Standard output that could not be written.
    pub(crate) fn unwritten(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::message(output::unwritten(&error)),
        }
    }

    /// Prints the failure to standard error and returns its exit code.
    pub(crate) fn show(&self) -> ExitCode {
        let (message, code) = match self {
            Failure::Usage(message) => (message, 2),
            Failure::Failed(message) => (message, 1),
            Failure::Unread => return ExitCode::from(READER_GONE),
            Failure::Stopped(hint) | Failure::Interrupted(hint) => {
                eprintln!("stopped; {hint}");
                let kept = matches!(self, Failure::Stopped(_));
                return ExitCode::from(if kept { Self::STOPPED } else { Self::INTERRUPTED });
            }
        };
        let renderer = if has_colors() { Renderer::styled() } else { Renderer::plain() };
        eprintln!("{}", message.drawn(&renderer.term_width(WIDTH)));
        ExitCode::from(code)
    }
}

/// Wrong requests and stops are known by their types, other errors are failures on the way.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        classes::known(&error).unwrap_or_else(|| Self::from_error(error))
    }
}

/// Whether errors are coloured: on a terminal, unless its user wants none (no-color.org).
fn has_colors() -> bool {
    io::stderr().is_terminal() && wants_colors(|name| std::env::var_os(name))
}

fn wants_colors(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_unwanted = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = variable("TERM").is_some_and(|terminal| terminal == "dumb");
    !is_unwanted && !is_dumb
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(text: &str, span: Range<usize>) -> String {
        let (title, label) = ("file.toml".to_owned(), "here".to_owned());
        let place = Some(Place { title, text: text.to_owned(), span, label });
        let message = Message::from(Diagnostic { place, ..Diagnostic::new("a mistake") });
        message.drawn(&Renderer::plain().term_width(WIDTH))
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

    #[test]
    fn colours_can_be_declined() {
        let with = |name: &'static str, value: &'static str| {
            wants_colors(move |variable| (variable == name).then(|| value.into()))
        };
        assert!(with("NO_COLOR", "") && with("TERM", "xterm-256color"));
        assert!(!with("NO_COLOR", "1") && !with("TERM", "dumb"));
    }
}
