//! Failures of commands: message and exit code.

mod classes;

use std::error::Error;
use std::io;
use std::process::ExitCode;

use super::output::{self, READER_GONE};
use base::{Diagnostic, Message};
use plan::{JobError, PlanError};

/// Failure of a command, by exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was wrong: exit code 2.
    Usage(Message),
    /// It failed on the way: exit code 1.
    Failed(Message),
    /// The reader of the output has gone, which is no error: exit code 0.
    Unread,
    /// Stopped, and the same command goes on from there: exit code 75, with which `sysexits.h`
    /// asks to try again.
    Stopped(&'static str),
    /// Stopped, and nothing is kept: exit code 130, as of a program that Ctrl-C ends.
    Interrupted(&'static str),
}

impl Failure {
    /// The exit code of a command that was stopped and resumes when called again.
    pub(crate) const STOPPED: u8 = 75;
    /// The exit code of a command that was stopped and starts from nothing when called again.
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
        anstream::eprintln!("{}", message.coloured());
        ExitCode::from(code)
    }
}

/// Wrong requests and stops are known by their types, other errors are failures on the way.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        classes::known(&error).unwrap_or_else(|| Self::from_error(error))
    }
}
