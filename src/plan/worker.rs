//! How each kind of job is done here.

mod discovery;
mod evolve;
mod longer;
mod train;
mod trial;

pub use discovery::check as check_screening;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::Value;

use crate::{Games, Job, Plan, PlanError, Planned, Positions, Prepared, Source, Train};
use crate::{positions, selfplay};
use ::selfplay::{Outcome, SelfplayConfig, SelfplayFile, Start, Target};
use arena::contender::Evaluation;
use base::{Content, Key, KeyError, Shard, Silent};
use data::{Cache, DataError, DataSpec, Dataset, Ingredient, SamplesByGame};
use measure::{Desk, Measure, MeasureError, NetId, Shelf, Watch};
use nnue::{FloatWeights, Net};

/// File of the quantised net in a run's folder.
pub const NET_FILE: &str = "net.oplus";

/// Name of the folder of prepared positions inside the folder of runs.
const CACHE_FOLDER: &str = "cache";

/// Where the jobs of an experiment are done.
#[derive(Clone, Debug)]
pub struct Workplace {
    /// The experiment's folder, inside the folder of runs.
    pub folder: PathBuf,
    /// Games at once where clocks run; half the cores if nothing is said.
    pub timed_games: Option<usize>,
    /// What validates, game by game: what was read for one plan the next one need not read.
    held_out: Arc<Mutex<Option<HeldOutGames>>>,
}

/// What validates of the positions that a job prepares.
type HeldOutGames = (Key, Arc<SamplesByGame>);

impl Workplace {
    /// In the experiment's folder.
    pub fn new(folder: PathBuf, timed_games: Option<usize>) -> Self {
        Self { folder, timed_games, held_out: Arc::default() }
    }

    /// The folder of all runs.
    pub(crate) fn runs(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    pub(crate) fn prepare(&self) -> Result<(), PlanError> {
        let results = self.folder.join("results");
        std::fs::create_dir_all(&results).map_err(|source| PlanError::Io { path: results, source })
    }

    /// Whether a job's files are there, if it has any.
    pub(crate) fn has_files_of(&self, planned: &Planned) -> bool {
        match planned.job {
            Job::Games(_) => self.games(planned.key).exists(),
            Job::Train(_) => self.net(planned).exists(),
            Job::Positions(_)
            | Job::Measure(_)
            | Job::Evolve(_)
            | Job::Trial(_)
            | Job::Discovery(_) => true,
        }
    }

    /// The games that a job makes.
    fn games(&self, key: Key) -> PathBuf {
        self.folder.join(format!("games-{key}.oarc"))
    }

    fn part_of_games(&self, key: Key, shard: Shard) -> PathBuf {
        self.folder.join(format!("games-{key}.{}.oarc", shard.slug()))
    }

    fn parts_of_games(&self, key: Key) -> Vec<PathBuf> {
        let begins = format!("games-{key}.shard-");
        let is_part = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(&begins) && name.ends_with(".oarc")
        };
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(is_part).collect()
    }

    /// The folder of a job that keeps files: under another name if it was begun so, for names
    /// are for people, and the key at their ends says whose it is.
    pub(crate) fn folder_of(&self, planned: &Planned) -> PathBuf {
        let named = self.folder.join(&planned.folder);
        if named.exists() {
            return named;
        }
        let end = format!("-{}", planned.key);
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
        let is_its = |path: &PathBuf| path.to_string_lossy().ends_with(&end);
        folders.find(is_its).unwrap_or(named)
    }

    /// The same of a training that begins or goes on, under the name that it has now.
    fn folder_to_train_in(&self, planned: &Planned) -> Result<PathBuf, PlanError> {
        let (named, begun) = (self.folder.join(&planned.folder), self.folder_of(planned));
        if begun != named {
            std::fs::rename(&begun, &named)
                .map_err(|source| PlanError::Io { path: begun, source })?;
        }
        Ok(named)
    }

    /// The net that a job trains.
    fn net(&self, planned: &Planned) -> PathBuf {
        self.folder_of(planned).join(NET_FILE)
    }
}

/// Does jobs, and remembers what the next one may need.
pub(crate) struct Worker<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) place: &'p Workplace,
    dataset: Option<(Key, Arc<Dataset>)>,
    /// Those of the net that was trained last.
    weights: Option<(Key, FloatWeights)>,
    nets: HashMap<NetId, Evaluation>,
}

impl<'p> Worker<'p> {
    pub(crate) fn new(plan: &'p Plan, place: &'p Workplace) -> Self {
        Self { plan, place, dataset: None, weights: None, nets: HashMap::new() }
    }

