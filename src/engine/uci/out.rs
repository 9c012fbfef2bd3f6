//! Output to the interface.

use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Characters of an `info string`; quotes of the input may be endless.
const LONGEST_INFO: usize = 400;

/// Output shared with the search thread; one line at a time.
#[derive(Clone)]
pub(super) struct Out(Arc<Mutex<dyn Write + Send>>);

impl Out {
    pub(super) fn new(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    /// Writes a line. An interface that hung up is noticed when input ends,
    /// so a failed write is not an error here.
    pub(super) fn line(&self, text: impl Display) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    /// Writes an `info string`.
    pub(super) fn info(&self, problem: impl Display) {
        let problem = problem.to_string();
        let mut text: String = problem.chars().take(LONGEST_INFO).collect();
        if text.len() < problem.len() {
            text.push('…');
        }
        for line in text.lines() {
            self.line(format_args!("info string {}", line.replace(char::is_control, "?")));
        }
    }
}
