//! Multi-niche crowding: a population that keeps several niches.
//!
//! Each individual mates in turn, with the most similar one of a few; a child replaces the worst of
//! the individuals that are most similar to it, one from each of a few groups (Vemuri and Cedeño,
//! *Multi-niche crowding for multi-modal search*, 1999). So children compete within their niche,
//! and distant niches do not.

use rand::SeedableRng;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

use super::{Check, Conditions, PointFitness, SearchMethod, SettingsError};
use crate::individual::{Individual, best, first_population, genomes, judged};
use crate::numbers::PopulationSpace;
use crate::{Chance, SearchPoint, Variation};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdingSettings {
    /// Individuals.
    pub population: usize,
    /// Candidates for a mate.
    pub mates: usize,
    /// Groups; each offers one individual to replace.
    pub groups: usize,
    /// Individuals of a group.
    pub group: usize,
    /// Similarity of the replaced individual.
    pub likeness: Likeness,
    /// Whether a worse child replaces no individual, as in Jenes; as published, children always
    /// take their place.
    pub elitist: bool,
    /// Crossover and mutation.
    pub variation: Variation,
}

/// Individual to which replaced ones are similar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The child, as it was published.
    #[default]
    Offspring,
    /// The parent, as in the slides of *Phoenix*: a mistake of theirs, for a child that is unlike
    /// its parent then replaces one of another niche.
    Parent,
}

impl Default for CrowdingSettings {
    /// Sizes of *Phoenix* with the library Jenes 2.
    fn default() -> Self {
        Self {
            population: 20,
            mates: 5,
            groups: 5,
            group: 5,
            likeness: Likeness::Offspring,
            elitist: true,
            variation: Variation::default(),
        }
    }
}

impl CrowdingSettings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Crowding, SettingsError> {
        check.count("population", self.population, 2)?;
        check.count("mates", self.mates, 1)?;
        check.count("groups", self.groups, 1)?;
        check.count("group", self.group, 1)?;
        check.variation(&self.variation)?;
        let numbers = PopulationSpace::new(conditions, self.variation.clone());
        let mut chance = Chance::seed_from_u64(conditions.seed);
        let population = first_population(&numbers, self.population, &mut chance);
        let (settings, is_noisy) = (self.clone(), conditions.is_noisy);
        Ok(Crowding { settings, numbers, is_noisy, chance, population, turn: 0, born: Vec::new() })
    }
}

/// A running search.
pub struct Crowding {
    settings: CrowdingSettings,
    numbers: PopulationSpace,
    /// With noise the replaced individual is judged again, beside the child.
    is_noisy: bool,
    chance: Chance,
    population: Vec<Individual>,
    /// Index of the individual that mates next.
    turn: usize,
    /// Children being judged; empty while the first population is.
    born: Vec<Child>,
}

/// A child, and the index of the individual that it replaces.
struct Child {
    genome: SearchPoint,
    room: usize,
}

impl SearchMethod for Crowding {
    fn ask(&mut self) -> Vec<SearchPoint> {
        if self.population.iter().any(|one| one.fitness.is_none()) {
            return genomes(&self.population);
        }
        let mate = self.mate();
        let parents = [&self.population[self.turn].genome, &self.population[mate].genome];
        let children = self.numbers.children(parents, &mut self.chance);
        self.born = children.map(|genome| Child { room: self.room(&genome), genome }).into();
        let born = self.born.iter().map(|child| child.genome.clone());
        let before = self.born.iter().map(|child| self.population[child.room].genome.clone());
        match self.is_noisy {
            true => born.chain(before).collect(),
            false => born.collect(),
        }
    }

    fn tell(&mut self, judgements: &[PointFitness]) {
        if self.born.is_empty() {
            let all_places: Vec<usize> = (0..self.population.len()).collect();
            return judged(&mut self.population, &all_places, judgements);
        }
        let born = std::mem::take(&mut self.born);
        let (of_children, of_others) = judgements.split_at(born.len().min(judgements.len()));
        let rooms: Vec<usize> = born.iter().map(|child| child.room).collect();
        judged(&mut self.population, &rooms, of_others);
        for (Child { genome, room }, judgement) in born.into_iter().zip(of_children) {
            let child = Individual { genome, fitness: Some(judgement.fitness) };
            if !self.settings.elitist || child.worth() >= self.population[room].worth() {
                self.population[room] = child;
            }
        }
        self.turn = (self.turn + 1) % self.population.len();
    }

    fn answer(&self) -> SearchPoint {
        self.population[best(&self.population)].genome.clone()
    }

    fn population(&self) -> Vec<SearchPoint> {
        genomes(&self.population)
    }
}

impl Crowding {
    /// The most similar of a few others.
    fn mate(&mut self) -> usize {
        let drawn = self.drawn(self.settings.mates, Some(self.turn));
        let alike = self.most_like(&self.population[self.turn].genome, &drawn);
        alike.unwrap_or(self.turn)
    }

    /// Index of the individual that a child replaces: of those most similar to it, one from each
    /// group, the worst.
    fn room(&mut self, child: &SearchPoint) -> usize {
        let like = match self.settings.likeness {
            Likeness::Offspring => child.clone(),
            Likeness::Parent => self.population[self.turn].genome.clone(),
        };
        let mut room: Option<usize> = None;
        for _ in 0..self.settings.groups {
            let group = self.drawn(self.settings.group, None);
            let Some(one) = self.most_like(&like, &group) else { continue };
            let worth = |place: usize| self.population[place].worth();
            if room.is_none_or(|worst| worth(one) < worth(worst)) {
                room = Some(one);
            }
        }
        room.unwrap_or(self.turn)
    }

    /// Distinct random indices.
    fn drawn(&mut self, count: usize, without: Option<usize>) -> Vec<usize> {
        let all = self.population.len() - usize::from(without.is_some());
        let skip = |place: usize| place + usize::from(without.is_some_and(|one| place >= one));
        sample(&mut self.chance, all, count.min(all)).iter().map(skip).collect()
    }

    fn most_like(&self, genome: &SearchPoint, places: &[usize]) -> Option<usize> {
        let distance = |place: usize| self.numbers.distance(genome, &self.population[place].genome);
        places.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }
}
