//! Gradient ascent for judges with slopes: Texel tuning with Adam.

use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::{SearchPoint, Space};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GradientSettings {
    /// Largest move of a round, in steps of each gene.
    pub rate: f64,
}

impl Default for GradientSettings {
    fn default() -> Self {
        Self { rate: 1.0 }
    }
}

impl GradientSettings {
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

/// A running search.
pub(super) struct Gradient {
    space: Space,
    /// In steps from the start.
    place: Vec<f64>,
    adam: Adam,
}

impl SearchMethod for Gradient {
    fn ask(&mut self) -> Vec<SearchPoint> {
        vec![self.answer()]
    }

    fn tell(&mut self, judged: &[PointFitness]) {
        let Some(slope) = judged.first().and_then(|judgement| judgement.slope.as_ref()) else {
            return;
        };
        let in_steps = slope.iter().zip(self.space.genes()).map(|(slope, gene)| slope * gene.step);
        self.adam.climb(&mut self.place, &in_steps.collect::<Vec<_>>());
        self.space.bound(&mut self.place);
    }

    fn answer(&self) -> SearchPoint {
        self.space.at(&self.place)
    }

    fn population(&self) -> Vec<SearchPoint> {
        vec![self.answer()]
    }
}
