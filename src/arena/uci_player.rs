//! A UCI engine of its own process as a player.
//!
//! An engine may crash, hang, babble or send garbage; each of these costs it the game and nothing
//! else. Every wait has a deadline, and an engine that has exited or is silent is restarted before
//! the next game.

#[cfg(all(test, unix))]
mod tests;

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::forfeit::Forfeit;
use super::game::{MoveChoice, Player, Turn};
use super::jitter::Jitter;
use super::time_control::TimeControl;
use super::uci::{Engine, EngineAnswer, EngineError, Program, Silence};
use chess::{Color, Position};

/// An engine and its limits for a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The engine. Without a clock its patience is the longest silence before it forfeits the game.
    pub program: Program,
    /// `go nodes`; many engines overstep it, some ignore it.
    pub nodes: Option<u64>,
    /// Variation of its nodes.
    pub jitter: Option<Jitter>,
    /// `go depth`.
    pub depth: Option<u32>,
    pub time_control: TimeControl,
}

/// Latest answer that shows that a late engine still runs.
const GRACE: Duration = Duration::from_secs(2);

pub struct UciPlayer<'s> {
    spec: EngineSpec,
    /// The running engine; `None` before the first game and after a failure.
    engine: Option<Engine>,
    stop: &'s AtomicBool,
}

impl EngineSpec {
    /// Starts the engine once, sets its options and returns its name.
    ///
    /// # Errors
    ///
    /// An engine that cannot be started, does not speak UCI or lacks one of
    /// the options.
    pub fn probe(&self, stop: &AtomicBool) -> Result<Option<String>, EngineError> {
        self.program.start(stop).map(|engine| engine.name().map(str::to_owned))
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

/// Whether a late engine still sends its move.
fn answers_late(engine: &mut Engine, until: Instant, stop: &AtomicBool) -> bool {
    engine.say("stop").and_then(|()| engine.answer(until, stop)).is_ok()
}

impl<'s> UciPlayer<'s> {
    /// A player; its first game starts the engine. `stop` should be the tournament's, so that
    /// waiting ends with it.
    pub fn new(spec: EngineSpec, stop: &'s AtomicBool) -> Self {
        Self { spec, engine: None, stop }
    }

    /// Runs an action with the engine. A silent engine is ended.
    fn with_engine<T>(
        &mut self,
        work: impl FnOnce(&mut Engine, Instant, &AtomicBool) -> Result<T, Silence>,
    ) -> Result<T, Forfeit> {
        let until = Instant::now() + self.spec.program.patience;
        let engine = self.engine.as_mut().ok_or(Forfeit::Crash)?;
        work(engine, until, self.stop).map_err(|silence| {
            self.engine = None;
            match silence {
                Silence::Gone => Forfeit::Crash,
                // A stopped match needs no reason.
                Silence::TimedOut | Silence::Stopped => Forfeit::Stall,
            }
        })
    }

    /// Forfeit of a late move: the engine is slow or dead.
    fn late(&mut self) -> Forfeit {
        let until = Instant::now() + GRACE.min(self.spec.program.patience);
        let lives =
            self.engine.as_mut().is_some_and(|engine| answers_late(engine, until, self.stop));
        if !lives {
            self.engine = None;
        }
        if lives && self.spec.time_control.is_timed() { Forfeit::Time } else { Forfeit::Stall }
    }

    /// End of the wait for a move: a little after the flag has fallen, so that the referee sees it.
    fn last_moment(&self, turn: &Turn<'_>) -> Instant {
        const AFTER_THE_FLAG: Duration = Duration::from_millis(100);
        let patience = turn.clock().latest().map(|latest| latest + AFTER_THE_FLAG);
        Instant::now() + patience.unwrap_or(self.spec.program.patience)
    }
}

impl Player for UciPlayer<'_> {
    fn time_control(&self) -> TimeControl {
        self.spec.time_control
    }

    fn new_game(&mut self, start: &Position) -> Result<(), Forfeit> {
        if self.engine.is_none() {
            self.engine = Some(self.spec.program.start(self.stop).map_err(|_| Forfeit::Crash)?);
        }
        self.with_engine(|engine, until, stop| {
            engine.forget(start)?;
            engine.synchronise(until, stop)
        })
    }

    fn prepare(&mut self, turn: &Turn<'_>) -> Result<(), Forfeit> {
        self.with_engine(|engine, until, stop| {
            engine.set_position(turn.start, turn.moves.iter().copied())?;
            engine.synchronise(until, stop)
        })
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<MoveChoice, Forfeit> {
        let until = self.last_moment(turn);
        let engine = self.engine.as_mut().ok_or(Forfeit::Crash)?;
        let sent = engine.say(&self.spec.go(turn));
        match sent.and_then(|()| engine.answer(until, self.stop)) {
            Ok(answer) => understood(turn.position, &answer),
            Err(Silence::Gone) => {
                self.engine = None;
                Err(Forfeit::Crash)
            }
            Err(Silence::TimedOut) => Err(self.late()),
            Err(Silence::Stopped) => Err(Forfeit::Stall),
        }
    }
}

fn understood(position: &Position, answer: &EngineAnswer) -> Result<MoveChoice, Forfeit> {
    let EngineAnswer { text, thoughts, at } = answer;
    // Answers of engines without a move.
    if ["(none)", "0000", "none", "NULL", ""].contains(&text.as_str()) {
        return Err(Forfeit::NoMove);
    }
    let played = position.parse_uci(text).map_err(|_| Forfeit::IllegalMove)?;
    let (score, effort) = (thoughts.score, thoughts.effort);
    Ok(MoveChoice { played, score, effort, answered: Some(*at) })
}
