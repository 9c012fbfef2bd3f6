//! Searching numbers.

use std::time::Instant;

use super::Worker;
use crate::evolution::{Errors, Evolve, Evolved, Fitness, Genome as Definition};
use crate::{PlanError, Planned};
use ::evolution::{
    Answer, Conditions, Course, CourseRound, EvolutionError, Games, Genome, Judge, MarginGenome,
    Opponents, Positions, Search, Standing, Tables, Terms, WeightGenome,
};
use arena::ByColour;
use arena::contender::Evaluation;
use base::Key;
use base::format::fixed;
use measure::Watch;

/// Rounds that are written down of a search.
const ROUNDS_KEPT: usize = 400;

impl Worker<'_> {
    /// Searches, from where it was stopped.
    pub(super) fn evolve(
        &mut self,
        planned: &Planned,
        evolve: &Evolve,
        watch: &mut Watch<'_>,
    ) -> Result<Evolved, PlanError> {
        let started = Instant::now();
        let genome = self.genome(&evolve.genome)?;
        let (course, errors) = match &evolve.fitness {
            Fitness::Games(terms) => {
                (self.by_games(planned, evolve, &genome, terms, watch)?, Vec::new())
            }
            Fitness::Positions { positions, scale } => {
                self.by_positions(planned, evolve, &genome, (*positions, *scale), watch)?
            }
        };
        let Course { rounds, answers, colours } = course;
        let round_count = rounds.len() as u64;
        let rounds = thinned(rounds);
        let seconds = started.elapsed().as_secs_f64();
        Ok(Evolved { rounds, round_count, answers, colours, errors, seconds })
    }

    fn by_games(
        &self,
        planned: &Planned,
        evolve: &Evolve,
        genome: &Genome,
        terms: &Terms,
        watch: &mut Watch<'_>,
    ) -> Result<Course, PlanError> {
        let folder = Some(self.place.folder.join(&planned.folder));
        let cores = base::cores();
        let mut judge = Games::new(genome, terms.clone(), evolve.seed, cores, folder);
        self.search(planned, evolve, genome, &mut judge, watch)
    }

    fn by_positions(
        &mut self,
        planned: &Planned,
        evolve: &Evolve,
        genome: &Genome,
        (positions, scale): (Key, f64),
        watch: &mut Watch<'_>,
    ) -> Result<(Course, Vec<Errors>), PlanError> {
        let Genome::Tables(tables) = genome else {
            let why = "positions can judge cells of tables alone";
            return Err(PlanError::Missing(why.to_owned()));
        };
        let dataset = self.load(positions, watch)?;
        let mut judge = Positions::of_samples(tables, scale, &dataset.train);
        let held_out = Positions::of_samples(tables, scale, &dataset.validation);
        if judge.is_empty() {
            let why = "no position to judge by has the result of its game";
            return Err(PlanError::Missing(why.to_owned()));
        }
        let course = self.search(planned, evolve, genome, &mut judge, watch)?;
        let errors = course.answers.iter().map(|Answer { point, .. }| Errors {
            judged_by: judge.loss(point),
            held_out: (!held_out.is_empty()).then(|| held_out.loss(point)),
        });
        let errors = errors.collect();
        Ok((course, errors))
    }

    fn search(
        &self,
        planned: &Planned,
        evolve: &Evolve,
        genome: &Genome,
        judge: &mut dyn Judge,
        watch: &mut Watch<'_>,
    ) -> Result<Course, PlanError> {
        let is_noisy = matches!(evolve.fitness, Fitness::Games(_));
        let unit = if is_noisy { "games" } else { "evaluations" };
        let search = Search {
            method: &evolve.method,
            conditions: Conditions {
                space: genome.space().clone(),
                anywhere: evolve.anywhere,
                is_noisy,
                evaluations: evaluations(evolve),
                seed: evolve.seed,
            },
            budget: evolve.budget,
            kept_at: &evolve.kept_at,
            folder: &self.place.folder.join(&planned.folder),
        };
        watch.observer.begin(&planned.title, search.budget, unit);
        let observer = &mut watch.observer;
        let mut told = |standing: &Standing<'_>| {
            let round = standing.round;
            let [best, mean, diversity] =
                [round.best, round.mean, round.diversity].map(|figure| fixed(figure, 3));
            let note = format!("best {best}, mean {mean}, diversity {diversity}");
            observer.advance(round.spent.min(search.budget), &note);
        };
        let course = search.run(judge, &mut told, watch.stop);
        watch.observer.end("");
        course.map_err(PlanError::from)?.ok_or(PlanError::Stopped)
    }

    pub(super) fn genome(&self, definition: &Definition) -> Result<Genome, PlanError> {
        let genome = match definition {
            Definition::Tables { tables, cells, range, step } => {
                let Evaluation::Tables(tables) = self.judge_of(tables)? else {
                    return Err(PlanError::Missing(format!("{tables} is no tables")));
                };
                Tables::new(tables, cells, *range, *step)
                    .map(Genome::Tables)
                    .map_err(EvolutionError::from)
            }
            Definition::Margins { evaluation, names } => {
                let evaluation = self.judge_of(evaluation)?;
                MarginGenome::new(evaluation, names)
                    .map(Genome::Margins)
                    .map_err(EvolutionError::from)
            }
            Definition::Weights { net, summands, range, step } => {
                let Evaluation::Net(net) = self.judge_of(net)? else {
                    return Err(PlanError::Missing(format!("{net} is no net")));
                };
                WeightGenome::new(net, summands, (*range).into(), *step)
                    .map(Genome::Weights)
                    .map_err(EvolutionError::from)
            }
        };
        Ok(genome?)
    }

    pub(super) fn judge_of(&self, fingerprint: &str) -> Result<Evaluation, PlanError> {
        let known = self.plan.supplies.evaluations.0.get(fingerprint).cloned();
        known.ok_or_else(|| PlanError::Missing(format!("nobody has the evaluation {fingerprint}")))
    }
}

/// So many rounds as are written down, evenly over all, the last one among them.
fn thinned(rounds: Vec<CourseRound>) -> Vec<CourseRound> {
    let apart = rounds.len().div_ceil(ROUNDS_KEPT).max(1);
    let mut kept: Vec<_> = rounds.into_iter().rev().step_by(apart).collect();
    kept.reverse();
    kept
}

/// How many points the budget lasts for. A game of two that are judged counts for both.
fn evaluations(evolve: &Evolve) -> u64 {
    let Fitness::Games(terms) = &evolve.fitness else { return evolve.budget };
    let for_both = terms.opponents == Opponents::Population
        && terms.colours == ByColour::Both
        && evolve.method.asks_everybody();
    let counted = if for_both { 2 } else { 1 };
    counted * evolve.budget / u64::from(terms.games.max(1))
}
