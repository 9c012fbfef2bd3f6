//! Where the time comes from.
//!
//! Searches read the system's clock. Tests bring one that stands still or jumps, so that a
//! machine with other work can be had at any time, and the same one twice.

use std::fmt::Debug;
use std::time::Instant;

/// A clock that never goes back.
pub(crate) trait Timepiece: Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> Instant;
}

/// The clock of the system.
#[derive(Debug)]
pub(crate) struct SystemTime;

impl Timepiece for SystemTime {
    fn now(&self) -> Instant {
        Instant::now()
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    /// A clock that goes on when a test says so.
    #[derive(Debug)]
    pub(crate) struct SetByHand {
        start: Instant,
        microseconds: AtomicU64,
    }

    impl Default for SetByHand {
        fn default() -> Self {
            Self { start: Instant::now(), microseconds: AtomicU64::new(0) }
        }
    }

    impl SetByHand {
        /// Lets time pass.
        pub(crate) fn pass(&self, time: Duration) {
            self.microseconds.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
        }
    }

    impl Timepiece for SetByHand {
        fn now(&self) -> Instant {
            self.start + Duration::from_micros(self.microseconds.load(Ordering::Relaxed))
        }
    }
}
