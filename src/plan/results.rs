//! What jobs came to: a file each, written whole or not at all.
//!
//! Nothing else is remembered: what is there is done, and what is to be done again is
//! removed. A file that cannot be read, or whose checksum does not fit, is an error and not a job
//! that is to be done.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::{Job, Plan, PlanError, Planned};
use base::processor;
use base::{Key, sealed, write_atomically};
use data::Dataset;
use measure::{Answers, MeasureError};
use training::EpochMetrics;

/// Results of the jobs of one experiment.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
    /// Folders of nets, where what trainings under way tell counts too.
    nets: HashMap<Key, PathBuf>,
}

/// A job that is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    pub key: Key,
    /// What it is, in a word.
    pub kind: String,
    /// What it is, for people.
    pub title: String,
    /// Its folder, where it has one.
    pub folder: String,
    pub needs: Vec<Key>,
    pub job: Job,
    pub made: Made,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Where and when a job was done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Made {
    /// Version of the program.
    pub program: String,
    /// Name of the processor.
    pub processor: String,
    /// Logical cores.
    pub cores: usize,
    /// When it was finished, RFC 3339.
    pub at: String,
    /// How long the last sitting took.
    pub seconds: f64,
}

/// What a job came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// What it was to find.
    Found(Value),
    /// Nothing, and the same would come of it again.
    Failed(String),
}

/// What there is to say of prepared positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// All of the data set but its samples.
    pub dataset: Dataset,
    pub hash: String,
    pub train: u64,
    pub validation: u64,
    /// Different positions among those to train on, to about 1 %; 0 where nobody has counted.
    #[serde(default)]
    pub distinct: u64,
}

impl Made {
    pub(crate) fn here(seconds: f64) -> Self {
        let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok();
        Self {
            program: base::version(),
            processor: processor(),
            cores: base::cores(),
            at: now.and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default(),
            seconds,
        }
    }
}

impl Results {
    /// Whether a folder has any.
    pub fn are_in(experiment: &Path) -> bool {
        Self::of(experiment).folder.exists()
    }

    /// Those below the folder of an experiment.
    pub fn of(experiment: &Path) -> Self {
        Self { folder: experiment.join("results"), nets: HashMap::new() }
    }

    /// The same with what trainings of a plan tell that are not done.
    pub fn as_they_come(self, plan: &Plan) -> Self {
        let experiment = self.folder.parent().unwrap_or(&self.folder);
        let trainings = plan.jobs().iter().filter(|it| matches!(it.job, Job::Train(_)));
        let nets = trainings.map(|it| (it.key, experiment.join(&it.folder))).collect();
        Self { nets, ..self }
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// What a job came to; `None` if it is not done.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn get(&self, key: Key) -> Result<Option<Done>, PlanError> {
        read(&self.path(key))
    }

    /// What a job found, if it is done and found something.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub fn found<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, PlanError> {
        let Some(Done { outcome: Outcome::Found(found), .. }) = self.get(key)? else {
            return Ok(None);
        };
        let unreadable = |error: serde_json::Error| PlanError::Unreadable {
            path: self.path(key),
            reason: error.to_string(),
        };
        serde_json::from_value(found).map(Some).map_err(unreadable)
    }

    /// Everything that is done, by key.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn all(&self) -> Result<Vec<Done>, PlanError> {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        paths.iter().filter_map(|path| read(path).transpose()).collect()
    }

    /// Notes what a job came to.
    pub(crate) fn put(
        &self,
        planned: &Planned,
        outcome: Outcome,
        seconds: f64,
    ) -> Result<(), PlanError> {
        let Planned { key, job, title, folder } = planned;
        let done = Done {
            key: *key,
            kind: job.kind().to_owned(),
            title: title.clone(),
            folder: folder.clone(),
            needs: job.needs(),
            job: job.clone(),
            made: Made::here(seconds),
            outcome,
        };
        let text = serde_json::to_string(&done)
            .map_err(|source| base::KeyError::Unwritable { kind: done.kind.clone(), source })?;
        Ok(write_atomically(&self.path(*key), &[sealed::seal(&text).as_bytes(), b"\n"])?)
    }

    /// Forgets jobs, and all that needed them; what was forgotten.
    ///
    /// # Errors
    /// A file that cannot be read or removed.
    pub fn forget(&self, keys: &[Key]) -> Result<Vec<Done>, PlanError> {
        let mut gone: BTreeSet<Key> = keys.iter().copied().collect();
        let all = self.all()?;
        // What needs something gone is gone too, until nothing more goes.
        loop {
            let before = gone.len();
            let needing = all.iter().filter(|done| done.needs.iter().any(|key| gone.contains(key)));
            gone.extend(needing.map(|done| done.key).collect::<Vec<_>>());
            if gone.len() == before {
                break;
            }
        }
        let forgotten: Vec<Done> =
            all.into_iter().filter(|done| gone.contains(&done.key)).collect();
        for done in &forgotten {
            let path = self.path(done.key);
            std::fs::remove_file(&path).map_err(|source| PlanError::Io { path, source })?;
        }
        Ok(forgotten)
    }
}

