//! The simple genetic algorithm of the document.
//!
//! The worst ten of twenty players make room for the children of parents that won small tournaments
//! of fitness; so its two elites, the best, always live on (Rahul, *Phoenix*, 2014; sizes of the
//! tournaments and rates are those of the library Jenes 2, whose defaults its slides show).

use rand::SeedableRng;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::individual::{Individual, best, first_population, genomes, judged};
use crate::numbers::PopulationSpace;
use crate::{Chance, SearchPoint, Variation};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GeneticSettings {
    /// Individuals.
    pub population: usize,
    /// Number of the worst that children replace.
    pub replaced: usize,
    /// Individuals of a tournament; the best one is a parent.
    pub tournament: usize,
    /// Crossover and mutation.
    pub variation: Variation,
}

impl Default for GeneticSettings {
    fn default() -> Self {
        Self { population: 20, replaced: 10, tournament: 3, variation: Variation::default() }
    }
}

impl GeneticSettings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Genetic, SettingsError> {
        check.count("population", self.population, 2)?;
        check.count("tournament", self.tournament, 1)?;
        check.count("replaced", self.replaced, 1)?;
        let fits = self.replaced < self.population;
        check.number("replaced", self.replaced as f64, fits, "less than the population")?;
        check.variation(&self.variation)?;
        let numbers = PopulationSpace::new(conditions, self.variation.clone());
        let mut chance = Chance::seed_from_u64(conditions.seed);
        let population = first_population(&numbers, self.population, &mut chance);
        let (settings, is_noisy) = (self.clone(), conditions.is_noisy);
        Ok(Genetic { settings, numbers, is_noisy, chance, population, pending: Vec::new() })
    }
}

/// A running search.
pub struct Genetic {
    settings: GeneticSettings,
    numbers: PopulationSpace,
    /// With noise all individuals are judged in every generation, survivors too.
    is_noisy: bool,
    chance: Chance,
    population: Vec<Individual>,
    /// Indices of the individuals being judged.
    pending: Vec<usize>,
}

impl SearchMethod for Genetic {
    fn ask(&mut self) -> Vec<SearchPoint> {
        if self.population.iter().all(|one| one.fitness.is_some()) {
            self.next_generation();
        }
        let is_pending = |one: &Individual| self.is_noisy || one.fitness.is_none();
        self.pending =
            (0..self.population.len()).filter(|&i| is_pending(&self.population[i])).collect();
        self.pending.iter().map(|&place| self.population[place].genome.clone()).collect()
    }

    fn tell(&mut self, judgements: &[PointFitness]) {
        judged(&mut self.population, &self.pending, judgements);
    }

    fn answer(&self) -> SearchPoint {
        self.population[best(&self.population)].genome.clone()
    }

    fn population(&self) -> Vec<SearchPoint> {
        genomes(&self.population)
    }
}

impl Genetic {
    /// Sorts by fitness and replaces the worst by children.
    fn next_generation(&mut self) {
        self.population.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
        let mut children = Vec::with_capacity(self.settings.replaced + 1);
        while children.len() < self.settings.replaced {
            let parents = [self.parent(), self.parent()];
            let parents = parents.map(|place| &self.population[place].genome);
            children.extend(self.numbers.children(parents, &mut self.chance));
        }
        children.truncate(self.settings.replaced);
        self.population.truncate(self.settings.population - self.settings.replaced);
        self.population.extend(children.into_iter().map(Individual::new));
    }

    /// Index of the winner of a tournament; the population is sorted.
    fn parent(&mut self) -> usize {
        let all = self.population.len();
        let drawn = sample(&mut self.chance, all, self.settings.tournament.min(all));
        drawn.iter().min().unwrap_or(0)
    }
}
