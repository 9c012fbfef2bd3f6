//! Somebody who is alive in a population.

use super::{Chance, Heredity, Judgement};

/// A genome and how good it is, once somebody has said.
#[derive(Clone, Debug)]
pub(crate) struct Individual<G> {
    pub genome: G,
    pub fitness: Option<f64>,
}

impl<G> Individual<G> {
    /// Not judged yet.
    pub(crate) fn new(genome: G) -> Self {
        Self { genome, fitness: None }
    }

    /// For comparisons: whoever is not judged is worse than all.
    pub(crate) fn worth(&self) -> f64 {
        self.fitness.unwrap_or(f64::NEG_INFINITY)
    }
}

/// The first ones.
pub(crate) fn first_population<H: Heredity>(
    heredity: &H,
    count: usize,
    chance: &mut Chance,
) -> Vec<Individual<H::Genome>> {
    (0..count).map(|place| Individual::new(heredity.first(place, chance))).collect()
}

/// The place of the best one; the first of several.
pub(crate) fn best<G>(population: &[Individual<G>]) -> usize {
    let better = |best: usize, place: usize| match population[place].worth() {
        worth if worth > population[best].worth() => place,
        _ => best,
    };
    (1..population.len()).fold(0, better)
}

/// The genomes alone.
pub(crate) fn genomes<G: Clone>(population: &[Individual<G>]) -> Vec<G> {
    population.iter().map(|one| one.genome.clone()).collect()
}

/// Gives the individuals at these places what was said of them.
pub(crate) fn judged<G>(population: &mut [Individual<G>], places: &[usize], judged: &[Judgement]) {
    for (&place, judgement) in places.iter().zip(judged) {
        population[place].fitness = Some(judgement.fitness);
    }
}
