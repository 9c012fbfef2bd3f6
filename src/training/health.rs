//! Health metrics of a net, measured after every epoch.
//!
//! A learning rate that is too high kills neurons: a neuron that never fires, or always fires at
//! its maximum, gets no gradient and stays so. The loss hardly shows it, since the others
//! compensate; so the neurons are counted on real positions.

use std::collections::HashSet;

use super::warning::Warning;
use chess::PackedPosition;
use data::Sample;
use nnue_tools::check::Health;

/// Positions of the health check.
const POSITIONS: usize = 2_000;

/// Up to 2,000 different positions, evenly spread over the validation samples, or over the
/// training samples if there are none.
pub fn sample_positions(train: &[Sample], validation: &[Sample]) -> Vec<PackedPosition> {
    let samples = if validation.is_empty() { train } else { validation };
    let step = samples.len().div_ceil(POSITIONS).max(1);
    let mut seen = HashSet::new();
    let positions = samples.iter().step_by(step).map(|sample| sample.position);
    positions.filter(|position| seen.insert(bytemuck::bytes_of(position).to_vec())).collect()
}

/// Warns once of each change for the worse, not after every epoch.
#[derive(Clone, Copy, Debug, Default)]
pub struct HealthMonitor {
    lost: usize,
    constant: bool,
    /// Epoch of the last warning.
    epoch: u32,
}

impl HealthMonitor {
    /// A warning if the net became constant, or if twice as many neurons are lost as at the last
    /// warning.
    pub fn after_epoch(&mut self, health: &Health, epoch: u32) -> Option<Warning> {
        let (lost, constant) = (health.lost(), health.constant().is_some());
        let is_worse = (constant && !self.constant) || (lost > 0 && lost >= 2 * self.lost);
        if !is_worse {
            return None;
        }
        *self = Self { lost, constant, epoch };
        warning(health, epoch)
    }

    /// A warning about the net that is kept, unless the last warning was about its epoch.
    pub(crate) fn at_the_end(&self, health: &Health, epoch: u32) -> Option<Warning> {
        warning(health, epoch).filter(|_| epoch != self.epoch)
    }
}

fn warning(health: &Health, epoch: u32) -> Option<Warning> {
    let (odd, positions) = (health.odd(), health.positions);
    (!odd.is_empty()).then_some(Warning::Lifeless { epoch, positions, odd })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue_tools::check::{HiddenLayer, LayerActivity};

    fn health(dead: usize, stuck: usize, range: [i32; 2]) -> Health {
        let name = HiddenLayer::Second;
        let layer = LayerActivity { name, neurons: 32, dead, stuck, active: 0.5, full: 0.1 };
        Health { positions: 2_000, layers: vec![layer], range }
    }

    #[test]
    fn each_change_is_reported_once() {
        let mut monitor = HealthMonitor::default();
        let mut report = |dead, stuck, range| {
            monitor.after_epoch(&health(dead, stuck, range), 1).map(|warning| warning.to_string())
        };
        assert_eq!(report(0, 0, [-200, 300]), None);
        let text = report(1, 1, [-200, 300]).unwrap();
        for part in ["1 of 32 neurons of the second dense layer never fire", "are always full"] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(report(1, 1, [-200, 300]), None);
        assert_eq!(report(3, 0, [-200, 300]), None);
        assert!(report(4, 0, [-200, 300]).is_some());
        assert!(report(4, 0, [10, 10]).unwrap().contains("10 cp of every position"));
        assert_eq!(report(4, 0, [10, 10]), None);
    }
}
