//! What a call observes of itself.

use std::time::{Duration, Instant};

use crate::guard::Guard;
use crate::outstanding::Outstanding;
use crate::vitals::Vitals;
use network::Compute;

/// What one call observes of itself; nothing of it decides the outcome.
pub(super) struct Watch {
    pub(super) outstanding: Outstanding,
    pub(super) guard: Option<Guard>,
    pub(super) vitals: Vitals,
    pub(super) saved_step: u64,
    pub(super) saved_at: Instant,
    /// How long this call has waited for batches of the running epoch.
    pub(super) waited: Duration,
    /// When the running epoch began, and how long it had run before this call.
    epoch_began: Instant,
    epoch_before: f64,
}

impl Watch {
    pub(super) fn new(compute: Compute, saved_step: u64, epoch_before: f64) -> Self {
        let now = Instant::now();
        Self {
            outstanding: Outstanding::new(compute),
            guard: None,
            vitals: Vitals::default(),
            saved_step,
            saved_at: now,
            waited: Duration::ZERO,
            epoch_began: now,
            epoch_before,
        }
    }

    pub(super) fn seconds(&self) -> f64 {
        self.epoch_before + self.epoch_began.elapsed().as_secs_f64()
    }

    /// Share of this call's time in the running epoch that went by without a batch.
    pub(super) fn waiting(&self) -> f64 {
        self.waited.as_secs_f64() / self.epoch_began.elapsed().as_secs_f64().max(1e-9)
    }

    pub(super) fn begin_epoch(&mut self) {
        (self.epoch_began, self.epoch_before) = (Instant::now(), 0.0);
        self.waited = Duration::ZERO;
    }
}
