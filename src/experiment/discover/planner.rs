//! The jobs of the steps of a search, planned as far as results go.
//!
//! A search is replayed: every call begins at the first round. A step adds its jobs to the plan and
//! reads their results; where one is missing it returns [`DiscoverError::Unfinished`], which ends the
//! replay. The driver runs the jobs planned so far and replays, so a stopped search, a scheduler and
//! the page need no state beside the results.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::config::EvaluationConfig;
use crate::discover::table::Discover;
use crate::planning::{FileContents, Planning};
use crate::study::Files;
use crate::{Experiment, read};
use arena::NetId;
use arena::{GameRules, Limit, RandomPlies};
use base::{Estimate, Key, Observer, Silent};
use discovery::jobs::{Compare, HeldOut};
use discovery::{Contrast, Purpose};
use features::{FeatureSet, Names, TrainedSet};
use measure::{LossTarget, Match, MatchPlayer, NodeTime, OpeningsOf, Pace, Speed, SpeedQuestion};
use plan::{Plan, PlanError, Results, RunDir, State, Work};
use training::Trained;

use crate::discover::DiscoverError;

/// The jobs of a search and their results.
pub(crate) struct SearchPlanner<'e> {
    pub(crate) experiment: &'e Experiment,
    pub(crate) search: &'e Discover,
    pub(crate) dir: RunDir,
    /// All jobs, each after its dependencies.
    pub(crate) plan: Plan,
    /// The command line.
    pub(crate) command: String,
    pub(crate) contents: FileContents,
    /// Jobs that depend on missing files.
    pub(crate) unknown: HashSet<Key>,
    /// The job that prepares positions.
    positions: Key,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The feature set as written.
    pub(crate) expression: String,
    pub(crate) set: Arc<FeatureSet>,
    pub(crate) net: NetId,
}

impl<'e> SearchPlanner<'e> {
    /// With the jobs of the first training.
    pub(crate) fn open(
        experiment: &'e Experiment,
        files: Files,
        command: &str,
        dir: &RunDir,
        observer: &mut dyn Observer,
    ) -> Result<Self, DiscoverError> {
        let search = experiment.discover.as_ref().ok_or(DiscoverError::NoTable)?;
        let start = training_of(experiment, search, &[experiment.reference().to_owned()], 1.0);
        let planning = match files {
            Files::Known(contents) => {
                // The grid names all files of search and verdict.
                let contents = Planning::of(experiment, contents, observer)?.contents;
                Planning::of(&start, contents, observer)?
            }
            Files::MayBeMissing => Planning::dry_run(&start, observer)?,
        };
        let missing = || DiscoverError::Failed {
            title: "positions".to_owned(),
            reason: "no job prepares them".to_owned(),
        };
        let positions = *planning.positions.first().ok_or_else(missing)?;
        let Planning { plan, contents, unknown, .. } = planning;
        let (dir, command) = (dir.clone(), command.to_owned());
        Ok(Self { experiment, search, dir, plan, command, contents, unknown, positions })
    }

    /// Nets of some sets after a share of the training; `None` where training failed.
    pub(crate) fn train(
        &mut self,
        sets: &[String],
        share: f64,
    ) -> Result<Vec<Option<Model>>, DiscoverError> {
        let experiment = training_of(self.experiment, self.search, sets, share);
        let planning = self.planning(&experiment)?;
        self.ensure_over()?;
        let names = self.names();
        let mut models = Vec::new();
        for (expression, variant) in sets.iter().zip(&planning.evaluation_plan.variants) {
            let key = variant.nets.first().and_then(|net| net.trained);
            let trained = match key {
                Some(key) => self.results().output::<Trained>(key)?.map(|_| key),
                None => None,
            };
            let set = TrainedSet::compile(expression, &names).map(|set| set.set().clone());
            models.push(trained.zip(set.ok()).map(|(key, set)| Model {
                expression: expression.clone(),
                set,
                net: NetId::Trained(key),
            }));
        }
        Ok(models)
    }

    /// Plans jobs and returns their outputs; `None` for those that failed.
    pub(crate) fn outputs<W: Work>(
        &mut self,
        jobs: Vec<(W, String)>,
    ) -> Result<Vec<Option<W::Output>>, DiscoverError> {
        let mut keys = Vec::new();
        for (job, title) in jobs {
            keys.push(self.plan.add(job, title)?);
        }
        self.ensure_over()?;
        let results = self.results();
        keys.into_iter().map(|key| Ok(results.output(key)?)).collect()
    }

    /// Plans a job whose failure ends the search.
    pub(crate) fn output<W: Work>(
        &mut self,
        job: W,
        title: &str,
    ) -> Result<W::Output, DiscoverError> {
        let key = job.key().map_err(PlanError::from)?;
        let found = self.outputs(vec![(job, title.to_owned())])?.into_iter().next().flatten();
        match found {
            Some(found) => Ok(found),
            None => Err(DiscoverError::Failed {
                title: title.to_owned(),
                reason: self.failure_of(key)?,
            }),
        }
    }

