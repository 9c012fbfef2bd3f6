//! Signals to a running search: stop and ponderhit.

use std::sync::atomic::{AtomicBool, Ordering};

/// Flags that another thread may change while a search runs.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a> {
    stop: &'a AtomicBool,
    pondering: Option<&'a AtomicBool>,
}

impl<'a> Signals<'a> {
    /// The search ends soon after `stop` is raised. As long as `pondering` is
    /// raised it is the opponent's turn: the clock is not looked at, and the
    /// search goes on.
    pub(crate) fn pondering(stop: &'a AtomicBool, pondering: &'a AtomicBool) -> Self {
        Self { stop, pondering: Some(pondering) }
    }

    /// Whether to drop everything.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the clock counts.
    #[inline]
    pub(crate) fn is_own_turn(&self) -> bool {
        !self.pondering.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl<'a> From<&'a AtomicBool> for Signals<'a> {
    fn from(stop: &'a AtomicBool) -> Self {
        Self { stop, pondering: None }
    }
}