fn read(path: &Path) -> Result<Option<Done>, PlanError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PlanError::Io { path: path.to_owned(), source }),
    };
    sealed::parse(&bytes)
        .map(Some)
        .map_err(|reason| PlanError::Unreadable { path: path.to_owned(), reason })
}

impl Answers for Results {
    fn found(&self, key: Key) -> Result<Option<Value>, MeasureError> {
        Ok(Results::found(self, key)?)
    }

    fn failure(&self, key: Key) -> Result<Option<String>, MeasureError> {
        Ok(match self.get(key)? {
            Some(Done { outcome: Outcome::Failed(reason), .. }) => Some(reason),
            _ => None,
        })
    }

    fn so_far(&self, key: Key) -> Result<Vec<EpochMetrics>, MeasureError> {
        let Some(folder) = self.nets.get(&key) else { return Ok(Vec::new()) };
        let unreadable = |source| PlanError::Io { path: folder.clone(), source };
        Ok(EpochMetrics::read(folder).map_err(unreadable)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, Positions, Train};
    use data::Filter;
    use measure::{Measure, NetId, Speed};

    /// Positions, a net on them, its speed; and positions that nothing needs.
    fn plan() -> Plan {
        let mut plan = Plan::default();
        let positions = |share| {
            let (sources, filter, positions) = (Vec::new(), Filter::QUIET, None);
            Job::Positions(Positions {
                sources,
                validation: share,
                filter,
                positions,
                choices: false,
            })
        };
        let needed = plan.add(positions(0.1), "positions").unwrap();
        let train = Train {
            start: None,
            features: "piece(FILES * PIECES)".to_owned(),
            layers: nnue::Layers::linear(),
            seed: 1,
            training: training::TrainingConfig::default(),
            positions: needed,
        };
        let net = NetId::Trained(plan.add(Job::Train(train), "net").unwrap());
        let speed = Measure::from(Speed { net, depth: 1, rounds: 1 });
        plan.add(Job::Measure(speed), "speed").unwrap();
        plan.add(positions(0.2), "others").unwrap();
        plan
    }

    #[test]
    fn what_needed_something_is_forgotten_with_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let (plan, results) = (plan(), Results::of(folder.path()));
        for planned in plan.jobs() {
            results.put(planned, Outcome::Found(1.into()), 0.5).unwrap();
            let done = results.get(planned.key).unwrap().unwrap();
            assert_eq!((done.job, done.needs), (planned.job.clone(), planned.job.needs()));
        }
        assert_eq!(results.all().unwrap().len(), 4);
        let gone = results.forget(&[plan.jobs()[0].key]).unwrap();
        let mut titles: Vec<&str> = gone.iter().map(|done| done.title.as_str()).collect();
        titles.sort();
        assert_eq!(titles, ["net", "positions", "speed"]);
        assert_eq!(results.all().unwrap()[0].title, "others");
    }

    #[test]
    fn damage_is_an_error_and_not_a_job_to_be_done() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path());
        let key = plan().jobs()[0].key;
        assert!(results.get(key).unwrap().is_none());
        std::fs::create_dir(folder.path().join("results")).unwrap();
        std::fs::write(results.path(key), "{}").unwrap();
        let error = results.get(key).unwrap_err().to_string();
        assert!(error.contains(&key.to_string()) && error.contains("remove the file"), "{error}");
    }

    #[test]
    fn a_byte_that_was_changed_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let (plan, results) = (plan(), Results::of(folder.path()));
        let planned = &plan.jobs()[1];
        let found = serde_json::json!({ "elo": 12.5, "games": 400 });
        results.put(planned, Outcome::Found(found), 0.5).unwrap();
        let (key, path) = (planned.key, results.path(planned.key));
        let whole = std::fs::read(&path).unwrap();
        // The last byte ends the line.
        for at in 0..whole.len() - 1 {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let error = results.get(key).unwrap_err().to_string();
            assert!(error.contains(&key.to_string()) && error.contains("remove the file"), "{at}");
        }
        std::fs::write(&path, whole).unwrap();
        assert!(results.get(key).unwrap().is_some());
    }

    #[test]
    fn everything_that_decides_is_in_a_key() {
        let plan = plan();
        let keys: BTreeSet<Key> = plan.jobs().iter().map(|job| job.key).collect();
        assert_eq!(keys.len(), plan.jobs().len());
        let Job::Train(train) = plan.jobs()[1].job.clone() else { panic!("a net") };
        let key = |train: Train| Job::Train(train).key().unwrap();
        let own = key(train.clone());
        assert_eq!(own, plan.jobs()[1].key);
        assert_ne!(own, key(Train { seed: 2, ..train.clone() }));
        let other = training::TrainingConfig { epochs: 3, ..train.training.clone() };
        assert_ne!(own, key(Train { training: other, ..train }));
    }
}
