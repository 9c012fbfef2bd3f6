//! What a population has to know of what it breeds.
//!
//! Genetic algorithms add nothing to individuals and multiply nothing: they make some, mix two and
//! compare them. So whatever can do that can be bred; [`Numbers`] are what all other methods
//! search as well.

use super::{Chance, Conditions, Mutation, Point, Space, Variation};

/// How individuals come into the world, and how they differ.
pub trait Heredity: Send {
    /// What an individual is.
    type Genome: Clone + Send;

    /// One of the first population, in which it has this place.
    fn first(&self, place: usize, chance: &mut Chance) -> Self::Genome;

    /// The children of two parents.
    fn children(&self, parents: [&Self::Genome; 2], chance: &mut Chance) -> [Self::Genome; 2];

    /// How unlike two are; 0 of a genome and itself.
    fn distance(&self, one: &Self::Genome, other: &Self::Genome) -> f64;
}

/// Points of a space.
#[derive(Clone, Debug)]
pub struct Numbers {
    space: Space,
    variation: Variation,
    /// Whether the first ones are anywhere, and not about the start.
    anywhere: bool,
}

impl Numbers {
    pub(crate) fn new(conditions: &Conditions, variation: Variation) -> Self {
        Self { space: conditions.space.clone(), variation, anywhere: conditions.anywhere }
    }
}

impl Heredity for Numbers {
    type Genome = Point;

    /// Anywhere; or the start, and then points within a few steps of it.
    fn first(&self, place: usize, chance: &mut Chance) -> Point {
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

    fn children(&self, parents: [&Point; 2], chance: &mut Chance) -> [Point; 2] {
        self.variation.children(parents, &self.space, chance)
    }

    fn distance(&self, one: &Point, other: &Point) -> f64 {
        self.space.distance(one, other)
    }
}
