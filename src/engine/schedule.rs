//! The time of a running search.

use std::time::{Duration, Instant};

use super::allowance::Allowance;
use super::lateness::Lateness;
use super::limits::Limits;
use super::timepiece::Timepiece;

/// Start and time limit of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule<'a> {
    timepiece: &'a dyn Timepiece,
    begun: Instant,
    allowance: Option<Allowance>,
}

impl<'a> Schedule<'a> {
    /// The time that limits allow at a measured lateness.
    pub(crate) fn new(limits: &Limits, lateness: Lateness, timepiece: &'a dyn Timepiece) -> Self {
        let begun = limits.begun.unwrap_or_else(|| timepiece.now());
        let allowance = if limits.infinite { None } else { Allowance::of(limits, lateness) };
        Self { timepiece, begun, allowance }
    }

    /// Start of the search.
    pub(crate) fn begun(&self) -> Instant {
        self.begun
    }

    /// Its hard limit; `None` if no clock decides.
    pub(crate) fn most(&self) -> Option<Duration> {
        self.allowance.map(|time| time.hard)
    }

    /// Time since it began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.timepiece.now().saturating_duration_since(self.begun)
    }

    /// Whether the hard limit is reached.
    pub(crate) fn is_up(&self) -> bool {
        self.most().is_some_and(|most| self.elapsed() >= most)
    }

    /// Whether the time left is worth another iteration; `effort` scales the soft limit.
    pub(crate) fn allows_iteration(&self, effort: f64) -> bool {
        !self.allowance.is_some_and(|time| {
            let soft = time.soft.map_or(time.hard, |soft| soft.mul_f64(effort));
            self.elapsed() >= soft.min(time.hard)
        })
    }
}
