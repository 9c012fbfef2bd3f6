//! Searching numbers, and trying what was found.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Worker;
use crate::evolution::{Against, Evolve, Evolved, Fitness, Genome as Definition, Trial, Tried};
use crate::{Job, PlanError, Planned, Results};
use ::evolution::{
    Candidate, Colours, Conditions, Course, EvolutionError, Games, Genome, Judge, MarginGenome,
    Opponents, Positions, Search, Standing, Tables,
};
use arena::contender::Evaluation;
use arena::{
    ByColour, GameRules, Identity, Openings, Player, PlayerId, RandomPlies, Schedule,
    TournamentConfig, play_tournament,
};
use base::format::fixed;
use engine::Limits;
use measure::Watch;

/// Rounds that are written down of a search.
const ROUNDS_KEPT: usize = 400;

/// Table of each player of a trial, in MiB.
const HASH_MB: usize = 1;

impl Worker<'_> {
    /// Searches, from where it was stopped.
    pub(super) fn evolve(
        &mut self,
        planned: &Planned,
        evolve: &Evolve,
        watch: &mut Watch<'_>,
    ) -> Result<Evolved, PlanError> {
        let genome = self.genome(&evolve.genome)?;
        let folder = self.place.folder.join(&planned.folder);
        let started = Instant::now();
        let conditions = Conditions {
            space: genome.space().clone(),
            anywhere: evolve.anywhere,
            is_noisy: matches!(evolve.fitness, Fitness::Games(_)),
            evaluations: evaluations(evolve),
            seed: evolve.seed,
        };
        let search = Search {
            method: &evolve.method,
            conditions,
            budget: evolve.budget,
            kept_at: &evolve.kept_at,
            folder: &folder,
        };
        let (course, held_out) = match &evolve.fitness {
            Fitness::Games(terms) => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                let terms = terms.clone();
                let mut judge =
                    Games::new(&genome, terms, evolve.seed, cores, Some(folder.clone()));
                (self.search(planned, &search, &mut judge, "games", watch)?, Vec::new())
            }
            Fitness::Positions { positions, scale } => {
                let Genome::Tables(tables) = &genome else {
                    let why = "margins cannot be judged by positions";
                    return Err(PlanError::Missing(why.to_owned()));
                };
                let dataset = self.load(*positions, watch)?;
                let mut judge = Positions::of_samples(tables, *scale, &dataset.train);
                let held_out = Positions::of_samples(tables, *scale, &dataset.validation);
                if judge.is_empty() {
                    let why = "no position to judge by has the result of its game";
                    return Err(PlanError::Missing(why.to_owned()));
                }
                let course = self.search(planned, &search, &mut judge, "evaluations", watch)?;
                let losses = course.answers.iter().map(|answer| held_out.loss(&answer.point));
                let losses = if held_out.is_empty() { Vec::new() } else { losses.collect() };
                (course, losses)
            }
        };
        let Course { rounds, answers, colours } = course;
        let round_count = rounds.len() as u64;
        let apart = rounds.len().div_ceil(ROUNDS_KEPT).max(1);
        // Counted from the end, so that the last one is among them.
        let mut kept: Vec<_> = rounds.into_iter().rev().step_by(apart).collect();
        kept.reverse();
        let seconds = started.elapsed().as_secs_f64();
        Ok(Evolved { rounds: kept, round_count, answers, colours, held_out, seconds })
    }

    fn search(
        &self,
        planned: &Planned,
        search: &Search<'_>,
        judge: &mut dyn Judge,
        unit: &'static str,
        watch: &mut Watch<'_>,
    ) -> Result<Course, PlanError> {
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

    /// Plays a match of an answer.
    pub(super) fn trial(
        &self,
        planned: &Planned,
        trial: &Trial,
        watch: &mut Watch<'_>,
    ) -> Result<Tried, PlanError> {
        let players = self.players(trial)?;
        let named = ["answer", "opponent"].into_iter().zip(&players).map(|(name, player)| {
            (name.to_owned(), format!("{}, {} nodes", player.fingerprint(), trial.nodes))
        });
        let openings_told = format!("8 random plies, seed {}", trial.seed);
        let identity =
            Identity::new(named, Schedule::RoundRobin, GameRules::default(), openings_told)
                .by_colour(trial.colours);
        let count = trial.games.div_ceil(trial.colours.games().len() as u64).max(1) as usize;
        let openings = Openings::random(trial.seed, count, RandomPlies::exactly(8), None);
        let config = TournamentConfig {
            identity,
            openings: openings.take(count).map_err(EvolutionError::from)?,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            tables: None,
        };
        let (stop, limits) = (watch.stop, Limits::nodes(trial.nodes.get()));
        let make_player = |PlayerId(place): PlayerId| -> Box<dyn Player + '_> {
            Box::new(players[place].player(HASH_MB, limits.clone(), stop))
        };
        let games = config.games().map_err(EvolutionError::from)?;
        let log = self.log(planned)?;
        let result = watch.follow(&planned.title, games as u64, "games", |progress| {
            let mut told = |at: arena::Progress<'_>| progress(at.finished as u64, String::new());
            play_tournament(&config, &make_player, Some(&log), &mut told, stop)
        });
        watch.observer.end("");
        let result = result.map_err(EvolutionError::from)?;
        if stop.load(Ordering::Relaxed) && result.records().count() < games {
            return Err(PlanError::Stopped);
        }
        let pairing = result.pairings.into_iter().next();
        let result = pairing.ok_or_else(|| PlanError::Missing("a match of two".to_owned()))?;
        let colours = Colours::of(&result);
        Ok(Tried { result, colours })
    }

    fn log(&self, planned: &Planned) -> Result<PathBuf, PlanError> {
        let folder = self.place.folder.join("games");
        std::fs::create_dir_all(&folder)
            .map_err(|source| PlanError::Io { path: folder.clone(), source })?;
        Ok(folder.join(format!("{}.jsonl", planned.key)))
    }

    /// An answer, and whom it meets.
    fn players(&self, trial: &Trial) -> Result<[Candidate; 2], PlanError> {
        let missing = || PlanError::Missing(format!("answer {} of {}", trial.answer, trial.search));
        let planned = self.plan.find(trial.search).map(|planned| &planned.job);
        let Some(Job::Evolve(evolve)) = planned else { return Err(missing()) };
        let found: Option<Evolved> = Results::of(&self.place.folder).found(trial.search)?;
        let answers = found.ok_or_else(missing)?.answers;
        let answer = answers.get(trial.answer).ok_or_else(missing)?;
        let genome = self.genome(&evolve.genome)?;
        let opponent = match &trial.against {
            Against::Start => genome.candidate(&genome.space().start()),
            Against::Evaluation(fingerprint) => Candidate::usual(self.judge_of(fingerprint)?),
        };
        Ok([genome.candidate(&answer.point), opponent])
    }

    fn genome(&self, definition: &Definition) -> Result<Genome, PlanError> {
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
        };
        Ok(genome?)
    }

    fn judge_of(&self, fingerprint: &str) -> Result<Evaluation, PlanError> {
        let known = self.plan.supplies.evaluations.0.get(fingerprint).cloned();
        known.ok_or_else(|| PlanError::Missing(format!("nobody has the evaluation {fingerprint}")))
    }
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
