//! The Universal Chess Interface.
//!
//! Each line is executed, answered with an `info string`, or ignored, and never ends the session.
//! Lines are read up to a bound, so that an endless one costs no more than reading it.

mod wdl;
mod command;
mod events;
mod go;
mod mate_search;
pub mod lines;
mod option;
mod out;
mod searcher_thread;
mod session;
mod show;
mod strength;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::search::STACK_BYTES;
use super::{Evaluator, Techniques};
use events::Events;
use out::Out;
use session::{Next, Session};

/// Error of a failed evaluation, for the user.
pub type EvaluatorError = Box<dyn std::error::Error + Send + Sync>;

/// Makes evaluations that judge alike, one for each thread.
pub type EvaluatorSource = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;

/// Loads an evaluation: from a net file, or the engine's own if `None`.
pub type EvaluatorLoader =
    Arc<dyn Fn(Option<&str>) -> Result<EvaluatorSource, EvaluatorError> + Send + Sync>;

/// Options of a UCI program.
pub struct UciOptions {
    /// Name shown by the interface.
    pub name: String,
    /// Loads the evaluation, at the start and for `setoption name EvalFile`.
    pub load_evaluator: EvaluatorLoader,
    /// Table size at the start, in MiB.
    pub hash_mb: usize,
    /// Parts of the search that are used.
    pub techniques: Techniques,
}

/// Speaks UCI until `quit` or the end of input. Only `stop` and `quit` end a search with limits
/// early, at once, even if other commands wait. Other commands wait for its move, so that a script
/// may pipe its commands in; at the end of input, searches without a limit end, and those to a
/// depth or for a mate have a minute left.
///
/// # Errors
///
/// An evaluation that cannot be loaded; later errors are `info string`s.
pub fn run_uci(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: UciOptions,
) -> Result<(), EvaluatorError> {
    let (events, bell) = Events::of(input)?;
    let session = Session::new(Out::new(output), options, bell)?;
    let (end, ended) = channel();
    UciLoop { session, events, end }.go_on_elsewhere()?;
    ended.recv().unwrap_or_else(|_| Err("the session has ended".into()))
}

/// A session and its events.
struct UciLoop {
    session: Session,
    events: Events,
    /// Receives the result of the session.
    end: Sender<Result<(), EvaluatorError>>,
}

impl UciLoop {
    /// Runs until there is a search, which this thread makes while another one goes on, or to the
    /// end.
    fn go_on(mut self) {
        loop {
            match self.session.handle(self.events.next(self.session.patience())) {
                Next::Event => {}
                Next::Work(work) => {
                    let end = self.end.clone();
                    match self.go_on_elsewhere() {
                        Ok(()) => {
                            drop(end);
                            work.run();
                        }
                        Err(problem) => drop(end.send(Err(problem.into()))),
                    }
                    return;
                }
                Next::Quit => return drop(self.end.send(Ok(()))),
            }
        }
    }

    /// Runs in a thread of its own with a stack for searches.
    fn go_on_elsewhere(self) -> io::Result<()> {
        let thread = thread::Builder::new().name("uci".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(move || self.go_on()).map(drop)
    }
}

#[cfg(test)]
mod tests;
