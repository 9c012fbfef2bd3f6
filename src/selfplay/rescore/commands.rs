//! The UCI commands of a labelling run, as a file for an engine's input.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::LabelRequest;
use super::annotator::{AnnotatorError, LabelEffort, go};
use super::reading::{survey, tasks};
use super::task::LabelTask;
use arena::uci::{Phrases, Program};
use base::Silent;
use data::DataError;

/// Errors of writing commands.
#[derive(Debug, thiserror::Error)]
pub enum CommandsError {
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Annotator(#[from] AnnotatorError),
    #[error("cannot write the commands: {0}")]
    Write(#[from] io::Error),
}

/// Writes the commands of all questions, one behind the other; how many questions there are.
///
/// # Errors
/// Files that cannot be read; a disk that is full; an effort without a UCI command; the stop flag
/// while the files are read.
pub fn write_commands(
    from: &[PathBuf],
    request: &LabelRequest,
    program: &Program,
    effort: LabelEffort,
    out: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<u64, CommandsError> {
    let go = go(effort)?;
    let Some(survey) = survey(from, request, &mut Silent, stop)? else {
        return Err(DataError::Stopped.into());
    };
    writeln!(out, "uci")?;
    program.set_options().try_for_each(|line| writeln!(out, "{line}"))?;
    writeln!(out, "isready")?;
    let (mut phrases, mut questions, mut written) = (Phrases::default(), 0, Ok(()));
    let mut write = |task: LabelTask| {
        written = writeln!(out, "{}", phrases.forget(task.start()));
        task.questions(|question| {
            questions += 1;
            written = writeln!(out, "{}", question.commands(&go));
            written.is_ok()
        });
        written.is_ok()
    };
    tasks(from, request, survey.range, &mut write, stop)?;
    written?;
    if stop.load(Ordering::Relaxed) {
        return Err(DataError::Stopped.into());
    }
    writeln!(out, "quit")?;
    Ok(questions)
}