    /// Does a job whose needs are met; what it found.
    pub(crate) fn work(
        &mut self,
        planned: &Planned,
        watch: &mut Watch<'_>,
    ) -> Result<Value, PlanError> {
        let Planned { key, job, title, .. } = planned;
        match job {
            Job::Games(games) => written(job, &self.games(*key, games, title, watch)?),
            Job::Positions(_) => {
                let dataset = self.load(*key, watch)?;
                let prepared = Prepared {
                    hash: dataset.hash().to_string(),
                    train: dataset.train.len() as u64,
                    validation: dataset.validation.len() as u64,
                    distinct: dataset.inventory.distinct,
                    dataset: without_samples(&dataset),
                };
                written(job, &prepared)
            }
            Job::Train(train) => {
                let dataset = self.load(train.positions, watch)?;
                self.weights = None;
                let (weights, trained) = self.train(planned, train, &dataset, watch)?;
                self.weights = Some((*key, weights));
                written(job, &trained)
            }
            Job::Evolve(evolve) => written(job, &self.evolve(planned, evolve, watch)?),
            Job::Trial(trial) => written(job, &self.trial(planned, trial, watch)?),
            Job::Discovery(asked) => self.discover(planned, asked, watch),
            Job::Measure(measure) => {
                if measure.positions().is_none() {
                    // Gigabytes that no further net needs.
                    self.dataset = None;
                }
                Ok(measure.take(&mut self.desk(title, watch))?)
            }
        }
    }

    fn games(
        &mut self,
        key: Key,
        games: &Games,
        title: &str,
        watch: &mut Watch<'_>,
    ) -> Result<::selfplay::Production, PlanError> {
        let player = self.evaluation_of(&games.player)?;
        let Games { recipe, target, .. } = games;
        let threads = self.plan.supplies.threads;
        let (recipe, book) = (recipe.clone(), Vec::new());
        let config = SelfplayConfig { recipe, target: *target, shard: Shard::ALL, book, threads };
        let (path, parts) = (self.place.games(key), self.place.parts_of_games(key));
        let file = SelfplayFile {
            path: &path,
            player: &player,
            config: &config,
            start: Start::GoOn,
            parts: &parts,
        };
        match selfplay::make(&file, title, watch.observer, watch.stop)? {
            Outcome::Stopped(_) => Err(PlanError::Stopped),
            Outcome::Complete(made) | Outcome::Finished(made, _) => {
                // Best effort: all that they hold is in the file.
                parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
                Ok(made)
            }
        }
    }

    /// Plays a part of the games of a job.
    pub(crate) fn shard(
        &mut self,
        planned: &Planned,
        shard: Shard,
        title: &str,
        watch: &mut Watch<'_>,
    ) -> Result<(), PlanError> {
        match &planned.job {
            Job::Games(games) => {
                let player = self.evaluation_of(&games.player)?;
                let (recipe, book) = (games.recipe.clone(), Vec::new());
                let target = Target::Games(about(games.target));
                let threads = self.plan.supplies.threads;
                let config = SelfplayConfig { recipe, target, shard, book, threads };
                let path = self.place.part_of_games(planned.key, shard);
                let start = Start::GoOn;
                let file = SelfplayFile {
                    path: &path,
                    player: &player,
                    config: &config,
                    start,
                    parts: &[],
                };
                match selfplay::make(&file, title, watch.observer, watch.stop)? {
                    Outcome::Stopped(_) => Err(PlanError::Stopped),
                    Outcome::Complete(_) | Outcome::Finished(..) => Ok(()),
                }
            }
            Job::Measure(Measure::Match(game)) => {
                Ok(game.play_shard(shard, &mut self.desk(title, watch))?)
            }
            _ => Err(PlanError::Missing(format!("{} has no games to divide", planned.title))),
        }
    }

    fn desk<'d>(&'d mut self, title: &'d str, watch: &'d mut Watch<'_>) -> Desk<'d> {
        let place = self.place;
        let Watch { observer, stop } = watch;
        Desk {
            observer: *observer,
            stop,
            title,
            games: place.folder.join("games"),
            timed_games: place.timed_games,
            shelf: self,
        }
    }

    /// The positions of a job, from the cache or read.
    fn load(&mut self, key: Key, watch: &mut Watch<'_>) -> Result<Arc<Dataset>, PlanError> {
        if let Some((_, dataset)) = self.dataset.as_ref().filter(|(known, _)| *known == key) {
            return Ok(dataset.clone());
        }
        // One at a time: they are what takes the memory.
        self.dataset = None;
        let planned = self.plan.find(key).map(|planned| &planned.job);
        let Some(Job::Positions(positions)) = planned else {
            return Err(PlanError::Missing(format!("nothing prepares the positions {key}")));
        };
        let spec = self.data_spec(positions)?;
        let cache = Cache::new(self.place.runs().join(CACHE_FOLDER));
        let files = &self.plan.supplies.files;
        let known = |path: &Path| files.iter().find(|(_, at)| *at == path).map(|(known, _)| *known);
        let loaded = positions::load(&spec, Some(&cache), &known, watch.observer, watch.stop);
        let dataset = match loaded {
            Err(DataError::Stopped) => return Err(PlanError::Stopped),
            other => Arc::new(other?),
        };
        self.dataset = Some((key, dataset.clone()));
        Ok(dataset)
    }

