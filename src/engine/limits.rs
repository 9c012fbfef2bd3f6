//! When a search ends.
//!
//! Nodes and depth are exact and never look at a clock, so a search under
//! them repeats to the node. Time is polled every few hundred nodes; a large
//! net is slow enough that the usual few thousand would overstep.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chess::Move;

use super::signals::Signals;
use super::value::MAX_PLY;

/// What a search may spend. Everything left out is unlimited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Positions visited below the root; exact.
    pub nodes: Option<u64>,
    /// No new iteration after so many positions; the one begun is finished.
    pub soft_nodes: Option<u64>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Stop when a mate in so many moves is found.
    pub mate: Option<u32>,
    /// Report nothing as final before being told to stop (UCI `go infinite`).
    pub infinite: bool,
    /// Only these moves are considered at the root; empty for all.
    pub root_moves: Vec<Move>,
    /// These moves are not considered at the root.
    pub excluded_root_moves: Vec<Move>,
    /// Find so many best moves, each with its line; 0 counts as 1.
    pub lines: usize,
    /// Time kept back for what happens outside the search.
    pub overhead: Duration,
}

/// A chess clock, as far as the side to move is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until more time comes; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl Limits {
    /// Exactly so many positions.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Whole iterations until so many positions are passed.
    pub fn soft_nodes(nodes: u64) -> Self {
        Self { soft_nodes: Some(nodes), ..Self::default() }
    }

    /// So many plies.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// The share of one of so many threads.
    #[must_use]
    pub(crate) fn divided(&self, threads: u64) -> Self {
        let share = |nodes: Option<u64>| nodes.map(|nodes| nodes.div_ceil(threads.max(1)));
        Self { nodes: share(self.nodes), soft_nodes: share(self.soft_nodes), ..self.clone() }
    }

    /// So much time.
    pub fn movetime(time: Duration) -> Self {
        Self { movetime: Some(time), ..Self::default() }
    }
}

/// Time for one move: a soft limit for new iterations, and a hard one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allowance {
    /// What a move of average difficulty should take; `None` to use all there is.
    soft: Option<Duration>,
    hard: Duration,
}

impl Allowance {
    fn of(limits: &Limits) -> Option<Self> {
        let fixed = limits.movetime.map(|time| {
            // An overhead as long as the time itself would leave nothing to think in.
            let least = (time / 2).max(Duration::from_millis(1));
            Self { soft: None, hard: time.saturating_sub(limits.overhead).max(least) }
        });
        let clock = limits.clock.map(|clock| Self::of_clock(clock, limits.overhead));
        match (fixed, clock) {
            (Some(fixed), Some(clock)) => {
                Some(Self { soft: clock.soft, hard: clock.hard.min(fixed.hard) })
            }
            (one, other) => one.or(other),
        }
    }

    /// A slice of what is left plus most of the increment; on a hard move up
    /// to five times the slice, but never so much that the next moves starve.
    ///
    /// A reserve of seven overheads, or half of a clock that is shorter than twice that, is kept
    /// for moves that take longer than they were allowed to: on a machine with other work a
    /// thread may wait for tens of milliseconds before it sees that its time is up. Close to
    /// the reserve moves come faster than the increment comes in, of which half an overhead is
    /// never counted on.
    fn of_clock(clock: Clock, overhead: Duration) -> Self {
        let usable = clock.remaining.saturating_sub(overhead).max(Duration::from_millis(1));
        let reserve = (overhead * 7).min(usable / 2);
        let free = usable - reserve;
        let moves = clock.moves_to_go.map_or(21, |moves| moves.clamp(1, 25));
        let ease = (free.as_secs_f64() / reserve.as_secs_f64().max(1e-3)).min(1.0);
        let increment = clock.increment.saturating_sub(overhead / 2);
        let slice = free / moves + increment.mul_f64(0.9 * ease);
        let most = if moves == 1 { 0.9 } else { 0.35 };
        let hard = (slice * 5).min(free.mul_f64(most)).max(Duration::from_micros(500));
        Self { soft: Some(slice.min(hard)), hard }
    }
}

const NODES_BETWEEN_POLLS: u64 = 256;

