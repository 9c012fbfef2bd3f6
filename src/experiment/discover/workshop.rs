//! Where the steps of a search have their jobs done.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::discover::table::Discover;
use crate::planning::{FileContents, Planning};
use crate::{Experiment, Note, Workspace, read};
use arena::NetId;
use arena::{GameRules, Limit, RandomPlies};
use base::{Estimate, Key, Observer, Silent};
use discovery::jobs::{Compare, HeldOut, check_games};
use discovery::{Contrast, Purpose};
use features::{FeatureSet, Names, TrainedSet};
use measure::{Match, OpeningsOf, Pace, Seat, Speed, Teaching};
use plan::{Control, Ending, Plan, PlanError, Results, RunDir, State, Work};
use training::{Train, Trained};

use crate::discover::DiscoverError;

/// Jobs so far, and how they are done.
pub(crate) struct Workshop<'w> {
    pub(crate) experiment: &'w Experiment,
    pub(crate) search: &'w Discover,
    pub(crate) place: RunDir,
    /// All jobs, each after what it needs.
    pub(crate) plan: Plan,
    /// The search as it was begun.
    pub(crate) note: Note,
    contents: FileContents,
    /// The job that prepares positions.
    positions: Key,
    hands: Hands<'w>,
}

/// Who has jobs done.
pub(crate) enum Hands<'w> {
    /// This process does what is not done yet.
    Working {
        /// Hears of it.
        observer: &'w mut dyn Observer,
        /// Once it is raised nothing more is begun.
        stop: &'w AtomicBool,
    },
    /// Nobody here: somebody else is at it, or was.
    Looking(Silent),
}

