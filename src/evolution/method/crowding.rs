//! Multi-niche crowding: a population that keeps several good ways apart.
//!
//! Everybody mates in turn, with whoever of a few is most like it; a child takes the place of the
//! worst of those that are most like it, one from each of a few groups (Vemuri and Cedeño,
//! *Multi-niche crowding for multi-modal search*, 1999). So children compete with their like, and
//! distant niches do not.

use rand::SeedableRng;
use rand::seq::index::sample;
use serde::{Deserialize, Serialize};

use super::genetic::first_population;
use super::{Check, Conditions, Judgement, Method, SettingsError};
use crate::individual::{Individual, best, judged, points};
use crate::{Chance, Point, Space, Variation};

/// What can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Individuals.
    pub population: usize,
    /// A mate is looked for among so many.
    pub mates: usize,
    /// Groups of which each offers one to be replaced.
    pub groups: usize,
    /// Individuals of a group.
    pub group: usize,
    /// Whom those to be replaced have to be like.
    pub likeness: Likeness,
    /// Whether nobody makes room for a child that is worse.
    pub elitist: bool,
    /// Whether it begins around the start, and not anywhere.
    pub from_start: bool,
    /// What children have of their parents.
    pub variation: Variation,
}

/// Whom those to be replaced have to be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The child, as it was published.
    #[default]
    Offspring,
    /// The parent, as the slides of *Phoenix* have it: a mistake of theirs, for a child that is
    /// unlike its parent then ousts somebody of another niche.
    Parent,
}

impl Default for Settings {
    /// Sizes as *Phoenix* had them of the library Jenes 2.
    fn default() -> Self {
        Self {
            population: 20,
            mates: 5,
            groups: 5,
            group: 5,
            likeness: Likeness::Offspring,
            elitist: true,
            from_start: false,
            variation: Variation::default(),
        }
    }
}

impl Settings {
    pub(super) fn begin(
        &self,
        conditions: &Conditions,
        check: Check,
    ) -> Result<Crowding, SettingsError> {
        check.at_least("population", self.population, 2)?;
        check.at_least("mates", self.mates, 1)?;
        check.at_least("groups", self.groups, 1)?;
        check.at_least("group", self.group, 1)?;
        check.share("crossover_rate", self.variation.crossover_rate)?;
        check.share("mutation_rate", self.variation.mutation_rate)?;
        let mut chance = Chance::seed_from_u64(conditions.seed);
        let space = conditions.space.clone();
        let population = first_population(self.population, self.from_start, &space, &mut chance);
        let settings = self.clone();
        Ok(Crowding { settings, space, chance, population, turn: 0, children: Vec::new() })
    }
}

/// The search under way.
pub(super) struct Crowding {
    settings: Settings,
    space: Space,
    chance: Chance,
    population: Vec<Individual>,
    /// Whose turn it is to mate.
    turn: usize,
    /// Being judged; none while the first population is.
    children: Vec<Point>,
}

impl Method for Crowding {
    fn ask(&mut self) -> Vec<Point> {
        if self.population.iter().any(|one| one.fitness.is_none()) {
            return points(&self.population);
        }
        let mate = self.mate();
        let parents = [&self.population[self.turn].point, &self.population[mate].point];
        let children = self.settings.variation.children(parents, &self.space, &mut self.chance);
        self.children = children.to_vec();
        self.children.clone()
    }

    fn tell(&mut self, told: &[Judgement]) {
        if self.children.is_empty() {
            let everybody: Vec<usize> = (0..self.population.len()).collect();
            return judged(&mut self.population, &everybody, told);
        }
        for (child, judgement) in std::mem::take(&mut self.children).into_iter().zip(told) {
            self.settle(Individual { point: child, fitness: Some(judgement.fitness) });
        }
        self.turn = (self.turn + 1) % self.population.len();
    }

    fn answer(&self) -> Point {
        self.population[best(&self.population)].point.clone()
    }

    fn population(&self) -> Vec<Point> {
        points(&self.population)
    }
}

impl Crowding {
    /// Of a few others, the one that is most like whoever's turn it is.
    fn mate(&mut self) -> usize {
        let drawn = self.drawn(self.settings.mates, Some(self.turn));
        let alike = self.most_like(&self.population[self.turn].point, &drawn);
        alike.unwrap_or(self.turn)
    }

    /// A child takes somebody's place.
    fn settle(&mut self, child: Individual) {
        let like = match self.settings.likeness {
            Likeness::Offspring => child.point.clone(),
            Likeness::Parent => self.population[self.turn].point.clone(),
        };
        let mut offered: Option<usize> = None;
        for _ in 0..self.settings.groups {
            let group = self.drawn(self.settings.group, None);
            let Some(one) = self.most_like(&like, &group) else { continue };
            let worth = |place: usize| self.population[place].worth();
            if offered.is_none_or(|worst| worth(one) < worth(worst)) {
                offered = Some(one);
            }
        }
        if let Some(place) = offered
            && (!self.settings.elitist || child.worth() >= self.population[place].worth())
        {
            self.population[place] = child;
        }
    }

    /// Some places, none twice.
    fn drawn(&mut self, count: usize, without: Option<usize>) -> Vec<usize> {
        let all = self.population.len() - usize::from(without.is_some());
        let skip = |place: usize| place + usize::from(without.is_some_and(|one| place >= one));
        sample(&mut self.chance, all, count.min(all)).iter().map(skip).collect()
    }

    fn most_like(&self, point: &Point, places: &[usize]) -> Option<usize> {
        let distance = |place: usize| self.space.distance(point, &self.population[place].point);
        places.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }
}
