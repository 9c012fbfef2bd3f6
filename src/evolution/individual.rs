//! An individual of a population.

use super::{Chance, PointFitness, SearchPoint};
use crate::numbers::PopulationSpace;

/// A point and its fitness, once that is evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Individual {
    pub genome: SearchPoint,
    pub fitness: Option<f64>,
}

impl Individual {
    /// Not judged yet.
    pub(crate) fn new(genome: SearchPoint) -> Self {
        Self { genome, fitness: None }
    }

    /// Fitness for comparisons; without one, below all.
    pub(crate) fn worth(&self) -> f64 {
        self.fitness.unwrap_or(f64::NEG_INFINITY)
    }
}

pub(crate) fn first_population(
    numbers: &PopulationSpace,
    count: usize,
    chance: &mut Chance,
) -> Vec<Individual> {
    (0..count).map(|place| Individual::new(numbers.first(place, chance))).collect()
}

/// Index of the best individual; the first of equals.
pub(crate) fn best(population: &[Individual]) -> usize {
    let better = |best: usize, place: usize| match population[place].worth() {
        worth if worth > population[best].worth() => place,
        _ => best,
    };
    (1..population.len()).fold(0, better)
}

/// The points alone.
pub(crate) fn genomes(population: &[Individual]) -> Vec<SearchPoint> {
    population.iter().map(|one| one.genome.clone()).collect()
}

/// Sets the fitness of the individuals at these places.
pub(crate) fn judged(population: &mut [Individual], places: &[usize], judged: &[PointFitness]) {
    for (&place, judgement) in places.iter().zip(judged) {
        population[place].fitness = Some(judgement.fitness);
    }
}
