//! A UCI engine of its own process as a player.
//!
//! An engine may crash, hang, babble or answer nonsense; each of these costs
//! it the game and nothing else. Every wait has a deadline, and an engine that
//! is gone or does not answer is started anew before the next game.

mod answers;
mod process;
#[cfg(all(test, unix))]
mod tests;

use std::fmt::Write as _;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::forfeit::Forfeit;
use super::game::{Choice, Player, Turn};
use super::jitter::Jitter;
use super::time_control::TimeControl;
use answers::{Introduction, Thoughts, best_move};
use chess::{Color, Position};
use process::{Process, Silence};

/// An engine and what it is told before it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The program and its arguments; the program is looked up in `PATH`.
    pub command: Vec<String>,
    /// Options and their values, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// `go nodes`; many engines overstep it, some ignore it.
    pub nodes: Option<u64>,
    /// How its nodes vary.
    pub jitter: Option<Jitter>,
    /// `go depth`.
    pub depth: Option<u32>,
    /// Its clock.
    pub time_control: TimeControl,
    /// Without a clock: how long it may be silent before it has lost the game.
    pub patience: Duration,
}

/// An engine that cannot be played against.
#[derive(Debug, thiserror::Error)]
#[error("engine `{command}`: {problem}")]
pub struct EngineError {
    command: String,
    problem: EngineProblem,
}

#[derive(Debug, thiserror::Error)]
enum EngineProblem {
    #[error("it cannot be started ({0}); give a program that speaks UCI")]
    Start(#[from] io::Error),
    #[error("it did not answer `{asked}` with `{expected}`; does it speak UCI?")]
    Silent { asked: &'static str, expected: &'static str },
    #[error("it has no option `{name}`; it has {}", listed(.known))]
    NoOption { name: String, known: Vec<String> },
}

fn listed(options: &[String]) -> String {
    if options.is_empty() { "none".to_owned() } else { options.join(", ") }
}

/// As long as an engine may take to introduce itself.
const TIME_TO_START: Duration = Duration::from_secs(10);
/// How late an answer may at most be that shows that a late engine still lives.
const GRACE: Duration = Duration::from_secs(2);

/// A UCI engine that plays.
pub struct UciPlayer<'s> {
    spec: EngineSpec,
    /// The running engine; `None` before the first game and after a failure.
    engine: Option<Engine>,
    stop: &'s AtomicBool,
}

/// An engine that has introduced itself and taken its options.
struct Engine {
    process: Process,
    introduction: Introduction,
    chess960: bool,
}

impl EngineSpec {
    /// Starts the engine once, sets its options and tells its name.
    ///
    /// # Errors
    ///
    /// An engine that cannot be started, does not speak UCI or lacks one of
    /// the options.
    pub fn probe(&self, stop: &AtomicBool) -> Result<Option<String>, EngineError> {
        self.start(stop)
            .map(|engine| engine.introduction.name)
            .map_err(|problem| EngineError { command: self.command.join(" "), problem })
    }

