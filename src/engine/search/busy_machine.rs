//! Games on a simulated machine with other work, so that tests have one at any time: it gives the
//! search a slice of its processor and then lets it wait as long as eight busy loops on two
//! processors do.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::timepiece::Timepiece;
use crate::{Clock, Tapered};

/// Time of a node with its evaluation.
const EVALUATION: Duration = Duration::from_micros(4);
/// Time slice of the search.
const SLICE: Duration = Duration::from_micros(3_000);

#[derive(Debug)]
struct BusyMachine {
    start: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    passed: Duration,
    slice_left: Duration,
    seed: u64,
}

impl State {
    /// A number below `bound`.
    fn number(&mut self, bound: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 33) % bound
    }

    /// Waits for the other processes: most often for one slice of each, seldom for much longer.
    fn wait(&mut self) {
        let longest = if self.number(30) == 0 { 80_000 } else { 18_000 };
        let microseconds = 6_000 + self.number(longest);
        self.passed += Duration::from_micros(microseconds);
    }

    fn work(&mut self, time: Duration) {
        if time >= self.slice_left {
            self.wait();
            self.slice_left = SLICE;
        }
        self.slice_left -= time;
        self.passed += time;
    }

    /// A process that slept is most often woken at once, with a whole slice.
    fn wake(&mut self) {
        match self.number(10) {
            0 => self.wait(),
            _ => self.passed += Duration::from_micros(100),
        }
        self.slice_left = SLICE;
    }
}

impl BusyMachine {
    fn new(seed: u64) -> Self {
        let state = State { passed: Duration::ZERO, slice_left: SLICE, seed };
        Self { start: Instant::now(), state: state.into() }
    }

    fn does(&self, what: impl FnOnce(&mut State)) {
        what(&mut self.state.lock().unwrap());
    }
}

impl Timepiece for BusyMachine {
    fn now(&self) -> Instant {
        self.start + self.state.lock().unwrap().passed
    }
}

/// An evaluation that takes time on that machine.
struct Working {
    machine: Arc<BusyMachine>,
    tables: Tapered,
}

impl Evaluator for Working {
    fn reset(&mut self, root: &Position) {
        self.tables.reset(root);
    }
    fn push(&mut self, before: &Position, played: Move, after: &Position) {
        self.tables.push(before, played, after);
    }
    fn push_null(&mut self, after: &Position) {
        self.tables.push_null(after);
    }
    fn pop(&mut self) {
        self.tables.pop();
    }
    fn evaluate(&mut self, position: &Position) -> i32 {
        self.machine.does(|state| state.work(EVALUATION));
        self.tables.evaluate(position)
    }
}

/// Both players of a game, on one machine.
struct Game {
    machine: Arc<BusyMachine>,
    players: [Searcher; 2],
    left: [Duration; 2],
}

const BASE: Duration = Duration::from_millis(500);
const INCREMENT: Duration = Duration::from_millis(10);
/// A player that oversteps by less plays on, as with referees.
const MARGIN: Duration = Duration::from_millis(50);

impl Game {
    fn new(seed: u64) -> Self {
        let machine = Arc::new(BusyMachine::new(seed));
        let player = || {
            let evaluator = Working { machine: machine.clone(), tables: Tapered::pesto() };
            Searcher::new(Box::new(evaluator), 1).with_timepiece(machine.clone())
        };
        Self { players: [player(), player()], machine, left: [BASE + INCREMENT; 2] }
    }

    /// The move of the side to move; `None` if it came too late or the game is over.
    fn play(&mut self, root: &Position, history: &[PositionKey]) -> Result<Option<Move>, Duration> {
        let side = history.len() % 2;
        let begun = self.machine.now();
        self.machine.does(State::wake);
        let clock = Clock { remaining: self.left[side], increment: INCREMENT, moves_to_go: None };
        let overhead = Duration::from_millis(10);
        let limits =
            Limits { clock: Some(clock), overhead, begun: Some(begun), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let found = self.players[side].search(root, history, &limits, &stop, &mut |_| {});
        // The referee is woken too.
        self.machine.does(State::wake);
        let charged = self.machine.now() - begun;
        if charged > self.left[side] + MARGIN {
            return Err(charged);
        }
        self.left[side] = self.left[side].saturating_sub(charged) + INCREMENT;
        Ok(found.best)
    }
}

/// A game of at most a hundred moves of each player; the ply at which the flag fell, if it did.
fn flag_falls(seed: u64) -> Option<usize> {
    let (mut game, mut position, mut history) = (Game::new(seed), Position::default(), Vec::new());
    while history.len() < 200 {
        match game.play(&position, &history) {
            Err(_) => return Some(history.len()),
            Ok(None) => return None,
            Ok(Some(best)) => {
                history.push(position.key());
                position.play(best);
            }
        }
    }
    None
}

/// The default settings hold 0.5+0.01 on a busy machine.
#[test]
fn other_work_of_the_machine_costs_no_game() {
    let lost: Vec<_> = (0..40).filter_map(|seed| flag_falls(seed).map(|ply| (seed, ply))).collect();
    assert!(lost.is_empty(), "seed and ply: {lost:?}");
}
