//! Search methods, a file each.
//!
//! Methods have the ask-and-tell interface. To add one: a file here, a
//! variant of [`MethodSettings`].

mod adam;
pub mod cma_es;
pub mod crowding;
pub mod evolution_strategy;
pub mod genetic;
pub mod gradient;
pub mod spsa;

use rand::SeedableRng;
use serde::{Deserialize, Serialize};

use super::{Chance, Encoding, Mutation, SearchPoint, Space, Variation};

/// A running search.
pub trait SearchMethod: Send {
    /// The next points to judge, at least one.
    fn ask(&mut self) -> Vec<SearchPoint>;

    /// Receives the fitness of these points, in their order.
    fn tell(&mut self, judged: &[PointFitness]);

    /// The current answer of the search.
    fn answer(&self) -> SearchPoint;

    /// The living individuals, or the last sample of a distribution.
    fn population(&self) -> Vec<SearchPoint>;
}

/// Fitness of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointFitness {
    /// Larger is better.
    pub fitness: f64,
    /// Slope of the fitness in each gene, from a judge that computes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<SearchPoint>,
}

impl PointFitness {
    /// Fitness without a slope.
    pub fn of(fitness: f64) -> Self {
        Self { fitness, slope: None }
    }
}

/// Conditions of a search with any method.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub space: Space,
    /// Whether it begins at a random point, by the seed, and not at the start.
    pub anywhere: bool,
    /// Whether judgements of a point vary.
    pub is_noisy: bool,
    /// Judgements in all; schedules run over these.
    pub evaluations: u64,
    /// Seed of the search.
    pub seed: u64,
}

impl Conditions {
    /// Distance that noise may lead, in steps; by default 2 with noise.
    pub(crate) fn drift(&self, chosen: Option<f64>) -> f64 {
        chosen.unwrap_or(if self.is_noisy { 2.0 } else { 6.0 })
    }

    /// Starting point of methods with one, in steps from the start.
    pub(crate) fn beginning(&self) -> Vec<f64> {
        match self.anywhere {
            false => vec![0.0; self.space.dimensions()],
            true => {
                // A stream other than that of the method.
                let mut chance = Chance::seed_from_u64(self.seed);
                chance.set_stream(1);
                self.space.steps_to(&self.space.any(&mut chance))
            }
        }
    }
}

/// A method and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MethodSettings {
    /// The simple genetic algorithm of the document.
    Genetic(genetic::GeneticSettings),
    /// Multi-niche crowding.
    Crowding(crowding::CrowdingSettings),
    /// Simultaneous perturbation.
    Spsa(spsa::SpsaSettings),
    /// Natural gradients from a normal distribution of one width.
    EvolutionStrategy(evolution_strategy::EvolutionStrategySettings),
    /// A normal distribution that adapts its shape.
    CmaEs(cma_es::CmaEsSettings),
    /// Along the slope.
    Gradient(gradient::GradientSettings),
}

/// Invalid settings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A number that is too small or too large.
    #[error("`{name}` of {method} must be {expected}, not {found}")]
    Number { method: &'static str, name: &'static str, expected: &'static str, found: f64 },
}

impl MethodSettings {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Genetic(_) => "genetic",
            Self::Crowding(_) => "crowding",
            Self::Spsa(_) => "spsa",
            Self::EvolutionStrategy(_) => "evolution-strategy",
            Self::CmaEs(_) => "cma-es",
            Self::Gradient(_) => "gradient",
        }
    }

    /// Whether each round judges the whole population.
    pub fn judges_population(&self) -> bool {
        !matches!(self, Self::Crowding(_))
    }

    /// Whether the judge must compute slopes.
    pub fn wants_slopes(&self) -> bool {
        matches!(self, Self::Gradient(_))
    }

    /// Begins a search.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn begin(&self, conditions: &Conditions) -> Result<Box<dyn SearchMethod>, SettingsError> {
        let check = Check(self.name());
        Ok(match self {
            Self::Genetic(settings) => Box::new(settings.begin(conditions, check)?),
            Self::Crowding(settings) => Box::new(settings.begin(conditions, check)?),
            Self::Spsa(settings) => Box::new(settings.begin(conditions, check)?),
            Self::EvolutionStrategy(settings) => Box::new(settings.begin(conditions, check)?),
            Self::CmaEs(settings) => Box::new(settings.begin(conditions, check)?),
            Self::Gradient(settings) => Box::new(settings.begin(conditions, check)?),
        })
    }
}

/// Checks the settings of the method of this name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check(&'static str);

impl Check {
    fn number(
        self,
        name: &'static str,
        found: f64,
        is_right: bool,
        expected: &'static str,
    ) -> Result<(), SettingsError> {
        match is_right {
            true => Ok(()),
            false => Err(SettingsError::Number { method: self.0, name, expected, found }),
        }
    }

    fn above_zero(self, name: &'static str, found: f64) -> Result<(), SettingsError> {
        self.number(name, found, found > 0.0 && found.is_finite(), "a number above 0")
    }

    fn share(self, name: &'static str, found: f64) -> Result<(), SettingsError> {
        self.number(name, found, (0.0..=1.0).contains(&found), "0 to 1")
    }

    /// Checks a count of individuals; the upper bound saves memory.
    fn count(self, name: &'static str, found: usize, least: usize) -> Result<(), SettingsError> {
        let expected = match least {
            1 => "1 to 10,000",
            2 => "2 to 10,000",
            _ => "4 to 10,000",
        };
        self.number(name, found as f64, (least..=10_000).contains(&found), expected)
    }

    fn variation(self, variation: &Variation) -> Result<(), SettingsError> {
        self.share("crossover_rate", variation.crossover_rate)?;
        self.share("mutation_rate", variation.mutation_rate)?;
        if let Mutation::Normal(steps) = variation.mutation {
            self.above_zero("mutation", steps)?;
        }
        if let Encoding::Bits(bits) = variation.encoding {
            self.number("encoding", bits.into(), (1..=52).contains(&bits), "1 to 52 bits")?;
        }
        Ok(())
    }
}
