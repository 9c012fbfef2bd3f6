//! The Universal Chess Interface.
//!
//! Whatever a line says, it is obeyed, answered with an `info string`, or
//! ignored, never a reason to fall over. Lines are read up to a bound, so that
//! an endless one costs no more than reading it.

mod chances;
mod command;
mod events;
mod go;
mod hunt;
pub mod lines;
mod option;
mod out;
mod player;
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

/// Why an evaluation could not be had, in words for the user.
pub type EvaluatorError = Box<dyn std::error::Error + Send + Sync>;

/// Makes evaluations that judge alike, one for each thread.
pub type EvaluatorSource = Arc<dyn Fn() -> Box<dyn Evaluator> + Send + Sync>;

/// Gets an evaluation: from a net file, or the engine's own if `None`.
pub type EvaluatorLoader =
    Arc<dyn Fn(Option<&str>) -> Result<EvaluatorSource, EvaluatorError> + Send + Sync>;

/// What the program that speaks UCI brings along.
pub struct UciOptions {
    /// Name told to the interface.
    pub name: String,
    /// Gets the evaluation, at the start and for `setoption name EvalFile`.
    pub load_evaluator: EvaluatorLoader,
    /// Table size at the start, in MiB.
    pub hash_mb: usize,
    /// Parts of the search that are used.
    pub techniques: Techniques,
}

/// Speaks UCI until `quit` or the end of input. Only `stop` and `quit` cut a search with limits
/// short, and they are heard at once, whatever waits behind a search. Other commands wait for
/// its move, so that a script may pipe its commands in; at the end of input searches without a
/// limit end, and those to a depth or for a mate are given a minute.
///
/// # Errors
///
/// If the evaluation cannot be had; anything later is told in `info string`.
pub fn run_uci(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: UciOptions,
) -> Result<(), EvaluatorError> {
    let (events, bell) = Events::of(input)?;
    let session = Session::new(Out::new(output), options, bell)?;
    let (end, ended) = channel();
    Conversation { session, events, end }.go_on_elsewhere()?;
    ended.recv().unwrap_or_else(|_| Err("the conversation has broken off".into()))
}

/// A session and what it hears.
struct Conversation {
    session: Session,
    events: Events,
    /// Where its end is told.
    end: Sender<Result<(), EvaluatorError>>,
}

impl Conversation {
    /// Goes on until there is work, which is done here while another thread goes on, or to the
    /// end.
    fn go_on(mut self) {
        loop {
            match self.session.hear(self.events.next(self.session.patience())) {
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

    /// Goes on in a thread of its own, which can search.
    fn go_on_elsewhere(self) -> io::Result<()> {
        let thread = thread::Builder::new().name("uci".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(move || self.go_on()).map(drop)
    }
}

#[cfg(test)]
mod tests;
