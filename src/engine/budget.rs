//! Limits of a running search.
//!
//! Node and depth limits are exact and never read the clock, so a search under them repeats to the
//! node. Time is polled every few dozen nodes: reading the clock costs a thousandth of their time,
//! and with a large net the usual few thousand would overstep.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::limits::Limits;
use super::schedule::Schedule;
use super::signals::Signals;
use super::value::MAX_PLY;

const NODES_BETWEEN_POLLS: u64 = 64;

/// The limits of a running search.
pub(crate) struct Budget<'a> {
    hard_nodes: u64,
    soft_nodes: u64,
    /// Deepest iteration.
    pub depth: i32,
    mate: Option<u32>,
    schedule: Schedule<'a>,
    signals: Signals<'a>,
    /// Visited positions, for other threads.
    published: &'a AtomicU64,
    next_poll: u64,
    spent: bool,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(
        limits: &Limits,
        schedule: Schedule<'a>,
        signals: Signals<'a>,
        published: &'a AtomicU64,
    ) -> Self {
        let deepest = MAX_PLY as u32 - 1;
        Self {
            hard_nodes: limits.nodes.unwrap_or(u64::MAX),
            soft_nodes: limits.soft_nodes.unwrap_or(u64::MAX),
            depth: limits.depth.map_or(deepest, |depth| depth.clamp(1, deepest)) as i32,
            mate: limits.mate,
            schedule,
            signals,
            published,
            next_poll: 0,
            spent: false,
        }
    }

    /// Whether the search ends before position number `nodes + 1`.
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
        let late = self.schedule.is_up() && self.signals.is_own_turn();
        self.spent |= late || self.signals.is_stopped();
    }

    #[inline]
    pub(crate) fn broken_off(&self) -> bool {
        self.spent
    }

    /// Whether another iteration should begin. `effort` scales the time
    /// allowance: less when one move is clearly best, more when it is not.
    pub(crate) fn allows_iteration(&self, nodes: u64, effort: f64) -> bool {
        let late = !self.schedule.allows_iteration(effort) && self.signals.is_own_turn();
        !(self.spent || late || nodes >= self.soft_nodes || nodes >= self.hard_nodes)
    }

    /// Whether the clock decides.
    pub(crate) fn is_timed(&self) -> bool {
        self.schedule.most().is_some() && self.signals.is_own_turn()
    }

    /// Whether a mate in `moves` ends the search.
    pub(crate) fn is_mate_enough(&self, moves: i32) -> bool {
        self.mate.is_some_and(|wanted| moves > 0 && moves.unsigned_abs() <= wanted)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.schedule.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::lateness::Lateness;
    use super::super::timepiece::Timepiece;
    use super::super::timepiece::testing::SetByHand;
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// Tests the budget of a search on a clock set by hand.
    fn with_budget(limits: &Limits, test: impl FnOnce(&mut Budget<'_>, &SetByHand, &AtomicBool)) {
        let (clock, stop, visited) =
            (SetByHand::default(), AtomicBool::new(false), AtomicU64::new(0));
        let schedule = Schedule::new(limits, Lateness::default(), &clock);
        test(&mut Budget::new(limits, schedule, (&stop).into(), &visited), &clock, &stop);
    }

    #[test]
    fn a_fixed_time_is_used_up_however_clear_the_move() {
        with_budget(&Limits::movetime(MS(40)), |budget, clock, _| {
            clock.pass(MS(39));
            assert!(budget.allows_iteration(1, 0.01) && !budget.is_spent(1));
            clock.pass(MS(1));
            assert!(!budget.allows_iteration(1, 2.0) && budget.is_spent(1_000));
        });
    }

    /// A search that begins late has less time.
    #[test]
    fn the_clock_runs_from_when_it_began_to() {
        let (clock, stop, visited) =
            (SetByHand::default(), AtomicBool::new(false), AtomicU64::new(0));
        let begun = Some(clock.now());
        clock.pass(MS(30));
        let limits = Limits { begun, ..Limits::movetime(MS(40)) };
        let schedule = Schedule::new(&limits, Lateness::default(), &clock);
        let mut budget = Budget::new(&limits, schedule, (&stop).into(), &visited);
        assert!(!budget.is_spent(0));
        clock.pass(MS(10));
        assert!(budget.is_spent(NODES_BETWEEN_POLLS));
    }

    #[test]
    fn node_limits_are_exact_and_need_no_clock() {
        with_budget(&Limits::nodes(1_000), |budget, _, _| {
            assert!(!budget.is_timed());
            assert!((0..1_000).all(|nodes| !budget.is_spent(nodes)));
            assert!(budget.is_spent(1_000));
        });
    }

    #[test]
    fn stop_is_seen_within_a_poll() {
        with_budget(&Limits::default(), |budget, _, stop| {
            assert!(!budget.is_spent(0));
            stop.store(true, Ordering::Relaxed);
            assert!((1..=NODES_BETWEEN_POLLS).any(|nodes| budget.is_spent(nodes)));
        });
    }

    #[test]
    fn the_clock_waits_while_pondering() {
        let (clock, stop, visited) =
            (SetByHand::default(), AtomicBool::new(false), AtomicU64::new(0));
        let pondering = AtomicBool::new(true);
        let limits = Limits::movetime(MS(1));
        let schedule = Schedule::new(&limits, Lateness::default(), &clock);
        let signals = Signals::pondering(&stop, &pondering);
        let mut budget = Budget::new(&limits, schedule, signals, &visited);
        clock.pass(MS(5));
        assert!(budget.allows_iteration(1, 1.0) && !budget.is_spent(0));
        pondering.store(false, Ordering::Relaxed);
        assert!(!budget.allows_iteration(1, 1.0));
        assert!(budget.is_spent(NODES_BETWEEN_POLLS));
    }
}
