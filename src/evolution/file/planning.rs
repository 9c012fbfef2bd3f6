//! From the file to a plan of jobs.

use std::sync::Arc;

use crate::{
    Against, Conditions, Evolve, Fitness, Genome, GenomeDefinition, MarginGenome, TableGenome,
    Trial, WeightGenome,
};
use arena::contender::Evaluation;
use arena::{Limit, NetId};
use base::{Key, content_of};
use data::job::{Positions, Source};
use data::{Filter, Weight};
use engine::{PieceTables, Technique};
use measure::Ablation;
use nnue::Net;
use plan::Plan;

use super::config::{
    AblationConfig, FitnessConfig, GenomeConfig, MarginsConfig, PositionsConfig, TablesConfig,
    WeightsConfig,
};
use super::{Config, EvolveError, NamedMethod, TrialConfig};

/// Jobs, and which is which.
#[derive(Clone)]
pub struct Planning {
    pub plan: Plan,
    pub genome: Genome,
    /// The same as jobs have it.
    definition: GenomeDefinition,
    /// The searches by method and seed, in the order of the file.
    pub searches: Vec<Vec<PlannedSearch>>,
    /// For each ablation of the file its parts and their measurements.
    pub ablations: Vec<Vec<(Technique, Key)>>,
}

/// A search and the matches of its answers.
#[derive(Clone, Debug)]
pub struct PlannedSearch {
    pub seed: u64,
    pub key: Key,
    /// For each trial of the file the answers that play and their matches.
    pub trials: Vec<Vec<(usize, Key)>>,
}

/// What is added to the seed of a search for that of its trials' openings: all methods are tried
/// with the same.
const TRIAL_SEED: u64 = 20_140_601;

/// Seed of the openings of ablations.
const ABLATION_SEED: u64 = 1;

impl Planning {
    /// Of a file.
    ///
    /// # Errors
    /// Tables, positions or settings that are of no use.
    pub fn of(config: &Config) -> Result<Self, EvolveError> {
        let mut plan = Plan::default();
        let (genome, definition) = genome(&mut plan, &config.genome)?;
        let against = config.trials.iter().map(|trial| match trial.against.as_str() {
            "start" => Ok::<_, EvolveError>(Against::Start),
            text => {
                let evaluation = evaluation("trial.against", text)?;
                Ok(Against::Evaluation(supply(&mut plan, evaluation)))
            }
        });
        let against = against.collect::<Result<Vec<_>, _>>()?;
        let mut planning =
            Self { plan, genome, definition, searches: Vec::new(), ablations: Vec::new() };
        for method in &config.methods {
            let conditions = Conditions {
                space: planning.genome.space().clone(),
                anywhere: config.genome.is_random(),
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
                searches.push(planning.search(config, method, &fitness, &against, seed)?);
            }
            planning.searches.push(searches);
        }
        for ablation in &config.ablations {
            let parts = ablations(&mut planning.plan, ablation)?;
            planning.ablations.push(parts);
        }
        Ok(planning)
    }

    fn search(
        &mut self,
        config: &Config,
        method: &NamedMethod,
        fitness: &Fitness,
        against: &[Against],
        seed: u64,
    ) -> Result<PlannedSearch, EvolveError> {
        let evolve = Evolve {
            genome: self.definition.clone(),
            anywhere: config.genome.is_random(),
            method: method.settings.clone(),
            fitness: fitness.clone(),
            budget: config.budget_of(method).amount(),
            kept_at: config.kept_at.clone(),
            seed,
        };
        let label = method.label();
        let title = format!("{label}, seed {seed}");
        let slug = format!("{}-s{seed}", method.settings.name());
        let key = self.plan.add_with_folder(evolve, title.clone(), &slug)?;
        let mut trials = Vec::new();
        for (trial, against) in config.trials.iter().zip(against) {
            let last = config.kept_at.len();
            // What a search begins with and what it is tried against may be the same.
            let first = usize::from(*against == Against::Start);
            let answers = if trial.curve { first..=last } else { last..=last };
            let mut matches = Vec::new();
            for answer in answers {
                let job = job_of(trial, key, answer, against, seed);
                let title = format!("{title}, answer {answer} against {}", trial.against);
                matches.push((answer, self.plan.add(job, title)?));
            }
            trials.push(matches);
        }
        Ok(PlannedSearch { seed, key, trials })
    }
}

/// What is searched, and how a job says it.
fn genome(plan: &mut Plan, told: &GenomeConfig) -> Result<(Genome, GenomeDefinition), EvolveError> {
    match told {
        GenomeConfig::Tables(told) => table_genome(plan, told),
        GenomeConfig::Margins(told) => margin_genome(plan, told),
        GenomeConfig::Weights(told) => weight_genome(plan, told),
    }
}

