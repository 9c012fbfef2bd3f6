//! Nodes per second of processor time, of this engine and others.
//!
//! Every engine searches the same positions to the same number of nodes, one engine after the
//! other on each position, so that a machine that slows down for a while slows all of them. The
//! measured time is processor time of the engine's process: other load on the machine changes it
//! less than wall-clock time.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arena::uci::{Engine, EngineError, Program, Silence};
use chess::{Move, Position};
use engine::bench::POSITIONS;

/// A measured engine with its counts so far.
#[derive(Debug)]
pub struct Runner {
    engine: Engine,
    patience: Duration,
    pace: EngineSpeed,
}

/// Nodes and the time for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineSpeed {
    /// As the engine counts them.
    pub nodes: u64,
    /// Time of the processor, of all threads together.
    pub time: Duration,
}

impl EngineSpeed {
    /// Nodes a second.
    pub fn rate(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// An engine that could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum PaceError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("timeout of engine `{0}`; give fewer nodes or more patience")]
    Silent(String),
    #[error("no processor time of engine `{0}` from the system")]
    NoTime(String),
    /// Everything is being stopped.
    #[error("stopped")]
    Stopped,
}

/// The positions on which engines are measured: those of the bench in which there is something
/// to search.
pub fn positions() -> Vec<Position> {
    let positions = POSITIONS.iter().filter_map(|fen| Position::from_fen(fen).ok());
    positions.filter(|position| position.board().occupied().count() > 12).collect()
}

impl Runner {
    /// Starts the engine.
    ///
    /// # Errors
    /// It cannot be started, speaks no UCI, or lacks an option.
    pub fn start(program: &Program, stop: &AtomicBool) -> Result<Self, PaceError> {
        let engine = program.start(stop)?;
        Ok(Self { engine, patience: program.patience, pace: EngineSpeed::default() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.engine.name().unwrap_or("an engine without a name")
    }

    /// Counts so far.
    pub fn pace(&self) -> EngineSpeed {
        self.pace
    }

    /// Searches a position.
    ///
    /// # Errors
    /// A missing answer, or an unknown time of search.
    pub fn search(
        &mut self,
        position: &Position,
        nodes: u64,
        stop: &AtomicBool,
    ) -> Result<(), PaceError> {
        let until = Instant::now() + self.patience;
        self.prepare(position, until, stop).map_err(|silence| self.silent(silence))?;
        let before = self.cpu_time()?;
        let answer = self.engine.say(&format!("go nodes {nodes}"));
        let answer = answer.and_then(|()| self.engine.answer(until, stop));
        let thoughts = answer.map_err(|silence| self.silent(silence))?.thoughts;
        self.pace.nodes += thoughts.effort.nodes;
        self.pace.time += self.cpu_time()?.saturating_sub(before);
        Ok(())
    }

    fn prepare(
        &mut self,
        position: &Position,
        until: Instant,
        stop: &AtomicBool,
    ) -> Result<(), Silence> {
        self.engine.forget(position)?;
        self.engine.set_position(position, std::iter::empty::<Move>())?;
        self.engine.synchronise(until, stop)
    }

    fn cpu_time(&self) -> Result<Duration, PaceError> {
        let time = base::cpu_time(self.engine.process_id());
        time.ok_or_else(|| PaceError::NoTime(self.name().to_owned()))
    }

    fn silent(&self, silence: Silence) -> PaceError {
        match silence {
            Silence::Stopped => PaceError::Stopped,
            Silence::Gone | Silence::TimedOut => PaceError::Silent(self.name().to_owned()),
        }
    }
}
