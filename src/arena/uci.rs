//! UCI engines in processes of their own, for matches and evaluations.
//!
//! Every wait has a deadline and ends when the stop flag is set; an engine that has exited or stays
//! silent is an error, never a hang.

mod answers;
mod group;
mod options;
mod process;

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use chess::{Move, Position};

use answers::Introduction;
pub use answers::Thoughts;
pub use group::end_all;
use process::Process;
pub use process::{EngineAnswer, Silence};

/// A UCI program and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; the program is looked up in `PATH`.
    pub command: Vec<String>,
    /// Options and their values, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Longest silence.
    pub patience: Duration,
}

/// An engine that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("engine `{command}`: {problem}")]
pub struct EngineError {
    command: String,
    problem: EngineProblem,
}

#[derive(Debug, thiserror::Error)]
enum EngineProblem {
    #[error(
        "start failed ({0}); give a UCI engine, or a .oplus net (`oplus net import` reads \
             those of other trainers)"
    )]
    Start(#[from] io::Error),
    #[error("no `{expected}` after `{request}`; is it a UCI engine?")]
    Silent { request: &'static str, expected: &'static str },
    #[error("it has no option `{name}`; it has {}", listed(.known))]
    NoOption { name: String, known: Vec<String> },
    #[error("its option `{name}` {takes}, not `{value}`")]
    Value { name: String, takes: String, value: String },
}

fn listed(options: &[String]) -> String {
    if options.is_empty() { "none".to_owned() } else { options.join(", ") }
}

impl Program {
    /// Lines that set its options.
    pub fn set_options(&self) -> impl Iterator<Item = String> {
        self.options.iter().map(|(name, value)| set_option(name, value))
    }

    /// Starts the engine and sets its options.
    ///
    /// # Errors
    /// An engine that cannot be started, does not speak UCI or lacks one of
    /// the options.
    pub fn start(&self, stop: &AtomicBool) -> Result<Engine, EngineError> {
        self.try_to_start(stop)
            .map_err(|problem| EngineError { command: self.command.join(" "), problem })
    }

    fn try_to_start(&self, stop: &AtomicBool) -> Result<Engine, EngineProblem> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| {
            EngineProblem::Start(io::Error::new(io::ErrorKind::NotFound, "no program given"))
        })?;
        let mut process = Process::start(program, arguments)?;
        let introduction = self.introduce(&mut process, stop)?;
        for (name, value) in &self.options {
            let line = introduction.set_option(name, value)?;
            let _ = process.say(&line);
        }
        let mut engine = Engine { process, introduction, phrases: Phrases::default() };
        engine
            .synchronise(Instant::now() + self.patience, stop)
            .map_err(|_| EngineProblem::Silent { request: "isready", expected: "readyok" })?;
        Ok(engine)
    }

    fn introduce(
        &self,
        process: &mut Process,
        stop: &AtomicBool,
    ) -> Result<Introduction, EngineProblem> {
        let mut introduction = Introduction::default();
        let until = Instant::now() + self.patience;
        process
            .say("uci")
            .and_then(|()| {
                process.listen(until, stop, |line| introduction.take(line).then_some(()))
            })
            .map_err(|_| EngineProblem::Silent { request: "uci", expected: "uciok" })?;
        Ok(introduction)
    }
}

impl Introduction {
    /// The line that sets an option, in the engine's spelling.
    fn set_option(&self, name: &str, value: &str) -> Result<String, EngineProblem> {
        let option = self.option(name).ok_or_else(|| {
            let known = self.options.iter().map(|option| option.name.clone()).collect();
            EngineProblem::NoOption { name: name.to_owned(), known }
        })?;
        let spelt = option.accepts(value).map_err(|takes| {
            let (name, value) = (option.name.clone(), value.to_owned());
            EngineProblem::Value { name, takes, value }
        })?;
        Ok(set_option(&option.name, &spelt))
    }
}

fn set_option(name: &str, value: &str) -> String {
    match value {
        "" => format!("setoption name {name}"),
        value => format!("setoption name {name} value {value}"),
    }
}

/// A running engine with its options set; dropping it ends the program.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    introduction: Introduction,
    phrases: Phrases,
}

impl Engine {
    /// The engine's name from its introduction.
    pub fn name(&self) -> Option<&str> {
        self.introduction.name.as_deref()
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Waits for `readyok`; older answers are dropped.
    ///
    /// # Errors
    /// The engine is late or has exited.
    pub fn synchronise(&mut self, until: Instant, stop: &AtomicBool) -> Result<(), Silence> {
        self.process.say("isready")?;
        self.process.listen(until, stop, |line| (line.trim() == "readyok").then_some(()))
    }

    /// Sends `ucinewgame`, and `UCI_Chess960` where it changes, before a game from that position.
    ///
    /// # Errors
    /// The engine has exited.
    pub fn forget(&mut self, start: &Position) -> Result<(), Silence> {
        self.process.say(&self.phrases.forget(start))
    }

    /// Sends the position: the start and all moves, so that the engine sees repetitions.
    ///
    /// # Errors
    /// The engine has exited.
    pub fn set_position(
        &mut self,
        start: &Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<(), Silence> {
        self.process.say(&position_line(start, moves))
    }

    /// Sends a line.
    ///
    /// # Errors
    /// The engine has exited.
    pub fn say(&mut self, line: &str) -> Result<(), Silence> {
        self.process.say(line)
    }

    /// Waits for the next `bestmove`.
    ///
    /// # Errors
    /// The engine is late or has exited.
    pub fn answer(&mut self, until: Instant, stop: &AtomicBool) -> Result<EngineAnswer, Silence> {
        self.process.answer(until, stop)
    }

    /// Gathers output for this time before reading it: free of cost with queued questions, and
    /// without a wake-up for every line.
    pub fn let_gather(&mut self, time: Duration) {
        self.process.let_gather(time);
    }
}

/// Commands that set up games, which depend on earlier ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phrases {
    chess960: bool,
}

impl Phrases {
    /// Lines to send before a game from that position.
    pub fn forget(&mut self, start: &Position) -> String {
        let chess960 = start.is_chess960();
        match std::mem::replace(&mut self.chess960, chess960) == chess960 {
            true => "ucinewgame".to_owned(),
            false => format!("ucinewgame\n{}", set_option("UCI_Chess960", &chess960.to_string())),
        }
    }
}

/// The `position` command of a position.
pub fn position_line(start: &Position, moves: impl IntoIterator<Item = Move>) -> String {
    let fen = start.fen();
    let mut line = match fen == Position::default().fen() {
        true => "position startpos".to_owned(),
        false => format!("position fen {fen}"),
    };
    let mut separator = " moves ";
    for played in moves {
        line.push_str(separator);
        // The notation of castling depends on the start alone.
        line.push_str(&start.uci(played));
        separator = " ";
    }
    line
}
