//! The job that searches numbers: the definition of a search and its run.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{
    CellSelection, Colours, Conditions, EvolutionError, GameJudge, GameTerms, Genome, Judge,
    MarginGenome, MethodSettings, NumberSearch, Opponents, PositionJudge, RoundSummary,
    SearchAnswer, SearchRun, TableGenome, WeightGenome,
};
use arena::ByColour;
use arena::contender::Evaluation;
use base::Key;
use data::job::dataset;
use engine::bench::SIGNATURE;
use plan::{Context, JobError, Work};

/// Rounds that the output keeps.
const ROUNDS_KEPT: usize = 400;

/// Searches numbers by a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evolve {
    pub genome: GenomeDefinition,
    /// Whether the start is random, by the seed.
    pub anywhere: bool,
    pub method: MethodSettings,
    /// The fitness function.
    pub fitness: Fitness,
    /// Games, or evaluations of all positions, in total.
    pub budget: u64,
    /// Shares of the budget after which the answer is kept.
    pub kept_at: Vec<f64>,
    pub seed: u64,
}

/// The numbers that are searched; evaluations by fingerprint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GenomeDefinition {
    /// Cells of piece-square tables.
    Tables {
        /// The starting tables.
        tables: String,
        cells: CellSelection,
        /// Largest distance from the value of the piece, in centipawns.
        range: i32,
        /// Size of a small change, in centipawns.
        step: f64,
    },
    /// Margins of the search.
    Margins {
        /// The evaluation that it plays with.
        evaluation: String,
        /// Names of margins; all by default.
        names: Vec<String>,
    },
    /// Weights of a linear net.
    Weights {
        net: String,
        /// Summands of the feature set; all by default.
        summands: Vec<String>,
        /// Largest distance from the weight, in centipawns.
        range: i32,
        /// Size of a small change, in centipawns.
        step: f64,
    },
}

/// The fitness function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitness {
    Games(GameTerms),
    /// The expected score in positions whose results are known.
    Positions {
        /// The job that prepares them; its validation positions are held out.
        positions: Key,
        /// Centipawns at which the expected score is e : 1.
        scale: f64,
    },
}

/// Output of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evolved {
    /// Some of the rounds, evenly spaced, the last one included.
    pub rounds: Vec<RoundSummary>,
    pub round_count: u64,
    /// The answers that were kept, the start first.
    pub answers: Vec<SearchAnswer>,
    /// Games of the judged points, by colour.
    pub colours: Colours,
    /// Mean squared errors of the answers, where positions are the fitness.
    #[serde(default)]
    pub errors: Vec<Errors>,
    /// Wall-clock time of the last run.
    pub seconds: f64,
}

/// Mean squared errors of an answer's expected scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// On the positions of the fitness function.
    pub judged_by: f64,
    /// On held-out positions, if there are any.
    pub held_out: Option<f64>,
}

impl Work for Evolve {
    const KIND: &'static str = "evolve";
    const STAGE: &'static str = "searches";
    const VERSION: u32 = 1;
    type Output = Evolved;

    fn signature(&self) -> Option<u64> {
        Some(SIGNATURE)
    }

    fn needs(&self) -> Vec<Key> {
        match self.fitness {
            Fitness::Games(_) => Vec::new(),
            Fitness::Positions { positions, .. } => vec![positions],
        }
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Evolved, JobError> {
        let started = Instant::now();
        let genome = self.genome.load(context)?;
        let (run, errors) = match &self.fitness {
            Fitness::Games(terms) => (self.by_games(&genome, terms, context)?, Vec::new()),
            Fitness::Positions { positions, scale } => {
                self.by_positions(&genome, (*positions, *scale), context)?
            }
        };
        let SearchRun { rounds, answers, colours } = run;
        let round_count = rounds.len() as u64;
        let rounds = thinned(rounds);
        let seconds = started.elapsed().as_secs_f64();
        Ok(Evolved { rounds, round_count, answers, colours, errors, seconds })
    }
}

impl Evolve {
    fn by_games(
        &self,
        genome: &Genome,
        terms: &GameTerms,
        context: &mut Context<'_>,
    ) -> Result<SearchRun, JobError> {
        let (folder, cores) = (Some(context.folder()), base::cores());
        let mut judge = GameJudge::new(genome, terms.clone(), self.seed, cores, folder);
        self.search(genome, &mut judge, context)
    }

