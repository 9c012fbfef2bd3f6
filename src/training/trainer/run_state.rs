//! State of one call of `train`, beside the session: losses on the device, clocks, checks.

use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use crate::divergence::DivergenceCheck;
use crate::health::HealthMonitor;
use network::Compute;

/// Steps of a graphics card between two reads of losses.
const GPU_STEPS: usize = 32;

/// Nothing of it decides the outcome, so no checkpoint holds it.
pub(super) struct RunState {
    pub(super) pending: PendingLosses,
    /// Set by the first batch, whose targets give the baseline.
    pub(super) divergence: Option<DivergenceCheck>,
    pub(super) health: HealthMonitor,
    pub(super) saved_step: u64,
    pub(super) saved_at: Instant,
    /// Time of this call spent waiting for batches of the running epoch.
    pub(super) waited: Duration,
    epoch_began: Instant,
    /// Seconds of the running epoch before this call.
    epoch_before: f64,
}

impl RunState {
    pub(super) fn new(compute: Compute, saved_step: u64, epoch_before: f64) -> Self {
        let now = Instant::now();
        Self {
            pending: PendingLosses::new(compute),
            divergence: None,
            health: HealthMonitor::default(),
            saved_step,
            saved_at: now,
            waited: Duration::ZERO,
            epoch_began: now,
            epoch_before,
        }
    }

    /// Wall time of the running epoch.
    pub(super) fn seconds(&self) -> f64 {
        self.epoch_before + self.epoch_began.elapsed().as_secs_f64()
    }

    /// Share of this call's time in the running epoch spent waiting for batches.
    pub(super) fn waiting(&self) -> f64 {
        self.waited.as_secs_f64() / self.epoch_began.elapsed().as_secs_f64().max(1e-9)
    }

    pub(super) fn begin_epoch(&mut self) {
        (self.epoch_began, self.epoch_before) = (Instant::now(), 0.0);
        self.waited = Duration::ZERO;
    }

    pub(super) fn saved(&mut self, step: u64) {
        (self.saved_step, self.saved_at) = (step, Instant::now());
    }

    /// Whether the run may go on after this loss.
    pub(super) fn accepts(&mut self, loss: f64) -> bool {
        self.divergence.as_mut().is_none_or(|check| check.accepts(loss))
    }
}

/// Losses of the latest steps, oldest first, still on the device.
///
/// Reading a number from a graphics card waits until its queue is empty, so the losses of several
/// steps are read at once. Progress and the divergence check are late by as many steps.
#[derive(Debug)]
pub(super) struct PendingLosses {
    losses: Vec<Tensor<1>>,
    at_most: usize,
}

impl PendingLosses {
    pub(super) fn new(compute: Compute) -> Self {
        let at_most = match compute {
            Compute::Cpu | Compute::Ndarray => 1,
            Compute::Gpu(_) => GPU_STEPS,
        };
        Self { losses: Vec::new(), at_most }
    }

    pub(super) fn push(&mut self, loss: Tensor<1>) {
        self.losses.push(loss);
    }

    pub(super) fn are_due(&self) -> bool {
        self.losses.len() >= self.at_most
    }

    /// Waits for all of them.
    ///
    /// # Panics
    /// If the device fails.
    pub(super) fn read(&mut self) -> Vec<f64> {
        if self.losses.is_empty() {
            return Vec::new();
        }
        let losses = Tensor::cat(std::mem::take(&mut self.losses), 0).try_into_vec_as::<f32>();
        let losses = losses.expect("losses are f32 and the device still answers");
        losses.into_iter().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::testing::every_compute;

    #[test]
    fn losses_come_in_order_and_once() {
        for compute in every_compute() {
            let device = compute.device().unwrap();
            let mut pending = PendingLosses::new(compute);
            let mut steps = 0;
            while !pending.are_due() {
                pending.push(Tensor::from_data([steps as f32], &device));
                steps += 1;
            }
            assert_eq!(steps, if compute.is_gpu() { GPU_STEPS } else { 1 });
            let expected: Vec<f64> = (0..steps).map(|step| step as f64).collect();
            assert_eq!(pending.read(), expected);
            assert!(pending.read().is_empty());
        }
    }
}
