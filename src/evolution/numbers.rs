//! Initial points, crossover and distances of a population.

use super::{Chance, Conditions, Mutation, SearchPoint, Space, Variation};

/// Points of a space.
#[derive(Clone, Debug)]
pub(crate) struct PopulationSpace {
    space: Space,
    variation: Variation,
    /// Whether the first ones are random, and not near the start.
    anywhere: bool,
}

impl PopulationSpace {
    pub(crate) fn new(conditions: &Conditions, variation: Variation) -> Self {
        Self { space: conditions.space.clone(), variation, anywhere: conditions.anywhere }
    }

    /// Point of the first population at this index: random; or the start, followed by points within
    /// a few steps of it.
    pub(crate) fn first(&self, place: usize, chance: &mut Chance) -> SearchPoint {
        match (self.anywhere, place) {
            (true, _) => self.space.any(chance),
            (false, 0) => self.space.start(),
            (false, _) => {
                let near = Variation {
                    crossover_rate: 0.0,
                    mutation: Mutation::Normal(1.0),
                    mutation_rate: 1.0,
                    ..Variation::default()
                };
                let start = self.space.start();
                let [child, _] = near.children([&start, &start], &self.space, chance);
                child
            }
        }
    }

    pub(crate) fn children(
        &self,
        parents: [&SearchPoint; 2],
        chance: &mut Chance,
    ) -> [SearchPoint; 2] {
        self.variation.children(parents, &self.space, chance)
    }

    pub(crate) fn distance(&self, one: &SearchPoint, other: &SearchPoint) -> f64 {
        self.space.distance(one, other)
    }
}
