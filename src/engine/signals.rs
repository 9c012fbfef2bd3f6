//! Signals to a running search: stop and ponderhit.

use std::sync::atomic::{AtomicBool, Ordering};

/// Flags that another thread may change while a search runs.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a> {
    stop: &'a AtomicBool,
    pondering: Option<&'a AtomicBool>,
}

impl<'a> Signals<'a> {
    /// The search ends soon after `stop` is raised. While `pondering` is raised it is the
    /// opponent's turn: the search ignores the clock.
    pub(crate) fn pondering(stop: &'a AtomicBool, pondering: &'a AtomicBool) -> Self {
        Self { stop, pondering: Some(pondering) }
    }

    /// Whether the search must end now.
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
