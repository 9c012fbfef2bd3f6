//! The Universal Chess Interface.
//!
//! The engine is either idle, with the searcher at hand, or searching, with
//! the searcher lent to a thread: the two states of `Player`, so that nothing
//! can touch a running search but its stop flag. Whatever a line says, it is
//! answered or ignored, never a reason to fall over.

mod command;
pub mod lines;
mod player;

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::chess::{Key, Position};

use super::{Evaluator, bench};

use command::{Command, Go, SetOption};
use player::Player;

/// Why an evaluation could not be made, in words for the user.
pub type EvaluatorError = Box<dyn std::error::Error + Send + Sync>;

/// Makes an evaluation: from a net file, or the engine's own if `None`.
pub type EvaluatorFactory =
    Arc<dyn Fn(Option<&str>) -> Result<Box<dyn Evaluator>, EvaluatorError> + Send + Sync>;

/// What the program that speaks UCI brings along.
pub struct UciOptions {
    /// Name told to the interface.
    pub name: String,
    /// Makes the evaluation, at the start and for `setoption name EvalFile`.
    pub make_evaluator: EvaluatorFactory,
    /// Table size at the start, in MiB.
    pub hash_mb: usize,
}

/// Largest table that can be asked for, in MiB.
const MOST_HASH_MB: usize = 65_536;

/// Output shared with the search thread; one line at a time.
#[derive(Clone)]
pub(super) struct Out(Arc<Mutex<dyn Write + Send>>);

impl Out {
    /// Writes a line. An interface that hung up is noticed when input ends,
    /// so a failed write is not an error here.
    pub fn line(&self, text: impl std::fmt::Display) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    }

    /// Tells the user what went wrong.
    pub fn complain(&self, problem: impl std::fmt::Display) {
        for line in problem.to_string().lines() {
            self.line(format_args!("info string {line}"));
        }
    }
}

