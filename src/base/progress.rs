//! Progress of an experiment. The command line draws bars; tests record.

use std::time::{Duration, Instant};

/// Receives progress. All methods may do nothing.
pub trait Observer {
    /// A stage begins: `training ALL + PV (2 of 6)`. `total` is in `unit`s;
    /// 0 if it is not known.
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str);
    /// Work done in this stage so far; `note` is a short live figure.
    fn advance(&mut self, done: u64, note: &str);
    /// The stage is over; `result` is its result in a few words.
    fn end(&mut self, result: &str);
    fn warn(&mut self, message: &str);
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: &str, _: u64, _: &'static str) {}
    fn advance(&mut self, _: u64, _: &str) {}
    fn end(&mut self, _: &str) {}
    fn warn(&mut self, _: &str) {}
}

/// Work done in some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkRate {
    pub done: u64,
    pub time: Duration,
}

impl WorkRate {
    /// Units per second; `None` without work or time.
    pub fn rate(self) -> Option<f64> {
        (self.done > 0 && !self.time.is_zero()).then(|| self.done as f64 / self.time.as_secs_f64())
    }
}

/// Measures the pace of a stage from its first report: a resumed stage does not begin at 0, and
/// its earlier work does not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch(Option<(u64, Instant)>);

impl Stopwatch {
    /// The pace so far of a stage, with `done` units now.
    pub fn pace(&mut self, done: u64) -> WorkRate {
        let now = Instant::now();
        let (before, since) = *self.0.get_or_insert((done, now));
        WorkRate { done: done.saturating_sub(before), time: now - since }
    }
}
