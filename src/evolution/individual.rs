//! Somebody who is alive in a population.

use super::{Chance, Judgement, Point};
use crate::numbers::Numbers;

/// A point and its fitness, once that is evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Individual {
    pub genome: Point,
    pub fitness: Option<f64>,
}

impl Individual {
    /// Not judged yet.
    pub(crate) fn new(genome: Point) -> Self {
        Self { genome, fitness: None }
    }

    /// For comparisons: whoever is not judged is worse than all.
    pub(crate) fn worth(&self) -> f64 {
        self.fitness.unwrap_or(f64::NEG_INFINITY)
    }
}

pub(crate) fn first_population(
    numbers: &Numbers,
    count: usize,
    chance: &mut Chance,
) -> Vec<Individual> {
    (0..count).map(|place| Individual::new(numbers.first(place, chance))).collect()
}

/// The place of the best one; the first of several.
pub(crate) fn best(population: &[Individual]) -> usize {
    let better = |best: usize, place: usize| match population[place].worth() {
        worth if worth > population[best].worth() => place,
        _ => best,
    };
    (1..population.len()).fold(0, better)
}

/// The points alone.
pub(crate) fn genomes(population: &[Individual]) -> Vec<Point> {
    population.iter().map(|one| one.genome.clone()).collect()
}

/// Gives the individuals at these places what was said of them.
pub(crate) fn judged(population: &mut [Individual], places: &[usize], judged: &[Judgement]) {
    for (&place, judgement) in places.iter().zip(judged) {
        population[place].fitness = Some(judgement.fitness);
    }
}
