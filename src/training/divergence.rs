//! Divergence check.
//!
//! The loss is a power of a difference of probabilities, and bounded. So a
//! diverged net shows no enormous loss: it shows NaN, or for a long time a loss
//! above the baseline, the loss of a net with a constant output of 0.

/// Batches whose mean loss is judged.
const WINDOW: u32 = 100;

/// Multiple of the baseline beyond bad luck.
const FACTOR: f64 = 2.0;

/// Loss that is always allowed: with quiet data the baseline is almost zero, and a fresh
/// net a little above it.
const SLACK: f64 = 0.01;

#[derive(Clone, Copy, Debug)]
pub(crate) struct DivergenceCheck {
    limit: f64,
    sum: f64,
    batches: u32,
}

impl DivergenceCheck {
    /// `baseline` is the loss of a net that has a constant output of 0.
    pub(crate) fn new(baseline: f64) -> Self {
        Self { limit: FACTOR * baseline + SLACK, sum: 0.0, batches: 0 }
    }

    /// Records the loss of a batch; whether the run may go on.
    pub(crate) fn accepts(&mut self, loss: f64) -> bool {
        if !loss.is_finite() {
            return false;
        }
        self.sum += loss;
        self.batches += 1;
        if self.batches < WINDOW {
            return true;
        }
        let mean = self.sum / f64::from(self.batches);
        (self.sum, self.batches) = (0.0, 0);
        self.accepts_mean(mean)
    }

    /// Whether the run may go on after an epoch of this mean loss.
    pub(crate) fn accepts_mean(&self, loss: f64) -> bool {
        loss <= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_ends_the_run_at_once() {
        assert!(!DivergenceCheck::new(0.02).accepts(f64::NAN));
        assert!(!DivergenceCheck::new(0.02).accepts(f64::INFINITY));
    }

    #[test]
    fn worse_than_nothing_ends_it_after_a_while() {
        let mut divergence = DivergenceCheck::new(0.02);
        assert!((1..WINDOW).all(|_| divergence.accepts(0.5)));
        assert!(!divergence.accepts(0.5));
    }

    #[test]
    fn a_short_epoch_is_judged_at_its_end() {
        let divergence = DivergenceCheck::new(0.02);
        assert!(divergence.accepts_mean(0.04));
        assert!(!divergence.accepts_mean(0.2));
        assert!(!divergence.accepts_mean(f64::NAN));
    }

    #[test]
    fn a_bad_batch_is_forgiven() {
        let mut divergence = DivergenceCheck::new(0.02);
        assert!((0..10 * WINDOW).all(|i| divergence.accepts(if i % WINDOW == 0 {
            0.9
        } else {
            0.02
        })));
    }
}