impl Hands<'_> {
    fn observer(&mut self) -> &mut dyn Observer {
        match self {
            Self::Working { observer, .. } => *observer,
            Self::Looking(silent) => silent,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// What it sees, as it is written.
    pub(crate) expression: String,
    pub(crate) set: Arc<FeatureSet>,
    pub(crate) net: NetId,
}

/// Plies of the searches whose nodes are timed.
const SPEED_DEPTH: u32 = 8;

impl<'w> Workshop<'w> {
    /// For an experiment that was begun so.
    pub(crate) fn open(
        experiment: &'w Experiment,
        note: Note,
        workspace: &Workspace,
        mut hands: Hands<'w>,
    ) -> Result<Self, DiscoverError> {
        let search = experiment.discover.as_ref().ok_or(DiscoverError::NoTable)?;
        let start = training_of(experiment, search, &[experiment.reference().to_owned()], 1.0);
        let planning = Planning::of(&start, note.contents.clone(), hands.observer())?;
        let missing = || DiscoverError::Failed {
            title: "positions".to_owned(),
            reason: "nothing prepares them".to_owned(),
        };
        let positions = *planning.positions.first().ok_or_else(missing)?;
        let Planning { plan, contents, .. } = planning;
        let place = workspace.workplace(experiment);
        Ok(Self { experiment, search, place, plan, note, contents, positions, hands })
    }

    /// Whether there are games enough to screen on, before any net is trained. Searches that have
    /// trained one already have found out.
    pub(crate) fn check_games(&mut self) -> Result<(), DiscoverError> {
        let states = plan::states(&self.plan, &self.place)?;
        let mut jobs = self.plan.jobs().iter().zip(&states);
        let is_begun = jobs
            .any(|(planned, state)| planned.job.get::<Train>().is_some() && *state == State::Done);
        let screened = self.held_out(Purpose::Screening, self.search.screened);
        match &mut self.hands {
            Hands::Working { observer, stop } if !is_begun => {
                let mut control = Control { observer: *observer, stop };
                let check = |context: &mut plan::Context<'_>| check_games(&screened, context);
                match plan::run_unrecorded(
                    &self.plan,
                    &self.place,
                    self.positions,
                    &mut control,
                    check,
                ) {
                    Err(PlanError::Stopped) => Err(DiscoverError::Stopped),
                    checked => Ok(checked?),
                }
            }
            _ => Ok(()),
        }
    }

    /// Nets of some sets, after that share of the training; `None` where training came to
    /// nothing.
    pub(crate) fn train(
        &mut self,
        sets: &[String],
        share: f64,
    ) -> Result<Vec<Option<Model>>, DiscoverError> {
        let experiment = training_of(self.experiment, self.search, sets, share);
        let planning = self.planning(&experiment)?;
        self.carry_out()?;
        let names = self.names();
        let mut models = Vec::new();
        for (expression, contestant) in sets.iter().zip(&planning.inquiry.contestants) {
            let key = contestant.nets.first().and_then(|net| net.trained);
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

    /// Has jobs done; what they found, `None` of those that came to nothing.
    pub(crate) fn ask<W: Work>(
        &mut self,
        jobs: Vec<(W, String)>,
    ) -> Result<Vec<Option<W::Output>>, DiscoverError> {
        let mut keys = Vec::new();
        for (job, title) in jobs {
            keys.push(self.plan.add(job, title)?);
        }
        self.carry_out()?;
        let results = self.results();
        keys.into_iter().map(|key| Ok(results.output(key)?)).collect()
    }

    /// Has a job done without which there is no going on.
    pub(crate) fn ask_one<W: Work>(
        &mut self,
        job: W,
        title: &str,
    ) -> Result<W::Output, DiscoverError> {
        let key = job.key().map_err(PlanError::from)?;
        let found = self.ask(vec![(job, title.to_owned())])?.into_iter().next().flatten();
        match found {
            Some(found) => Ok(found),
            None => Err(DiscoverError::Failed {
                title: title.to_owned(),
                reason: self.failure_of(key)?,
            }),
        }
    }

    /// What a node costs with these nets.
    pub(crate) fn paces(&mut self, models: &[&Model]) -> Result<Vec<Option<Pace>>, DiscoverError> {
        // Without a cost nothing can be weighed, whatever the verdict wants to know.
        let (depth, rounds) = (SPEED_DEPTH, self.experiment.evaluation.speed_rounds.max(1));
        let job = |model: &&Model| {
            let speed = Speed { net: model.net.clone(), depth, rounds };
            (speed, format!("speed of {}", model.expression))
        };
        self.ask(models.iter().map(job).collect())
    }

    pub(crate) fn pace(&mut self, model: &Model) -> Result<Option<Pace>, DiscoverError> {
        Ok(self.paces(&[model])?.into_iter().next().flatten())
    }

    /// A match of two under the terms of the file, at most as long as its tests.
    pub(crate) fn game(&self, models: [&Model; 2], limit: Limit, seed: u64) -> Match {
        Match {
            seats: models.map(|model| Seat { net: model.net.clone(), limit }),
            games: self.search.games.get(),
            openings: OpeningsOf::RandomPlies(RandomPlies::USUAL),
            seed,
            rules: GameRules::default(),
            hash_mb: self.experiment.evaluation.hash_mb,
        }
    }

    /// Games for a purpose that no net was trained on.
    pub(crate) fn held_out(&self, purpose: Purpose, at_most: NonZeroU64) -> HeldOut {
        HeldOut { positions: self.positions, purpose, at_most }
    }

    /// By how much the second of each two nets is wrong less than the first, in per cent of the
    /// first one's loss.
    pub(crate) fn compared(
        &mut self,
        purpose: Purpose,
        pairs: Vec<([NetId; 2], String)>,
    ) -> Result<Vec<Option<Estimate>>, DiscoverError> {
        let games = self.held_out(purpose, NonZeroU64::MAX);
        let teaching = self.teaching();
        let job = |(nets, title): ([NetId; 2], String)| {
            let compare = Compare { nets, teaching: teaching.clone(), games };
            (compare, title)
        };
        let found = self.ask(pairs.into_iter().map(job).collect())?;
        let percent = |found: Option<Contrast>| found.map(|contrast| contrast.percent());
        Ok(found.into_iter().map(percent).collect())
    }

    /// Weights of a row of all nets.
    pub(crate) fn width(&self) -> usize {
        let layers = self.experiment.grid.layers().unwrap_or_default();
        layers.first().map_or(0, nnue::Layers::width)
    }

    /// What expressions of the file may use.
    pub(crate) fn names(&self) -> Names {
        read::names(self.experiment)
    }

    /// What all nets are taught.
    pub(crate) fn teaching(&self) -> Teaching {
        Teaching::of(&self.experiment.training)
    }

    pub(crate) fn results(&self) -> Results {
        Results::of(&self.place.folder)
    }

    /// Whether nobody here has jobs done.
    pub(crate) fn is_looking(&self) -> bool {
        matches!(self.hands, Hands::Looking(_))
    }

    /// Has done what is not done yet.
    pub(crate) fn carry_out(&mut self) -> Result<(), DiscoverError> {
        // Whoever needs the result of one that failed finds none.
        match &mut self.hands {
            Hands::Working { observer, stop } => {
                let mut control = Control { observer: *observer, stop };
                match plan::run_all(&self.plan, &self.place, &mut control)? {
                    Ending::Stopped => Err(DiscoverError::Stopped),
                    Ending::Finished(_) => Ok(()),
                }
            }
            Hands::Looking(_) => match plan::states(&self.plan, &self.place)? {
                states if states.iter().all(State::is_over) => Ok(()),
                _ => Err(DiscoverError::Unfinished),
            },
        }
    }

    /// Plans an experiment whose jobs come after those that are there.
    pub(crate) fn planning(&mut self, experiment: &Experiment) -> Result<Planning, DiscoverError> {
        let planning = Planning::of(experiment, self.contents.clone(), self.hands.observer())?;
        self.contents = planning.contents.clone();
        self.plan.join(planning.plan.clone());
        Ok(planning)
    }

    fn failure_of(&self, key: Key) -> Result<String, DiscoverError> {
        let failure = self.results().failure(key)?;
        Ok(failure.unwrap_or_else(|| "there is no result".to_owned()))
    }
}

/// The part of an experiment that trains some sets, with the seed of the search.
fn training_of(
    experiment: &Experiment,
    search: &Discover,
    sets: &[String],
    share: f64,
) -> Experiment {
    let mut part = experiment.clone();
    part.grid.features = sets.to_vec();
    part.grid.seed = vec![search.seed];
    part.evaluation.reference = String::new();
    part.evaluation.puzzles = None;
    part.evaluation.matches.clear();
    part.evaluation.price_games = 0;
    part.evaluation.speed_rounds = 0;
    let epochs = f64::from(part.training.epochs) * share;
    part.training.epochs = (epochs.round() as u32).max(1);
    part
}