/// The limits of a running search.
pub(super) struct Budget<'a> {
    hard_nodes: u64,
    soft_nodes: u64,
    /// Deepest iteration.
    pub depth: i32,
    mate: Option<u32>,
    started: Instant,
    allowance: Option<Allowance>,
    signals: Signals<'a>,
    /// Where other threads can read how many positions were visited.
    published: &'a AtomicU64,
    next_poll: u64,
    spent: bool,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &Limits, signals: Signals<'a>, published: &'a AtomicU64) -> Self {
        let deepest = MAX_PLY as u32 - 1;
        Self {
            hard_nodes: limits.nodes.unwrap_or(u64::MAX),
            soft_nodes: limits.soft_nodes.unwrap_or(u64::MAX),
            depth: limits.depth.map_or(deepest, |depth| depth.clamp(1, deepest)) as i32,
            mate: limits.mate,
            started: Instant::now(),
            allowance: if limits.infinite { None } else { Allowance::of(limits) },
            signals,
            published,
            next_poll: 0,
            spent: false,
        }
    }

    /// Whether the position that would be number `nodes + 1` may not be visited.
    #[inline]
    pub(crate) fn is_spent(&mut self, nodes: u64) -> bool {
        if nodes >= self.hard_nodes {
            self.spent = true;
        } else if nodes >= self.next_poll {
            self.next_poll = nodes + NODES_BETWEEN_POLLS;
            self.published.store(nodes, Ordering::Relaxed);
            self.poll();
        }
        self.spent
    }

    fn poll(&mut self) {
        let late = self.allowance.is_some_and(|time| self.started.elapsed() >= time.hard);
        self.spent |= (late && self.signals.is_own_turn()) || self.signals.is_stopped();
    }

    #[inline]
    pub(crate) fn broken_off(&self) -> bool {
        self.spent
    }

    /// Whether another iteration should begin. `effort` scales the time
    /// allowance: less when one move is clearly best, more when it is not.
    pub(crate) fn allows_iteration(&self, nodes: u64, effort: f64) -> bool {
        let late = self.allowance.is_some_and(|time| {
            let soft = time.soft.map_or(time.hard, |soft| soft.mul_f64(effort));
            self.started.elapsed() >= soft.min(time.hard)
        });
        let late = late && self.signals.is_own_turn();
        !(self.spent || late || nodes >= self.soft_nodes || nodes >= self.hard_nodes)
    }

    /// Whether the clock decides.
    pub(crate) fn is_timed(&self) -> bool {
        self.allowance.is_some() && self.signals.is_own_turn()
    }

    /// Whether a mate in `moves` is what was asked for.
    pub(crate) fn is_mate_enough(&self, moves: i32) -> bool {
        self.mate.is_some_and(|wanted| moves > 0 && moves.unsigned_abs() <= wanted)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn budget<'a>(limits: &Limits, stop: &'a AtomicBool, nodes: &'a AtomicU64) -> Budget<'a> {
        Budget::new(limits, stop.into(), nodes)
    }

    fn clock(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Allowance {
        let clock = Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        Allowance::of_clock(clock, Duration::from_millis(10))
    }

    #[test]
    fn a_clock_is_never_overdrawn() {
        for remaining in [0, 1, 5, 11, 100, 1_000, 60_000, 7_200_000] {
            for increment in [0, 10, 1_000, 30_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(1_000)] {
                    let Allowance { soft, hard } = clock(remaining, increment, moves);
                    assert!(soft.is_some_and(|soft| soft <= hard));
                    let left = remaining.saturating_sub(10).max(1);
                    assert!(hard <= Duration::from_millis(left), "{remaining} {increment}");
                }
            }
        }
    }

    /// However long the game, and though every move takes 5 ms more than it was told to.
    #[test]
    fn delays_do_not_empty_the_clock() {
        for (time, increment) in [(1_000, 10), (1_000, 20), (2_000, 20), (10_000, 100)] {
            let (mut left, mut least) = (time, time);
            for _ in 0..500 {
                let hard = clock(left, increment, None).hard.as_millis() as u64;
                // Every fifth move is a hard one.
                let soft = clock(left, increment, None).soft.unwrap().as_millis() as u64;
                left = left.saturating_sub((hard + 4 * soft) / 5 + 5) + increment;
                least = least.min(left);
            }
            assert!(least > 60, "{time} + {increment}: {least} ms");
        }
    }

    #[test]
    fn a_fixed_time_is_used_up_however_clear_the_move() {
        let (stop, nodes) = (AtomicBool::new(false), AtomicU64::new(0));
        let budget = budget(&Limits::movetime(Duration::from_millis(40)), &stop, &nodes);
        std::thread::sleep(Duration::from_millis(10));
        assert!(budget.allows_iteration(1, 0.01));
        std::thread::sleep(Duration::from_millis(40));
        assert!(!budget.allows_iteration(1, 2.0));
    }

    #[test]
    fn overhead_leaves_half_of_a_fixed_time() {
        let hard = |ms: u64| {
            let overhead = Duration::from_millis(10);
            let limits = Limits { overhead, ..Limits::movetime(Duration::from_millis(ms)) };
            Allowance::of(&limits).map(|allowance| allowance.hard)
        };
        let expected = [(1, 1), (10, 5), (20, 10), (100, 90)];
        for (time, left) in expected {
            assert_eq!(hard(time), Some(Duration::from_millis(left)), "{time} ms");
        }
    }

    #[test]
    fn node_limits_are_exact_and_need_no_clock() {
        let (stop, visited) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut budget = budget(&Limits::nodes(1_000), &stop, &visited);
        assert!(!budget.is_timed());
        assert!((0..1_000).all(|nodes| !budget.is_spent(nodes)));
        assert!(budget.is_spent(1_000));
    }

    #[test]
    fn stop_is_seen_within_a_poll() {
        let (stop, visited) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut budget = budget(&Limits::default(), &stop, &visited);
        assert!(!budget.is_spent(0));
        stop.store(true, Ordering::Relaxed);
        assert!((1..=NODES_BETWEEN_POLLS).any(|nodes| budget.is_spent(nodes)));
    }

    #[test]
    fn the_clock_waits_while_pondering() {
        let (stop, visited) = (AtomicBool::new(false), AtomicU64::new(0));
        let pondering = AtomicBool::new(true);
        let limits = Limits::movetime(Duration::from_millis(1));
        let mut budget = Budget::new(&limits, Signals::pondering(&stop, &pondering), &visited);
        std::thread::sleep(Duration::from_millis(5));
        assert!(budget.allows_iteration(1, 1.0) && !budget.is_spent(0));
        pondering.store(false, Ordering::Relaxed);
        assert!(!budget.allows_iteration(1, 1.0));
        assert!(budget.is_spent(NODES_BETWEEN_POLLS));
    }
}
