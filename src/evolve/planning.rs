//! From the file to a plan of jobs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Key, content_of};
use data::{Filter, Weight};
use engine::PieceTables;
use evolution::{Conditions, Tables};
use plan::evolution::{Evolve, Fitness, Genome, Trial};
use plan::{Job, Plan, Positions, Source};

use super::config::{FitnessConfig, PositionsConfig};
use super::{Config, EvolveError, NamedMethod, TrialConfig};

/// Jobs, and which is which.
#[derive(Clone, Debug)]
pub struct Planning {
    /// All jobs.
    pub plan: Plan,
    /// The tables that searches begin with, by their fingerprint.
    start: String,
    /// The searches by method and seed, in the order of the file.
    pub searches: Vec<Vec<PlannedSearch>>,
}

/// A search and the matches of its answers.
#[derive(Clone, Debug)]
pub struct PlannedSearch {
    /// Its seed.
    pub seed: u64,
    /// The search.
    pub key: Key,
    /// For each trial of the file the answers that play and their matches.
    pub trials: Vec<Vec<(usize, Key)>>,
}

/// Seed of the openings of all trials: the same games for everybody.
const TRIAL_SEED: u64 = 20_140_601;

impl Planning {
    /// Of a file.
    ///
    /// # Errors
    /// Tables, positions or settings that are of no use.
    pub fn of(config: &Config) -> Result<Self, EvolveError> {
        let mut plan = Plan::default();
        let start = supply(&mut plan, "genome.tables", &config.genome.tables)?;
        let genome = genome(&plan, &start, config)?;
        let against = config.trials.iter().map(|trial| match trial.against.as_str() {
            "start" => Ok(start.clone()),
            text => supply(&mut plan, "trial.against", text),
        });
        let against = against.collect::<Result<Vec<_>, _>>()?;
        let mut planning = Self { plan, start: start.clone(), searches: Vec::new() };
        for method in &config.methods {
            let conditions = Conditions {
                space: genome.space().clone(),
                is_noisy: true,
                evaluations: config.budget_of(method).amount(),
                seed: 1,
            };
            method.settings.begin(&conditions).map_err(|source| EvolveError::Method {
                name: method.label().to_owned(),
                source,
            })?;
            let fitness = fitness(&mut planning.plan, config.fitness_of(method))?;
            let mut searches = Vec::new();
            for &seed in &config.seeds {
                searches.push(planning.search(config, method, &fitness, &start, &against, seed)?);
            }
            planning.searches.push(searches);
        }
        Ok(planning)
    }

    /// What is searched.
    ///
    /// # Errors
    /// Genes that make no sense.
    pub fn genome(&self, config: &Config) -> Result<Tables, EvolveError> {
        genome(&self.plan, &self.start, config)
    }

    fn search(
        &mut self,
        config: &Config,
        method: &NamedMethod,
        fitness: &Fitness,
        start: &str,
        against: &[String],
        seed: u64,
    ) -> Result<PlannedSearch, EvolveError> {
        let genome = Genome {
            tables: start.to_owned(),
            cells: config.genome.cells,
            range: config.genome.range,
            step: config.genome.step,
        };
        let evolve = Evolve {
            genome,
            method: method.settings.clone(),
            fitness: fitness.clone(),
            budget: config.budget_of(method).amount(),
            kept_at: config.kept_at.clone(),
            seed,
        };
        let label = method.label();
        let title = format!("{label}, seed {seed}");
        let slug = format!("{}-s{seed}", label.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        let key = self.plan.add_with_folder(Job::Evolve(evolve), title.clone(), &slug)?;
        let mut trials = Vec::new();
        for (trial, against) in config.trials.iter().zip(against) {
            let last = config.kept_at.len();
            let answers = if trial.curve { 0..=last } else { last..=last };
            let mut matches = Vec::new();
            for answer in answers {
                let job = job_of(trial, key, answer, against);
                let title = format!("{title}, answer {answer} against {}", trial.against);
                matches.push((answer, self.plan.add(Job::Trial(job), title)?));
            }
            trials.push(matches);
        }
        Ok(PlannedSearch { seed, key, trials })
    }
}

fn genome(plan: &Plan, start: &str, config: &Config) -> Result<Tables, EvolveError> {
    let tables = plan.supplies.tables.get(start).cloned();
    let tables = tables.unwrap_or_else(|| PieceTables::pesto().clone());
    let told = &config.genome;
    Ok(Tables::new(tables, told.cells, told.range, told.step)?)
}

fn job_of(trial: &TrialConfig, search: Key, answer: usize, against: &str) -> Trial {
    Trial {
        search,
        answer,
        against: against.to_owned(),
        nodes: trial.nodes,
        games: trial.games,
        colours: trial.colours,
        seed: TRIAL_SEED,
    }
}

fn fitness(plan: &mut Plan, told: &FitnessConfig) -> Result<Fitness, EvolveError> {
    Ok(match told {
        FitnessConfig::Games(terms) => Fitness::Games(terms.clone()),
        FitnessConfig::Positions(told) => {
            Fitness::Positions { positions: prepare(plan, told)?, scale: told.scale }
        }
    })
}

/// The job that prepares the positions.
fn prepare(plan: &mut Plan, told: &PositionsConfig) -> Result<Key, EvolveError> {
    let failed = |source| EvolveError::Io { path: told.file.clone(), source };
    let content = content_of(&told.file, &mut |_| {}).map_err(failed)?;
    plan.supplies.files.insert(content, told.file.clone());
    // Quiet ones, as for training; it asks no net.
    let nobody = |_| Err(EvolveError::Value { key: "filter".to_owned(), reason: String::new() });
    let filter = Filter::default().with_net(nobody)?;
    let positions = Positions {
        sources: vec![(Source::File(content), Weight::ONE)],
        validation: told.validation,
        filter,
        positions: Some(told.positions),
        choices: false,
    };
    Ok(plan.add(Job::Positions(positions), "positions to judge by")?)
}

/// Tables by what people call them; their fingerprint.
fn supply(plan: &mut Plan, key: &str, text: &str) -> Result<String, EvolveError> {
    let told = |reason: String| EvolveError::Value { key: key.to_owned(), reason };
    let path = PathBuf::from(text);
    let tables = match path.extension().and_then(|ending| ending.to_str()) {
        _ if text == "pesto" => PieceTables::pesto().clone(),
        _ if text == "material" => Arc::new(PieceTables::material()),
        Some("csv") => {
            Arc::new(PieceTables::load(&path).map_err(|error| told(format!("= {text}: {error}")))?)
        }
        Some("oplus") => Arc::new(of_net(&path).map_err(|error| told(format!("= {text}: {error}")))?),
        _ => {
            return Err(told(format!(
                "= `{text}` is none of: pesto, material, a sheet (FILE.csv), a net (FILE.oplus)"
            )));
        }
    };
    let fingerprint = tables.fingerprint();
    plan.supplies.tables.insert(fingerprint.clone(), tables);
    Ok(fingerprint)
}

fn of_net(path: &Path) -> Result<PieceTables, String> {
    let net = nnue::Net::load(path).map_err(|error| error.to_string())?;
    linear::tables_of(&net, None).map_err(|error| error.to_string())
}