    fn data_spec(&self, positions: &Positions) -> Result<DataSpec, PlanError> {
        let mut train = Vec::new();
        for (source, weight) in &positions.sources {
            let path = match source {
                Source::File(content) => self.path_of(content)?,
                Source::Made(key) => self.place.games(*key),
            };
            train.push(Ingredient { path, weight: *weight });
        }
        let Positions { validation, positions: limit, choices, .. } = *positions;
        let filter = positions.filter.clone().with_net(|content| self.path_of(&content))?;
        Ok(DataSpec { train, validation, filter, limit, choices })
    }

    fn path_of(&self, content: &Content) -> Result<PathBuf, PlanError> {
        let path = self.plan.supplies.files.get(content).cloned();
        path.ok_or_else(|| PlanError::Missing(format!("nobody has a file of content {content}")))
    }

    fn evaluation_of(&mut self, id: &NetId) -> Result<Evaluation, PlanError> {
        if let Some(known) = self.nets.get(id) {
            return Ok(known.clone());
        }
        if let NetId::File(fingerprint) = id
            && let Some(known) = self.plan.supplies.evaluations.0.get(fingerprint)
        {
            return Ok(known.clone());
        }
        let path = match id {
            NetId::Pesto => return Ok(Evaluation::Pesto),
            NetId::Trained(key) => self.plan.find(*key).map(|planned| self.place.net(planned)),
            NetId::File(fingerprint) => self.plan.supplies.nets.get(fingerprint).cloned(),
        };
        let path = path.ok_or_else(|| PlanError::Missing(format!("nobody has {id}")))?;
        let evaluation = Evaluation::Net(Arc::new(Net::load(&path)?));
        self.nets.insert(id.clone(), evaluation.clone());
        Ok(evaluation)
    }

    fn training_of(&self, id: &NetId) -> Result<(&'p Planned, &'p Train), PlanError> {
        let planned = id.job().and_then(|key| self.plan.find(key));
        match planned.map(|planned| (planned, &planned.job)) {
            Some((planned, Job::Train(train))) => Ok((planned, train)),
            _ => Err(PlanError::Missing(format!("{id} was not trained here"))),
        }
    }
}

impl Shelf for Worker<'_> {
    fn evaluation(&mut self, id: &NetId) -> Result<Evaluation, MeasureError> {
        Ok(self.evaluation_of(id)?)
    }

    fn file(&self, content: &Content) -> Result<PathBuf, MeasureError> {
        Ok(self.path_of(content)?)
    }

    fn dataset(
        &mut self,
        positions: Key,
        mut watch: Watch<'_>,
    ) -> Result<Arc<Dataset>, MeasureError> {
        Ok(self.load(positions, &mut watch)?)
    }

    /// From the checkpoint that finished training left, if they are not at hand.
    fn weights(&mut self, net: &NetId, mut watch: Watch<'_>) -> Result<FloatWeights, MeasureError> {
        let (planned, train) = self.training_of(net)?;
        if let Some((_, weights)) = self.weights.as_ref().filter(|(key, _)| *key == planned.key) {
            return Ok(weights.clone());
        }
        let dataset = self.load(train.positions, &mut watch)?;
        // What there is to say of its training was said.
        let mut silently = Watch { observer: &mut Silent, stop: watch.stop };
        Ok(self.weights_of(planned, train, &dataset, &mut silently)?.0)
    }
}

/// Games that come to a target, more or less: what is missing is played, and what is too much is
/// left out.
fn about(target: Target) -> u64 {
    const POSITIONS_OF_A_GAME: u64 = 110;
    match target {
        Target::Games(games) => games,
        Target::Positions(positions) => positions.div_ceil(POSITIONS_OF_A_GAME),
    }
}

fn without_samples(dataset: &Dataset) -> Dataset {
    let Dataset { stretches, games, listed, positions_read, dropped, left_out, sources, .. } =
        dataset;
    Dataset {
        stretches: stretches.clone(),
        games: games.clone(),
        listed: listed.clone(),
        positions_read: *positions_read,
        dropped: *dropped,
        left_out: *left_out,
        sources: sources.clone(),
        ..Dataset::default()
    }
}

fn written<T: Serialize>(job: &Job, found: &T) -> Result<Value, PlanError> {
    let kind = || job.kind().to_owned();
    Ok(serde_json::to_value(found)
        .map_err(|source| KeyError::Unwritable { kind: kind(), source })?)
}
