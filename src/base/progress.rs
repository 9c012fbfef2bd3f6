//! Progress of an experiment. The command line draws bars; tests record.

/// Receives progress. All methods may do nothing.
pub trait Observer {
    /// A stage begins: `training ALL + PV (2 of 6)`. `total` is in `unit`s;
    /// 0 if it is not known.
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str);
    /// So much of the stage is done; `note` is a short live figure.
    fn advance(&mut self, done: u64, note: &str);
    /// The stage is over; `result` says in a few words what came of it.
    fn end(&mut self, result: &str);
    /// Something a person should know.
    fn warn(&mut self, message: &str);
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn begin(&mut self, _: &str, _: u64, _: &'static str) {}
    fn advance(&mut self, _: u64, _: &str) {}
    fn end(&mut self, _: &str) {}
    fn warn(&mut self, _: &str) {}
}
