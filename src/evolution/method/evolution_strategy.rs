//! Evolution strategy: a normal distribution of one width that follows its natural gradient.
//!
//! Points are drawn in mirrored pairs around the mean; the sum of all, weighted by rank, is an
//! estimate of the slope, which Adam follows (Salimans and others, *Evolution strategies as a
//! scalable alternative to reinforcement learning*, 2017).

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::{Chance, SearchPoint, Space};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolutionStrategySettings {
    /// Points per move of the mean; even.
    pub population: usize,
    /// Width of the distribution in steps of each gene.
    pub width: f64,
    /// Distance of the mean over the whole budget under pure noise, in steps of each gene; it sets
    /// the length of a move. 2 by default, and 6 where judgements have no noise.
    pub drift: Option<f64>,
}

impl Default for EvolutionStrategySettings {
    fn default() -> Self {
        Self { population: 40, width: 1.0, drift: None }
    }
}

impl EvolutionStrategySettings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<EvolutionStrategy, SettingsError> {
        check.count("population", self.population, 2)?;
        let is_even = self.population.is_multiple_of(2);
        check.number("population", self.population as f64, is_even, "even")?;
        check.above_zero("width", self.width)?;
        let drift = conditions.drift(self.drift);
        check.above_zero("drift", drift)?;
        let dimensions = conditions.space.dimensions();
        let generations = (conditions.evaluations / self.population as u64).max(1);
        Ok(EvolutionStrategy {
            settings: self.clone(),
            space: conditions.space.clone(),
            chance: Chance::seed_from_u64(conditions.seed),
            middle: conditions.beginning(),
            drawn: Vec::new(),
            adam: Adam::of_drift(dimensions, drift, generations),
        })
    }
}

/// A running search.
pub(super) struct EvolutionStrategy {
    settings: EvolutionStrategySettings,
    space: Space,
    chance: Chance,
    /// In steps from the start.
    middle: Vec<f64>,
    /// The first point of each mirrored pair.
    drawn: Vec<Vec<f64>>,
    adam: Adam,
}

impl SearchMethod for EvolutionStrategy {
    fn ask(&mut self) -> Vec<SearchPoint> {
        let dimensions = self.middle.len();
        let mut one = || StandardNormal.sample_iter(&mut self.chance).take(dimensions).collect();
        self.drawn = (0..self.settings.population / 2).map(|_| one()).collect();
        self.population()
    }

    fn tell(&mut self, judged: &[PointFitness]) {
        let worth = worth_by_rank(judged);
        let mut slope = vec![0.0; self.middle.len()];
        for (drawn, worth) in self.drawn.iter().zip(worth.chunks_exact(2)) {
            let difference = worth[0] - worth[1];
            slope.iter_mut().zip(drawn).for_each(|(slope, z)| *slope += difference * z);
        }
        self.adam.climb(&mut self.middle, &slope);
        self.space.bound(&mut self.middle);
    }

    fn answer(&self) -> SearchPoint {
        self.space.at(&self.middle)
    }

    fn population(&self) -> Vec<SearchPoint> {
        let sides = [self.settings.width, -self.settings.width];
        let moved = |(drawn, side): (&Vec<f64>, f64)| {
            let steps = self.middle.iter().zip(drawn).map(|(middle, z)| middle + side * z);
            self.space.at(&steps.collect::<Vec<_>>())
        };
        self.drawn.iter().flat_map(|drawn| sides.map(|side| (drawn, side))).map(moved).collect()
    }
}

/// −½ for the worst to ½ for the best; equals share the mean of their ranks.
fn worth_by_rank(judged: &[PointFitness]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..judged.len()).collect();
    order.sort_by(|&a, &b| judged[a].fitness.total_cmp(&judged[b].fitness));
    let last = (judged.len().max(2) - 1) as f64;
    let mut worth = vec![0.0; judged.len()];
    let mut first = 0;
    for alike in order.chunk_by(|&a, &b| judged[a].fitness == judged[b].fitness) {
        let mean = first as f64 + (alike.len() - 1) as f64 / 2.0;
        alike.iter().for_each(|&place| worth[place] = mean / last - 0.5);
        first += alike.len();
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_goes_by_rank_and_equals_are_equal() {
        let judged: Vec<PointFitness> = [3.0, 1.0, 3.0, -8.0, 9.0].map(PointFitness::of).to_vec();
        assert_eq!(worth_by_rank(&judged), [0.125, -0.25, 0.125, -0.5, 0.5]);
        assert_eq!(worth_by_rank(&judged[..1]), [-0.5]);
        let alike = vec![PointFitness::of(1.0); 4];
        assert_eq!(worth_by_rank(&alike), [0.0; 4]);
    }
}
