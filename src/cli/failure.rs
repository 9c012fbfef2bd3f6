//! How a command ends badly: the message a person reads and the exit code.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use miette::{GraphicalReportHandler, GraphicalTheme, Report};

use super::excerpt::Excerpt;
use super::output::{self, READER_GONE};
use experiment::ExperimentError;
use experiment::preflight::Unready;
use features::ExpressionError;
use nnue::LayersError;

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The request was wrong: exit code 2.
    Usage(Report),
    /// It failed on the way: exit code 1.
    Failed(Report),
    /// Whoever read the output has gone, which is nobody's fault and not told: the code that
    /// a program has that SIGPIPE ends.
    Unread,
    /// Stopped, and the same command goes on from there: exit code 75, with which `sysexits.h`
    /// asks to try again.
    Stopped(&'static str),
    /// Stopped, and nothing is kept: exit code 130, as of a program that Ctrl-C ends.
    Interrupted(&'static str),
}

impl Failure {
    /// The exit code of what was stopped and goes on when called again.
    pub(super) const STOPPED: u8 = 75;
    /// The exit code of what was stopped and begins anew when called again.
    pub(super) const INTERRUPTED: u8 = 130;

    /// A failed command with a plain message.
    pub(super) fn message(message: impl Into<String>) -> Self {
        Failure::Failed(Report::msg(message.into()))
    }

    /// A wrong request with a plain message.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(Report::msg(message.into()))
    }

    /// Wraps any error as a failure on the way.
    pub(super) fn from_error(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Failure::Failed(Report::from_err(error))
    }

    /// Standard output that could not be written.
    pub(super) fn unwritten(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::message(output::unwritten(&error)),
        }
    }

    /// Prints it to standard error; its exit code.
    pub(super) fn show(&self) -> ExitCode {
        let (report, code) = match self {
            Failure::Usage(report) => (report, 2),
            Failure::Failed(report) => (report, 1),
            Failure::Unread => return ExitCode::from(READER_GONE),
            Failure::Stopped(hint) | Failure::Interrupted(hint) => {
                eprintln!("stopped; {hint}");
                let kept = matches!(self, Failure::Stopped(_));
                return ExitCode::from(if kept { Self::STOPPED } else { Self::INTERRUPTED });
            }
        };
        let mut text = String::new();
        let (excerpt, is_plain) = (Excerpt::new(report.as_ref()), !has_colors());
        let theme = match is_plain {
            true => GraphicalTheme::unicode_nocolor(),
            false => GraphicalTheme::unicode(),
        };
        let handler =
            GraphicalReportHandler::new_themed(theme).with_width(100).with_links(!is_plain);
        match handler.render_report(&mut text, &excerpt) {
            Ok(()) => eprint!("error: {}", text.trim_start()),
            Err(_) => eprintln!("error: {report}"),
        }
        ExitCode::from(code)
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

impl From<Box<ExpressionError>> for Failure {
    fn from(error: Box<ExpressionError>) -> Self {
        Failure::Usage(Report::new(*error))
    }
}

impl From<LayersError> for Failure {
    fn from(error: LayersError) -> Self {
        Failure::Usage(Report::new(error))
    }
}

impl From<Box<Unready>> for Failure {
    fn from(unready: Box<Unready>) -> Self {
        Failure::Failed(Report::new(*unready))
    }
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Config(config) => Failure::Usage(Report::new(*config)),
            ExperimentError::Unready(unready) => unready.into(),
            other => Failure::from_error(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_can_be_declined() {
        let with = |name: &'static str, value: &'static str| {
            wants_colors(move |asked| (asked == name).then(|| value.into()))
        };
        assert!(with("NO_COLOR", "") && with("TERM", "xterm-256color"));
        assert!(!with("NO_COLOR", "1") && !with("TERM", "dumb"));
    }
}
