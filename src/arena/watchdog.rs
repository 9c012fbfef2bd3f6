//! Detects standstills of the machine.
//!
//! A clock that runs while nothing else does (a virtual machine without its processor, a computer
//! that swaps or sleeps) takes games from innocent players. A thread that polls the clock detects
//! it: whenever it was late, so were all players.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Interval of the polls.
const TICK: Duration = Duration::from_millis(2);
/// A harmless delay: schedulers have slices of some milliseconds.
const USUAL: Duration = Duration::from_millis(20);

/// Thread that watches the clock until [`finish`](Self::finish).
pub struct Watchdog {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Standstills>,
}

/// Standstills of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standstills {
    pub count: u64,
    pub longest: Duration,
}

impl Watchdog {
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut seen = Standstills::default();
            while !stopped.load(Ordering::Relaxed) {
                let before = Instant::now();
                thread::sleep(TICK);
                seen.note(before.elapsed().saturating_sub(TICK));
            }
            seen
        });
        Self { stop, thread }
    }

    /// Ends the thread and returns its standstills.
    pub fn finish(self) -> Standstills {
        self.stop.store(true, Ordering::Relaxed);
        // A watchdog that panicked has no standstills.
        self.thread.join().unwrap_or_default()
    }
}

impl Standstills {
    /// Warning for readers of results; `None` without standstills.
    pub fn warning(&self) -> Option<String> {
        (self.count > 0).then(|| {
            format!(
                "the machine stalled {self} while clocks ran, under other load; \
                 losses on time may be the result"
            )
        })
    }

    fn note(&mut self, delay: Duration) {
        if delay > USUAL {
            self.count += 1;
            self.longest = self.longest.max(delay);
        }
    }
}

impl fmt::Display for Standstills {
    /// `3 times, for up to 182 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "once, for {} ms", self.longest.as_millis()),
            count => write!(f, "{count} times, for up to {} ms", self.longest.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_delays_are_counted_and_usual_ones_are_not() {
        let mut seen = Standstills::default();
        [1, 19, 250, 3, 40].map(Duration::from_millis).into_iter().for_each(|d| seen.note(d));
        assert_eq!(seen, Standstills { count: 2, longest: Duration::from_millis(250) });
        assert_eq!(seen.to_string(), "2 times, for up to 250 ms");
        let once = Standstills { count: 1, ..seen };
        assert_eq!(once.to_string(), "once, for 250 ms");
    }

    #[test]
    fn finish_ends_it() {
        let begun = Instant::now();
        Watchdog::start().finish();
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}