    fn start(&self, stop: &AtomicBool) -> Result<Engine, EngineProblem> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| {
            EngineProblem::Start(io::Error::new(io::ErrorKind::NotFound, "no program named"))
        })?;
        let mut process = Process::start(program, arguments)?;
        let introduction = self.introduce(&mut process, stop)?;
        for (name, value) in &self.options {
            if !introduction.has_option(name) {
                let known = introduction.options;
                return Err(EngineProblem::NoOption { name: name.clone(), known });
            }
            let _ = process.say(&set_option(name, value));
        }
        let mut engine = Engine { process, introduction, chess960: false };
        engine
            .synchronise(Instant::now() + self.patience, stop)
            .map_err(|_| EngineProblem::Silent { asked: "isready", expected: "readyok" })?;
        Ok(engine)
    }

    fn introduce(
        &self,
        process: &mut Process,
        stop: &AtomicBool,
    ) -> Result<Introduction, EngineProblem> {
        let mut introduction = Introduction::default();
        let until = Instant::now() + self.patience.min(TIME_TO_START);
        process
            .say("uci")
            .and_then(|()| {
                process.listen(until, stop, |line| introduction.take(line).then_some(()))
            })
            .map_err(|_| EngineProblem::Silent { asked: "uci", expected: "uciok" })?;
        Ok(introduction)
    }

    /// The `go` for a turn.
    fn go(&self, turn: &Turn<'_>) -> String {
        let mut line = "go".to_owned();
        let mut limit = |name: &str, value: u64| {
            // Writing to a string cannot fail.
            let _ = write!(line, " {name} {value}");
        };
        if let Some(nodes) = self.nodes {
            limit("nodes", self.jitter.map_or(nodes, |jitter| jitter.vary(nodes, turn)));
        }
        if let Some(depth) = self.depth {
            limit("depth", depth.into());
        }
        match turn.clock().control() {
            TimeControl::Untimed => {}
            TimeControl::PerMove(time) => limit("movetime", milliseconds(time)),
            TimeControl::Clock { .. } => {
                say_clock(turn.clocks.get(Color::White), ["wtime", "winc"], &mut limit);
                say_clock(turn.clocks.get(Color::Black), ["btime", "binc"], &mut limit);
                if let Some(moves) = turn.clock().reading().and_then(|own| own.moves_to_go) {
                    limit("movestogo", moves.into());
                }
            }
        }
        line
    }
}

fn say_clock(clock: &GameClock, names: [&str; 2], limit: &mut impl FnMut(&str, u64)) {
    if let Some(reading) = clock.reading() {
        limit(names[0], milliseconds(reading.remaining));
        limit(names[1], milliseconds(reading.increment));
    }
}

/// Whole milliseconds; a clock that runs shows at least one.
fn milliseconds(time: Duration) -> u64 {
    let whole = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if time.is_zero() { 0 } else { whole.max(1) }
}

fn set_option(name: &str, value: &str) -> String {
    match value {
        "" => format!("setoption name {name}"),
        value => format!("setoption name {name} value {value}"),
    }
}

impl Engine {
    /// Waits until the engine has done all it was told; older answers are dropped.
    fn synchronise(&mut self, until: Instant, stop: &AtomicBool) -> Result<(), Silence> {
        self.process.say("isready")?;
        self.process.listen(until, stop, |line| (line.trim() == "readyok").then_some(()))
    }

    fn begin(
        &mut self,
        start: &Position,
        until: Instant,
        stop: &AtomicBool,
    ) -> Result<(), Silence> {
        if self.chess960 != start.is_chess960() {
            self.chess960 = start.is_chess960();
            self.process.say(&set_option("UCI_Chess960", &self.chess960.to_string()))?;
        }
        self.process.say("ucinewgame")?;
        self.synchronise(until, stop)
    }

    /// Lets the engine search and returns its move, as text, with what it told.
    fn search(
        &mut self,
        go: &str,
        until: Instant,
        stop: &AtomicBool,
    ) -> Result<(String, Thoughts), Silence> {
        self.process.say(go)?;
        let mut thoughts = Thoughts::default();
        let found = self.process.listen(until, stop, |line| {
            thoughts.take(line);
            best_move(line).map(str::to_owned)
        })?;
        Ok((found, thoughts))
    }

    /// Whether an engine that is late can be brought to give its move at all.
    fn gives_in(&mut self, until: Instant, stop: &AtomicBool) -> bool {
        let answer =
            |process: &mut Process| process.listen(until, stop, |line| best_move(line).map(drop));
        self.process.say("stop").and_then(|()| answer(&mut self.process)).is_ok()
    }
}

impl<'s> UciPlayer<'s> {
    /// A player; the engine is started when its first game begins. `stop`
    /// should be the tournament's, so that waiting ends with it.
    pub fn new(spec: EngineSpec, stop: &'s AtomicBool) -> Self {
        Self { spec, engine: None, stop }
    }

