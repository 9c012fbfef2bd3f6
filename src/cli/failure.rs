//! How a command ends badly: the message a person reads and the exit code.

use std::process::ExitCode;

use miette::{GraphicalReportHandler, GraphicalTheme, Report};

use crate::experiment::ExperimentError;
use crate::experiment::preflight::Unready;
use crate::features::ExpressionError;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The request was wrong: exit code 2.
    Usage(Report),
    /// It failed on the way: exit code 1.
    Failed(Report),
    /// Stopped by Ctrl-C; what was done is kept: exit code 1.
    Stopped(&'static str),
}

impl Failure {
    /// A failed command with a plain message.
    pub fn message(message: impl Into<String>) -> Self {
        Failure::Failed(Report::msg(message.into()))
    }

    /// A wrong request with a plain message.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(Report::msg(message.into()))
    }

    /// Wraps any error as a failure on the way.
    pub fn from_error(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Failure::Failed(Report::from_err(error))
    }

    /// Prints it to standard error; its exit code.
    pub fn show(&self) -> ExitCode {
        let (report, code) = match self {
            Failure::Usage(report) => (report, 2),
            Failure::Failed(report) => (report, 1),
            Failure::Stopped(hint) => {
                eprintln!("stopped; {hint}");
                return ExitCode::from(1);
            }
        };
        let theme = if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100);
        match handler.render_report(&mut text, report.as_ref()) {
            Ok(()) => eprint!("error: {}", text.trim_start()),
            Err(_) => eprintln!("error: {report}"),
        }
        ExitCode::from(code)
    }
}

impl From<Box<ExpressionError>> for Failure {
    fn from(error: Box<ExpressionError>) -> Self {
        Failure::Usage(Report::new(*error))
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
