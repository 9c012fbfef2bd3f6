//! The simple genetic algorithm of the document.
//!
//! Of twenty players ten, the worst, make room for the children of parents that won small
//! tournaments of fitness; so its two elites, the best, always live on (Rahul, *Phoenix*, 2014;
//! sizes of the tournaments and rates are those of the library Jenes 2, whose defaults its slides
//! show).

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
    /// So many of the worst make room for children.
    pub replaced: usize,
    /// A parent is the best of so many that are drawn.
    pub tournament: usize,
    /// What children have of their parents.
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
        Ok(Genetic { settings, numbers, is_noisy, chance, population, asked: Vec::new() })
    }
}

/// The search under way.
pub struct Genetic {
    settings: GeneticSettings,
    numbers: PopulationSpace,
    /// With noise all individuals are judged in every generation, survivors as well.
    is_noisy: bool,
    chance: Chance,
    population: Vec<Individual>,
    /// Places of those that are being judged.
    asked: Vec<usize>,
}

impl SearchMethod for Genetic {
    fn ask(&mut self) -> Vec<SearchPoint> {
        if self.population.iter().all(|one| one.fitness.is_some()) {
            self.next_generation();
        }
        let is_asked = |one: &Individual| self.is_noisy || one.fitness.is_none();
        self.asked =
            (0..self.population.len()).filter(|&i| is_asked(&self.population[i])).collect();
        self.asked.iter().map(|&place| self.population[place].genome.clone()).collect()
    }

    fn tell(&mut self, judgements: &[PointFitness]) {
        judged(&mut self.population, &self.asked, judgements);
    }

    fn answer(&self) -> SearchPoint {
        self.population[best(&self.population)].genome.clone()
    }

    fn population(&self) -> Vec<SearchPoint> {
        genomes(&self.population)
    }
}

impl Genetic {
    /// The best of the last generation first.
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

    /// The place of the winner of a tournament; the population is sorted.
    fn parent(&mut self) -> usize {
        let all = self.population.len();
        let drawn = sample(&mut self.chance, all, self.settings.tournament.min(all));
        drawn.iter().min().unwrap_or(0)
    }
}