fn table_genome(
    plan: &mut Plan,
    told: &TablesConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let tables = tables("genome.tables", &told.tables)?;
    let genome = TableGenome::new(tables.clone(), &told.cells, told.range, told.step)?;
    let definition = GenomeDefinition::Tables {
        tables: supply(plan, Evaluation::Tables(tables)),
        cells: told.cells.clone(),
        range: told.range,
        step: told.step,
    };
    Ok((Genome::Tables(genome), definition))
}

fn margin_genome(
    plan: &mut Plan,
    told: &MarginsConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let evaluation = evaluation("genome.evaluation", &told.evaluation)?;
    let genome = MarginGenome::new(evaluation.clone(), &told.margins);
    let genome = genome.map_err(|error| EvolveError::Value {
        key: "genome.margins".to_owned(),
        reason: format!("= {:?}: {error}", told.margins),
    })?;
    let definition = GenomeDefinition::Margins {
        evaluation: supply(plan, evaluation),
        names: told.margins.clone(),
    };
    Ok((Genome::Margins(genome), definition))
}

fn weight_genome(
    plan: &mut Plan,
    told: &WeightsConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let refused = |reason: String| EvolveError::Value {
        key: "genome.net".to_owned(),
        reason: format!("= \"{}\": {reason}", told.net.display()),
    };
    let net = Arc::new(Net::load(&told.net).map_err(|error| refused(error.to_string()))?);
    let genome = WeightGenome::new(net.clone(), &told.summands, told.range.into(), told.step);
    let genome = genome.map_err(|error| refused(error.to_string()))?;
    let definition = GenomeDefinition::Weights {
        net: supply(plan, Evaluation::Net(net)),
        summands: told.summands.clone(),
        range: told.range,
        step: told.step,
    };
    Ok((Genome::Weights(genome), definition))
}

fn job_of(trial: &TrialConfig, search: Key, answer: usize, against: &Against, seed: u64) -> Trial {
    Trial {
        search,
        answer,
        against: against.clone(),
        nodes: trial.nodes,
        games: trial.games,
        colours: trial.colours,
        seed: TRIAL_SEED.wrapping_add(seed),
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
    plan.inputs.files.insert(content, told.file.clone());
    let positions = Positions {
        sources: vec![(Source::File(content), Weight::ONE)],
        validation: told.validation,
        filter: Filter::QUIET,
        positions: Some(told.positions),
        choices: false,
    };
    Ok(plan.add(positions, "positions to judge by")?)
}

/// A measurement for each part.
fn ablations(plan: &mut Plan, told: &AblationConfig) -> Result<Vec<(Technique, Key)>, EvolveError> {
    let net = match evaluation("ablation.evaluation", &told.evaluation)? {
        Evaluation::Pesto => NetId::Pesto,
        other => NetId::File(supply(plan, other)),
    };
    let like = Ablation {
        net,
        part: Technique::AlphaBeta,
        limit: Limit::Nodes(told.nodes),
        games: told.games.get(),
        seed: ABLATION_SEED,
        depth: told.depth,
    };
    Ok(like.add_each(&told.parts, plan)?)
}

/// Keeps an evaluation for the jobs; its fingerprint.
fn supply(plan: &mut Plan, evaluation: Evaluation) -> String {
    let fingerprint = evaluation.fingerprint();
    plan.inputs.insert(fingerprint.clone(), Arc::new(evaluation));
    fingerprint
}

/// What judges positions, by what people call it. `material` is PeSTO's without the squares, which
/// searches begin with.
fn evaluation(key: &str, text: &str) -> Result<Evaluation, EvolveError> {
    let told = |reason: String| EvolveError::Value { key: key.to_owned(), reason };
    if text == "material" {
        return Ok(Evaluation::Tables(Arc::new(PieceTables::material())));
    }
    let named = Evaluation::named(text).map_err(|error| told(format!("= `{text}`: {error}")))?;
    named.ok_or_else(|| {
        told(format!(
            "= `{text}` is none of: pesto, material, bundled, a sheet (FILE.csv), a net (FILE.oplus)"
        ))
    })
}

fn tables(key: &str, text: &str) -> Result<Arc<PieceTables>, EvolveError> {
    let told = |reason: String| EvolveError::Value { key: key.to_owned(), reason };
    match evaluation(key, text)? {
        Evaluation::Tables(tables) => Ok(tables),
        Evaluation::Pesto => Ok(PieceTables::pesto().clone()),
        Evaluation::Material => Ok(Arc::new(PieceTables::material())),
        Evaluation::Net(net) => linear::tables_of(&net, None)
            .map(Arc::new)
            .map_err(|error| told(format!("= `{text}`: {error}"))),
    }
}
