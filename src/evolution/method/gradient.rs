//! Along the slope, for judges that know it: what the field calls Texel tuning, with Adam.

use serde::{Deserialize, Serialize};

use super::{Check, Conditions, Judgement, Method, SettingsError};
use crate::{Point, Space};

/// What can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How far it goes at most, in steps of each gene.
    pub rate: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rate: 1.0 }
    }
}

impl Settings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Gradient, SettingsError> {
        check.above_zero("rate", self.rate)?;
        let dimensions = conditions.space.dimensions();
        Ok(Gradient {
            space: conditions.space.clone(),
            place: conditions.beginning(),
            adam: Adam::new(dimensions, self.rate, conditions.evaluations.max(1)),
        })
    }
}

/// The search under way.
pub(super) struct Gradient {
    space: Space,
    /// In steps from the start.
    place: Vec<f64>,
    adam: Adam,
}

impl Method for Gradient {
    fn ask(&mut self) -> Vec<Point> {
        vec![self.answer()]
    }

    fn tell(&mut self, judged: &[Judgement]) {
        let Some(slope) = judged.first().and_then(|judgement| judgement.slope.as_ref()) else {
            return;
        };
        let in_steps = slope.iter().zip(self.space.genes()).map(|(slope, gene)| slope * gene.step);
        self.adam.climb(&mut self.place, &in_steps.collect::<Vec<_>>());
        self.space.bound(&mut self.place);
    }

    fn answer(&self) -> Point {
        self.space.at(&self.place)
    }

    fn population(&self) -> Vec<Point> {
        vec![self.answer()]
    }
}

/// Adam (Kingma and Ba, 2015), climbing; its rate falls linearly to a hundredth.
pub(super) struct Adam {
    rate: f64,
    rounds: u64,
    round: i32,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Adam {
    /// For so many numbers, over so many rounds.
    pub(super) fn new(dimensions: usize, rate: f64, rounds: u64) -> Self {
        let zeros = vec![0.0; dimensions];
        Self { rate, rounds, round: 0, means: zeros.clone(), squares: zeros }
    }

    /// One step.
    pub(super) fn climb(&mut self, place: &mut [f64], slope: &[f64]) {
        const MEAN: f64 = 0.9;
        const SQUARE: f64 = 0.999;
        self.round += 1;
        let share = f64::from(self.round - 1) / self.rounds as f64;
        let rate = self.rate * (1.0 - share).max(0.01);
        let (mean_seen, square_seen) = (1.0 - MEAN.powi(self.round), 1.0 - SQUARE.powi(self.round));
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((place, slope), (mean, square)) in place.iter_mut().zip(slope).zip(state) {
            *mean = MEAN * *mean + (1.0 - MEAN) * slope;
            *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
            let scale = (*square / square_seen).sqrt();
            if scale > 0.0 {
                *place += rate * (*mean / mean_seen) / scale;
            }
        }
    }
}
