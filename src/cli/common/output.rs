//! Standard output, and what ends a program where it cannot be written: a full disk, a reader
//! that has gone.

use std::io::{self, Write};

use serde::Serialize;

use super::Failure;

/// Exit code when the reader of the output has gone, as `| head` does once it has enough: nothing
/// has failed.
pub(crate) const READER_GONE: u8 = 0;

/// The error message.
pub(crate) fn unwritten(error: &dyn std::fmt::Display) -> String {
    format!("cannot write to standard output: {error}; if the disk is full, free some space")
}

/// Ends the program where printing panics: quietly if the reader is gone, else with the system's
/// error.
pub(crate) fn end_where_printing_fails() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        let Some(failed) = message.strip_prefix("failed printing to std") else {
            return usual(panic);
        };
        if message.contains("Broken pipe") {
            std::process::exit(READER_GONE.into());
        }
        let reason = failed.split_once(": ").map_or(failed, |(_, reason)| reason);
        // Without standard error the exit code alone reports the failure.
        let _ = writeln!(io::stderr(), "error: {}", unwritten(&reason));
        std::process::exit(1);
    }));
}

/// Flushes standard output.
///
/// # Errors
/// Output that cannot be written.
pub(crate) fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Prints a value for programs.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}
