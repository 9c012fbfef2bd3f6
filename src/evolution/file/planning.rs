//! From a file of searches to a plan of jobs.

use std::sync::Arc;

use crate::{
    Against, Conditions, Evolve, Fitness, Genome, GenomeDefinition, MarginGenome, TableGenome,
    Trial, WeightGenome,
};
use arena::contender::Evaluation;
use arena::{Limit, NetId};
use base::{Key, Observer};
use data::job::{PositionSource, Positions};
use data::{Filter, Weight};
use engine::{PieceTables, Technique};
use experiment::planning::FileContents;
use measure::Ablation;
use nnue::Net;
use plan::Plan;

use super::config::{
    AblationConfig, FitnessConfig, GenomeConfig, MarginsConfig, PositionsConfig, TablesConfig,
    WeightsConfig,
};
use super::{Config, EvolveError, NamedMethod, TrialConfig};

/// The jobs of a file of searches.
#[derive(Clone)]
pub struct SearchPlanning {
    pub plan: Plan,
    pub genome: Genome,
    /// Its definition in jobs.
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

/// Offset from the seed of a search to that of the openings of its trials, which all methods share.
const TRIAL_SEED: u64 = 20_140_601;

/// Seed of the openings of ablations.
const ABLATION_SEED: u64 = 1;

impl SearchPlanning {
    /// # Errors
    /// Unusable tables, positions or settings.
    pub fn of(
        config: &Config,
        contents: &mut FileContents,
        observer: &mut dyn Observer,
    ) -> Result<Self, EvolveError> {
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
            let fitness = config.fitness_of(method);
            let fitness = fitness_of(&mut planning.plan, fitness, contents, observer)?;
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
            // The starting point does not play itself.
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

/// The genome, and its definition in jobs.
fn genome(
    plan: &mut Plan,
    config: &GenomeConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    match config {
        GenomeConfig::Tables(config) => table_genome(plan, config),
        GenomeConfig::Margins(config) => margin_genome(plan, config),
        GenomeConfig::Weights(config) => weight_genome(plan, config),
    }
}

fn table_genome(
    plan: &mut Plan,
    config: &TablesConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let tables = tables("genome.tables", &config.tables)?;
    let genome = TableGenome::new(tables.clone(), &config.cells, config.range, config.step)?;
    let definition = GenomeDefinition::Tables {
        tables: supply(plan, Evaluation::Tables(tables)),
        cells: config.cells.clone(),
        range: config.range,
        step: config.step,
    };
    Ok((Genome::Tables(genome), definition))
}

fn margin_genome(
    plan: &mut Plan,
    config: &MarginsConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let evaluation = evaluation("genome.evaluation", &config.evaluation)?;
    let genome = MarginGenome::new(evaluation.clone(), &config.margins);
    let genome = genome.map_err(|error| EvolveError::Value {
        key: "genome.margins".to_owned(),
        reason: format!("= {:?}: {error}", config.margins),
    })?;
    let definition = GenomeDefinition::Margins {
        evaluation: supply(plan, evaluation),
        names: config.margins.clone(),
    };
    Ok((Genome::Margins(genome), definition))
}

fn weight_genome(
    plan: &mut Plan,
    config: &WeightsConfig,
) -> Result<(Genome, GenomeDefinition), EvolveError> {
    let refused = |reason: String| EvolveError::Value {
        key: "genome.net".to_owned(),
        reason: format!("= \"{}\": {reason}", config.net.display()),
    };
    let net = Arc::new(Net::load(&config.net).map_err(|error| refused(error.to_string()))?);
    let genome = WeightGenome::new(net.clone(), &config.summands, config.range.into(), config.step);
    let genome = genome.map_err(|error| refused(error.to_string()))?;
    let definition = GenomeDefinition::Weights {
        net: supply(plan, Evaluation::Net(net)),
        summands: config.summands.clone(),
        range: config.range,
        step: config.step,
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

fn fitness_of(
    plan: &mut Plan,
    config: &FitnessConfig,
    contents: &mut FileContents,
    observer: &mut dyn Observer,
) -> Result<Fitness, EvolveError> {
    Ok(match config {
        FitnessConfig::Games(terms) => Fitness::Games(terms.clone()),
        FitnessConfig::Positions(config) => {
            let positions = prepare(plan, config, contents, observer)?;
            Fitness::Positions { positions, scale: config.scale }
        }
    })
}

/// The job that prepares the positions.
fn prepare(
    plan: &mut Plan,
    config: &PositionsConfig,
    contents: &mut FileContents,
    observer: &mut dyn Observer,
) -> Result<Key, EvolveError> {
    let files = contents.of(&config.file, observer)?;
    plan.inputs.files.extend(files.iter().map(|(path, content)| (*content, path.clone())));
    let positions = Positions {
        sources: files
            .into_iter()
            .map(|(_, file)| (PositionSource::File(file), Weight::ONE))
            .collect(),
        validation: config.validation,
        filter: Filter::QUIET,
        positions: Some(config.positions),
        choices: false,
    };
    Ok(plan.add(positions, "positions of the objective")?)
}

/// A measurement for each part.
fn ablations(
    plan: &mut Plan,
    config: &AblationConfig,
) -> Result<Vec<(Technique, Key)>, EvolveError> {
    let net = match evaluation("ablation.evaluation", &config.evaluation)? {
        Evaluation::Pesto => NetId::Pesto,
        other => NetId::File(supply(plan, other)),
    };
    let like = Ablation {
        net,
        part: Technique::AlphaBeta,
        limit: Limit::Nodes(config.nodes),
        games: config.games.get(),
        seed: ABLATION_SEED,
        depth: config.depth,
    };
    Ok(like.add_each(&config.parts, plan)?)
}

/// Adds an evaluation to the inputs of the plan; its fingerprint.
fn supply(plan: &mut Plan, evaluation: Evaluation) -> String {
    let fingerprint = evaluation.fingerprint();
    plan.inputs.insert(fingerprint.clone(), Arc::new(evaluation));
    fingerprint
}

/// An evaluation by name. `material` has the piece values of PeSTO, a starting point of searches.
fn evaluation(key: &str, text: &str) -> Result<Evaluation, EvolveError> {
    let invalid = |reason: String| EvolveError::Value { key: key.to_owned(), reason };
    if text == "material" {
        return Ok(Evaluation::Tables(Arc::new(PieceTables::material())));
    }
    let named = Evaluation::named(text).map_err(|error| invalid(format!("= `{text}`: {error}")))?;
    named.ok_or_else(|| {
        invalid(format!(
            "= `{text}` is none of: pesto, material, bundled, a table file (FILE.csv), a net (FILE.oplus)"
        ))
    })
}

fn tables(key: &str, text: &str) -> Result<Arc<PieceTables>, EvolveError> {
    let invalid = |reason: String| EvolveError::Value { key: key.to_owned(), reason };
    match evaluation(key, text)? {
        Evaluation::Tables(tables) => Ok(tables),
        Evaluation::Pesto => Ok(PieceTables::pesto().clone()),
        Evaluation::Material => Ok(Arc::new(PieceTables::material())),
        Evaluation::Net(net) => crate::factorisation::tables_of(&net, None)
            .map(Arc::new)
            .map_err(|error| invalid(format!("= `{text}`: {error}"))),
    }
}