    /// Does something with the engine. If it stays silent it is given up.
    fn with_engine<T>(
        &mut self,
        work: impl FnOnce(&mut Engine, Instant, &AtomicBool) -> Result<T, Silence>,
    ) -> Result<T, Forfeit> {
        let until = Instant::now() + self.spec.patience;
        let engine = self.engine.as_mut().ok_or(Forfeit::Crash)?;
        work(engine, until, self.stop).map_err(|silence| {
            self.engine = None;
            match silence {
                Silence::Gone => Forfeit::Crash,
                // Of a match that is stopped nobody will ask why.
                Silence::TimedOut | Silence::Stopped => Forfeit::Stall,
            }
        })
    }

    /// A move did not come in time: is the engine slow or dead?
    fn late(&mut self) -> Forfeit {
        let until = Instant::now() + GRACE.min(self.spec.patience);
        let lives = self.engine.as_mut().is_some_and(|engine| engine.gives_in(until, self.stop));
        if !lives {
            self.engine = None;
        }
        if lives && self.spec.time_control.is_timed() { Forfeit::Time } else { Forfeit::Stall }
    }

    /// When to stop waiting for a move: a little after the flag has fallen,
    /// so that the referee sees that it has.
    fn last_moment(&self, turn: &Turn<'_>) -> Instant {
        const AFTER_THE_FLAG: Duration = Duration::from_millis(100);
        let patience = turn.clock().latest().map(|latest| latest + AFTER_THE_FLAG);
        Instant::now() + patience.unwrap_or(self.spec.patience)
    }
}

impl Player for UciPlayer<'_> {
    fn time_control(&self) -> TimeControl {
        self.spec.time_control
    }

    fn new_game(&mut self, start: &Position) -> Result<(), Forfeit> {
        if self.engine.is_none() {
            self.engine = Some(self.spec.start(self.stop).map_err(|_| Forfeit::Crash)?);
        }
        self.with_engine(|engine, until, stop| engine.begin(start, until, stop))
    }

    fn prepare(&mut self, turn: &Turn<'_>) -> Result<(), Forfeit> {
        self.with_engine(|engine, until, stop| {
            engine.process.say(&position_line(turn))?;
            engine.synchronise(until, stop)
        })
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Forfeit> {
        let until = self.last_moment(turn);
        let engine = self.engine.as_mut().ok_or(Forfeit::Crash)?;
        match engine.search(&self.spec.go(turn), until, self.stop) {
            Ok((text, thoughts)) => understood(turn.position, &text, thoughts),
            Err(Silence::Gone) => {
                self.engine = None;
                Err(Forfeit::Crash)
            }
            Err(Silence::TimedOut) => Err(self.late()),
            Err(Silence::Stopped) => Err(Forfeit::Stall),
        }
    }
}

/// Where the game stands, with all its moves, so that the engine sees repetitions.
fn position_line(turn: &Turn<'_>) -> String {
    let fen = turn.start.fen();
    let mut line = match fen == Position::default().fen() {
        true => "position startpos".to_owned(),
        false => format!("position fen {fen}"),
    };
    if !turn.moves.is_empty() {
        line.push_str(" moves");
    }
    for &played in turn.moves {
        line.push(' ');
        // How castling is written depends on the start alone.
        line.push_str(&turn.start.uci(played));
    }
    line
}

fn understood(position: &Position, text: &str, told: Thoughts) -> Result<Choice, Forfeit> {
    // Words of engines that see no move.
    if ["(none)", "0000", "none", "NULL", ""].contains(&text) {
        return Err(Forfeit::NoMove);
    }
    let played = position.parse_uci(text).map_err(|_| Forfeit::IllegalMove)?;
    Ok(Choice { played, score: told.score, nodes: told.nodes })
}
