//! Whether a net is still able to learn, looked at after every epoch.
//!
//! A learning rate that is too high kills neurons: pushed so far that they never fire, or
//! always at their largest, they get no gradient and stay so. The loss hardly shows it, since
//! the others make up for it; so the neurons are counted on real positions.

use std::collections::HashSet;

use super::warning::Warning;
use chess::PackedPosition;
use data::Sample;
use nnue_tools::check::Health;

/// Positions that are looked at.
const POSITIONS: usize = 2_000;

/// Up to 2,000 positions, evenly spread over the samples that validate, or over those to
/// train on if there are none; each position once, since of one alone every net says the
/// same.
pub fn sample_positions(train: &[Sample], validation: &[Sample]) -> Vec<PackedPosition> {
    let samples = if validation.is_empty() { train } else { validation };
    let step = samples.len().div_ceil(POSITIONS).max(1);
    let mut seen = HashSet::new();
    let positions = samples.iter().step_by(step).map(|sample| sample.position);
    positions.filter(|position| seen.insert(bytemuck::bytes_of(position).to_vec())).collect()
}

/// What was already said of a run, so that it is not said after every epoch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vitals {
    lost: usize,
    constant: bool,
    /// The epoch after which something was said last.
    epoch: u32,
}

impl Vitals {
    /// What is new after an epoch: the net became constant, or twice as many neurons are
    /// lost as when it was last said.
    pub fn news(&mut self, health: &Health, epoch: u32) -> Option<Warning> {
        let (lost, constant) = (health.lost(), health.constant().is_some());
        let is_news = (constant && !self.constant) || (lost > 0 && lost >= 2 * self.lost);
        if !is_news {
            return None;
        }
        *self = Self { lost, constant, epoch };
        told(health, epoch)
    }

    /// What is to be said of the net that is kept, that of an epoch, if it was not just said.
    pub(crate) fn at_the_end(&self, health: &Health, epoch: u32) -> Option<Warning> {
        told(health, epoch).filter(|_| epoch != self.epoch)
    }
}

fn told(health: &Health, epoch: u32) -> Option<Warning> {
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
    fn news_are_told_once() {
        let mut vitals = Vitals::default();
        let mut news = |dead, stuck, range| {
            vitals.news(&health(dead, stuck, range), 1).map(|warning| warning.to_string())
        };
        assert_eq!(news(0, 0, [-200, 300]), None);
        let told = news(1, 1, [-200, 300]).unwrap();
        for part in ["1 of 32 neurons of the second dense layer never fire", "are always full"] {
            assert!(told.contains(part), "{told}");
        }
        assert_eq!(news(1, 1, [-200, 300]), None);
        assert_eq!(news(3, 0, [-200, 300]), None);
        assert!(news(4, 0, [-200, 300]).is_some());
        assert!(news(4, 0, [10, 10]).unwrap().contains("10 cp of every position"));
        assert_eq!(news(4, 0, [10, 10]), None);
    }
}