/// Speaks UCI until `quit` or the end of input. Only `stop` and `quit` cut a
/// search with limits short: other commands, and the end of input, wait for
/// its move, so that a script may pipe its commands in.
///
/// # Errors
/// If the evaluation cannot be made; anything later is told in `info string`.
pub fn run_uci(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    options: UciOptions,
) -> Result<(), EvaluatorError> {
    let out = Out(Arc::new(Mutex::new(output)));
    let mut session = Session::new(out, options)?;
    for line in input.split(b'\n') {
        // Input that cannot be read any more has ended.
        let Ok(line) = line else { break };
        if session.obey(&String::from_utf8_lossy(&line)) == Next::Quit {
            session.player.stop();
            return Ok(());
        }
    }
    session.player.finish();
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Next {
    Line,
    Quit,
}

struct Session {
    out: Out,
    name: String,
    make_evaluator: EvaluatorFactory,
    player: Player,
    position: Position,
    /// Keys of the earlier positions of the game.
    history: Vec<Key>,
    overhead_ms: u64,
    hash_mb: usize,
    /// The net in use; `None` for the engine's own evaluation.
    eval_file: Option<String>,
}

impl Session {
    fn new(out: Out, options: UciOptions) -> Result<Self, EvaluatorError> {
        let UciOptions { name, make_evaluator, hash_mb } = options;
        let hash_mb = hash_mb.clamp(1, MOST_HASH_MB);
        let player = Player::new(make_evaluator(None)?, hash_mb, out.clone());
        Ok(Self {
            out,
            name,
            make_evaluator,
            player,
            position: Position::default(),
            history: Vec::new(),
            overhead_ms: 10,
            hash_mb,
            eval_file: None,
        })
    }

    fn obey(&mut self, line: &str) -> Next {
        let command = match Command::parse(line) {
            Ok(Some(command)) => command,
            Ok(None) => return Next::Line,
            Err(problem) => {
                self.out.complain(problem);
                return Next::Line;
            }
        };
        match command {
            Command::Quit => return Next::Quit,
            Command::Uci => self.introduce(),
            Command::IsReady => self.out.line("readyok"),
            Command::Stop => self.player.stop(),
            Command::NewGame => {
                self.player.finish();
                self.player.change(|searcher| searcher.new_game());
            }
            Command::Position { fen, moves } => self.set_position(fen, &moves),
            Command::SetOption(option) => self.set_option(option),
            Command::Go(go) => self.go(&go),
            Command::Bench { depth } => self.bench(depth.unwrap_or(bench::DEPTH)),
            Command::Eval => self.evaluate(),
            Command::Display => self.display(),
        }
        Next::Line
    }

    fn introduce(&self) {
        let out = &self.out;
        out.line(format_args!("id name {}", self.name));
        out.line("id author the oplus authors");
        out.line(format_args!(
            "option name Hash type spin default {} min 1 max {MOST_HASH_MB}",
            self.hash_mb
        ));
        out.line("option name Clear Hash type button");
        out.line("option name EvalFile type string default <empty>");
        out.line("option name Move Overhead type spin default 10 min 0 max 5000");
        out.line("option name UCI_Chess960 type check default false");
        out.line("uciok");
    }

    /// Takes the whole line or nothing: a position with an illegal move in it
    /// leaves the old one standing.
    fn set_position(&mut self, fen: Option<String>, moves: &[String]) {
        let start = match fen.as_deref().map(Position::from_fen).transpose() {
            Ok(start) => start.unwrap_or_default(),
            Err(problem) => return self.out.complain(problem),
        };
        let mut position = start;
        let mut history = Vec::with_capacity(moves.len());
        for text in moves {
            match position.parse_uci(text) {
                Ok(m) => {
                    history.push(position.key());
                    position.play(m);
                }
                Err(problem) => return self.out.complain(problem),
            }
        }
        (self.position, self.history) = (position, history);
    }

    fn set_option(&mut self, option: SetOption) {
        self.player.finish();
        match option {
            SetOption::Hash(megabytes) => {
                self.hash_mb = megabytes.clamp(1, MOST_HASH_MB);
                let hash_mb = self.hash_mb;
                self.player.change(|searcher| searcher.set_hash(hash_mb));
            }
            SetOption::ClearHash => self.player.change(|searcher| searcher.new_game()),
            SetOption::MoveOverhead(milliseconds) => self.overhead_ms = milliseconds.min(5_000),
            SetOption::EvalFile(file) => match (self.make_evaluator)(file.as_deref()) {
                Ok(evaluator) => {
                    self.player.change(|searcher| searcher.set_evaluators(evaluator, []));
                    self.eval_file = file;
                }
                Err(problem) => self.out.complain(problem),
            },
            // The notation of a position follows from its castling rights.
            SetOption::Chess960 => {}
        }
    }

    fn go(&mut self, go: &Go) {
        self.player.finish();
        match go.limits(&self.position, self.overhead_ms) {
            Ok(limits) => self.player.start(self.position.clone(), self.history.clone(), limits),
            Err(problem) => self.out.complain(problem),
        }
    }

    fn bench(&mut self, depth: u32) {
        self.player.finish();
        match (self.make_evaluator)(self.eval_file.as_deref()) {
            Ok(evaluator) => self.player.bench(evaluator, depth),
            Err(problem) => self.out.complain(problem),
        }
    }

    fn evaluate(&mut self) {
        self.player.finish();
        let position = &self.position;
        let out = &self.out;
        self.player.change(|searcher| {
            let centipawns = searcher.evaluate(position);
            out.line(format_args!("info string evaluation {centipawns} cp for the side to move"));
        });
    }

    fn display(&self) {
        for rank in self.position.board().to_string().lines() {
            self.out.line(format_args!("info string {rank}"));
        }
        self.out.line(format_args!("info string fen {}", self.position.fen()));
        self.out.line(format_args!("info string key {:016x}", self.position.key()));
    }
}

#[cfg(test)]
mod tests;
