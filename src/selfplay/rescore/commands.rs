//! What an engine would be told, as a file that it can be given.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Request;
use super::lesson::Lesson;
use super::reading::{lessons, survey};
use super::teacher::{Effort, TeacherError, go};
use arena::uci::{Phrases, Program};
use data::DataError;

/// Why no commands were written.
#[derive(Debug, thiserror::Error)]
pub enum CommandsError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Teacher(#[from] TeacherError),
    #[error("the commands cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes all that an engine would be told, were it asked ahead of its answers; how many
/// questions there are.
///
/// # Errors
/// Files that cannot be read; a disk that is full; an effort that no engine understands; the
/// stop flag while the files are looked through.
pub fn write_commands(
    from: &[PathBuf],
    request: &Request,
    program: &Program,
    effort: Effort,
    out: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<u64, CommandsError> {
    let go = go(effort)?;
    let Some(survey) = survey(from, request, &mut |_| {}, stop)? else {
        return Err(DataError::Stopped.into());
    };
    writeln!(out, "uci")?;
    program.set_options().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "isready")?;
    let (mut phrases, mut questions, mut written) = (Phrases::default(), 0, Ok(()));
    let mut write = |lesson: Lesson| {
        written = writeln!(out, "{}", phrases.forget(lesson.start()));
        lesson.questions(|question| {
            questions += 1;
            written = writeln!(out, "{}", question.commands(&go));
            written.is_ok()
        });
        written.is_ok()
    };
    lessons(from, request, survey.range, &mut write, stop)?;
    written?;
    if stop.load(Ordering::Relaxed) {
        return Err(DataError::Stopped.into());
    }
    writeln!(out, "quit")?;
    Ok(questions)
}