    fn by_positions(
        &self,
        genome: &Genome,
        (positions, scale): (Key, f64),
        context: &mut Context<'_>,
    ) -> Result<(SearchRun, Vec<Errors>), JobError> {
        let Genome::Tables(tables) = genome else {
            let why = "an objective on positions applies to cells of tables only";
            return Err(JobError::message(why));
        };
        let dataset = dataset(context, positions)?;
        let mut judge = PositionJudge::of_samples(tables, scale, &dataset.train);
        let held_out = PositionJudge::of_samples(tables, scale, &dataset.validation);
        if judge.is_empty() {
            let why = "no position of the objective has the result of its game";
            return Err(JobError::message(why));
        }
        let run = self.search(genome, &mut judge, context)?;
        let errors = run.answers.iter().map(|SearchAnswer { point, .. }| Errors {
            judged_by: judge.loss(point),
            held_out: (!held_out.is_empty()).then(|| held_out.loss(point)),
        });
        let errors = errors.collect();
        Ok((run, errors))
    }

    fn search(
        &self,
        genome: &Genome,
        judge: &mut dyn Judge,
        context: &mut Context<'_>,
    ) -> Result<SearchRun, JobError> {
        let is_noisy = matches!(self.fitness, Fitness::Games(_));
        let unit = if is_noisy { "games" } else { "evaluations" };
        let search = NumberSearch {
            method: &self.method,
            conditions: Conditions {
                space: genome.space().clone(),
                anywhere: self.anywhere,
                is_noisy,
                evaluations: self.evaluations(),
                seed: self.seed,
            },
            budget: self.budget,
            kept_at: &self.kept_at,
            folder: &context.folder(),
        };
        context.observer.begin(context.title(), search.budget, unit);
        let run = search.run(judge, context.observer, context.stop);
        context.observer.end("");
        run?.ok_or(JobError::Stopped)
    }

    /// Points that the budget allows. A game of two points of the population counts for both.
    fn evaluations(&self) -> u64 {
        let Fitness::Games(terms) = &self.fitness else { return self.budget };
        let for_both = terms.opponents == Opponents::Population
            && terms.colours == ByColour::Both
            && self.method.judges_population();
        let counted = if for_both { 2 } else { 1 };
        counted * self.budget / u64::from(terms.games.max(1))
    }
}

impl GenomeDefinition {
    /// # Errors
    /// Evaluations that the plan lacks, or that have no such numbers.
    pub(crate) fn load(&self, context: &Context<'_>) -> Result<Genome, JobError> {
        let genome = match self {
            Self::Tables { tables, cells, range, step } => {
                let Evaluation::Tables(tables) = evaluation(context, tables)? else {
                    return Err(JobError::message(format!("{tables} is not a table")));
                };
                TableGenome::new(tables, cells, *range, *step)
                    .map(Genome::Tables)
                    .map_err(EvolutionError::from)
            }
            Self::Margins { evaluation: id, names } => {
                let evaluation = evaluation(context, id)?;
                MarginGenome::new(evaluation, names)
                    .map(Genome::Margins)
                    .map_err(EvolutionError::from)
            }
            Self::Weights { net, summands, range, step } => {
                let Evaluation::Net(net) = evaluation(context, net)? else {
                    return Err(JobError::message(format!("{net} is not a net")));
                };
                WeightGenome::new(net, summands, (*range).into(), *step)
                    .map(Genome::Weights)
                    .map_err(EvolutionError::from)
            }
        };
        Ok(genome?)
    }
}

/// An evaluation by its fingerprint.
pub(crate) fn evaluation(context: &Context<'_>, id: &str) -> Result<Evaluation, JobError> {
    let known = context.plan().inputs.get::<Evaluation>(id);
    let known = known.map(|known| Evaluation::clone(&known));
    known.ok_or_else(|| JobError::message(format!("unknown evaluation {id}")))
}

/// At most [`ROUNDS_KEPT`] rounds, evenly spaced, the last one included.
fn thinned(rounds: Vec<RoundSummary>) -> Vec<RoundSummary> {
    let apart = rounds.len().div_ceil(ROUNDS_KEPT).max(1);
    let mut kept: Vec<_> = rounds.into_iter().rev().step_by(apart).collect();
    kept.reverse();
    kept
}
