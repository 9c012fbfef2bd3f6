//! Progress of an experiment. The command line draws bars; tests record.

use std::time::{Duration, Instant};

/// Receives progress. All methods may do nothing.
pub trait Observer {
    /// A stage begins: `training ALL + PV (2 of 6)`. `total` is in `unit`s;
    /// 0 if it is not known.
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str);
    /// So much of the stage is done; `note` is a short live figure.
    fn advance(&mut self, done: u64, note: &str);
    /// The stage is over; `result` says in a few words what came of it.
    fn end(&mut self, result: &str);
    fn warn(&mut self, message: &str);
    /// An event of the stage, such as the end of an epoch. Only the log of a job that runs alone
    /// shows it.
    fn say(&mut self, line: &str) {
        let _ = line;
    }
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
pub struct Pace {
    pub done: u64,
    pub time: Duration,
}

impl Pace {
    /// Units per second; `None` without work or time.
    pub fn rate(self) -> Option<f64> {
        (self.done > 0 && !self.time.is_zero()).then(|| self.done as f64 / self.time.as_secs_f64())
    }
}

/// Measures the pace of a stage from its first report: a resumed stage does not begin at 0, and
/// earlier work says nothing of its speed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch(Option<(u64, Instant)>);

impl Stopwatch {
    /// The pace so far of a stage, with `done` units now.
    pub fn pace(&mut self, done: u64) -> Pace {
        let now = Instant::now();
        let (before, since) = *self.0.get_or_insert((done, now));
        Pace { done: done.saturating_sub(before), time: now - since }
    }
}
