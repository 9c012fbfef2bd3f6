//! Sources of time.
//!
//! Searches read the system's clock. Tests use one that stands still or jumps, so that they can
//! repeat a busy machine.

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

    /// A clock that tests advance.
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