    /// Node rates of these nets.
    pub(crate) fn paces(&mut self, models: &[&Model]) -> Result<Vec<Option<Pace>>, DiscoverError> {
        // The search weighs gain against cost even where the verdict measures no speed.
        let speed = self.experiment.evaluation.speed();
        let question = SpeedQuestion { rounds: speed.rounds.max(1), ..speed };
        let job = |model: &&Model| {
            let speed = Speed { net: model.net.clone(), question };
            (speed, format!("speed of {}", model.expression))
        };
        self.outputs(models.iter().map(job).collect())
    }

    pub(crate) fn pace(&mut self, model: &Model) -> Result<Option<Pace>, DiscoverError> {
        Ok(self.paces(&[model])?.into_iter().next().flatten())
    }

    /// A match of two nets by the settings of the file, of as many games as a test at most. At equal
    /// time the second one searches the nodes of the limit.
    pub(crate) fn game(
        &mut self,
        models: [&Model; 2],
        limit: Limit,
        seed: u64,
    ) -> Result<Match, DiscoverError> {
        let [own, reference] = models.map(|model| model.net.clone());
        let rounds = self.experiment.evaluation.timing_rounds;
        let node_time =
            limit.is_equal_time().then(|| NodeTime::new(own.clone(), reference.clone(), rounds));
        if let Some(timing) = &node_time {
            let [own, other] = models.map(|model| &model.expression);
            self.plan.add(timing.clone(), format!("time per node, {own} beside {other}"))?;
        }
        let first = MatchPlayer { node_time, ..MatchPlayer::new(own, limit) };
        Ok(Match {
            seats: [first, MatchPlayer::new(reference, limit)],
            games: self.search.games.get(),
            openings: OpeningsOf::RandomPlies(RandomPlies::USUAL),
            seed,
            rules: GameRules::default(),
            hash_mb: self.experiment.evaluation.hash_mb,
        })
    }

    /// Held-out games for a purpose.
    pub(crate) fn held_out(&self, purpose: Purpose, at_most: NonZeroU64) -> HeldOut {
        HeldOut { positions: self.positions, purpose, at_most }
    }

    /// Loss reduction of the second net of each pair, in per cent of the first one's loss.
    pub(crate) fn compared(
        &mut self,
        purpose: Purpose,
        pairs: Vec<([NetId; 2], String)>,
    ) -> Result<Vec<Option<Estimate>>, DiscoverError> {
        let games = self.held_out(purpose, NonZeroU64::MAX);
        let loss_target = self.loss_target();
        let job = |(nets, title): ([NetId; 2], String)| {
            let compare = Compare { nets, loss_target: loss_target.clone(), games };
            (compare, title)
        };
        let found = self.outputs(pairs.into_iter().map(job).collect())?;
        let percent = |found: Option<Contrast>| found.map(|contrast| contrast.percent());
        Ok(found.into_iter().map(percent).collect())
    }

    /// Width of the first layer of all nets.
    pub(crate) fn width(&self) -> usize {
        let layers = self.experiment.grid.layers().unwrap_or_default();
        layers.first().map_or(0, nnue::Layers::width)
    }

    /// Names that expressions of the file may use.
    pub(crate) fn names(&self) -> Names {
        read::names(self.experiment)
    }

    /// Training target of all nets.
    pub(crate) fn loss_target(&self) -> LossTarget {
        LossTarget::of(&self.experiment.training)
    }

    pub(crate) fn results(&self) -> Results {
        self.dir.results()
    }

    /// # Errors
    /// [`DiscoverError::Unfinished`] while a job so far is open. Failed jobs have no output; callers
    /// decide whether that ends the search.
    pub(crate) fn ensure_over(&self) -> Result<(), DiscoverError> {
        match plan::states(&self.plan, &self.dir)?.iter().all(State::is_over) {
            true => Ok(()),
            false => Err(DiscoverError::Unfinished),
        }
    }

    /// Plans an experiment and appends its jobs to the plan.
    pub(crate) fn planning(&mut self, experiment: &Experiment) -> Result<Planning, DiscoverError> {
        let planning = Planning::of(experiment, self.contents.clone(), &mut Silent)?;
        self.contents = planning.contents.clone();
        self.plan.join(planning.plan.clone());
        Ok(planning)
    }

    fn failure_of(&self, key: Key) -> Result<String, DiscoverError> {
        let failure = self.results().failure(key)?;
        Ok(failure.unwrap_or_else(|| "no result".to_owned()))
    }
}

/// The experiment reduced to the training of some sets with the search's seed.
fn training_of(
    experiment: &Experiment,
    search: &Discover,
    sets: &[String],
    share: f64,
) -> Experiment {
    let mut part = experiment.clone();
    part.grid.features = sets.to_vec();
    part.grid.seed = vec![search.seed];
    part.evaluation = EvaluationConfig::losses();
    let epochs = f64::from(part.training.epochs) * share;
    part.training.epochs = (epochs.round() as u32).max(1);
    part
}
