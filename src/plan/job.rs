//! The trait of a kind of job, and a job of any kind.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{Context, JobError, Planned, RunDir};
use base::{Key, KeyError, Shard};

/// A kind of job. The fields are the definition: everything that decides the output, with files
/// named by content and nets by the job that trains them; threads and paths are no part of it.
pub trait Work:
    Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Name in keys, files and lists.
    const KIND: &'static str;

    /// Heading of such jobs on progress pages.
    const STAGE: &'static str;

    /// Raised with every change to the output of a definition.
    const VERSION: u32;

    type Output: Serialize + DeserializeOwned;

    /// Bench signature of the search where the search decides the output: another search has
    /// other keys.
    fn signature(&self) -> Option<u64> {
        None
    }

    /// Jobs whose results this one reads.
    fn needs(&self) -> Vec<Key> {
        Vec::new()
    }

    fn traits(&self) -> Traits {
        Traits::default()
    }

    /// A file beside the result that belongs to it: without the file the job is not done.
    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        let _ = (dir, planned);
        None
    }

    /// The log of games that the job plays, inside the folder of games.
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    fn games(&self) -> Result<Option<String>, KeyError> {
        Ok(None)
    }

    /// Runs the job, from where an earlier run was stopped.
    ///
    /// # Errors
    /// [`JobError::Failed`] if every run of the definition fails.
    fn run(&self, context: &mut Context<'_>) -> Result<Self::Output, JobError>;

    /// Runs one of [`Traits::shards`]; [`run`](Self::run) collects them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        let _ = shard;
        Err(JobError::message(format!("{} has no shards", context.title())))
    }

    /// # Errors
    /// A definition that cannot be serialised.
    fn key(&self) -> Result<Key, KeyError> {
        Key::of(Self::KIND, &(Self::VERSION, self.signature(), self))
    }
}

/// Demands of a job on the machine and on the order of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Jobs of one group share a job array of a scheduler.
    pub group: &'static str,
    /// Clocks decide the output: no other job may run on the machine.
    pub timed: bool,
    /// The job needs a graphics card.
    pub gpu: bool,
    /// Parts that are worth a process of their own; 1 where the job cannot be divided.
    pub shards: u64,
    /// The job whose data in memory this one reads; the same process runs it best right after.
    pub affinity: Option<Key>,
}

impl Default for Traits {
    fn default() -> Self {
        Self { group: "measure", timed: false, gpu: false, shards: 1, affinity: None }
    }
}

/// A job of any kind.
#[derive(Clone)]
pub struct Job(Arc<dyn AnyWork>);

impl Job {
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }

    pub fn stage(&self) -> &'static str {
        self.0.stage()
    }

    /// # Errors
    /// A definition that cannot be serialised.
    pub fn key(&self) -> Result<Key, KeyError> {
        self.0.key()
    }

    pub fn needs(&self) -> Vec<Key> {
        self.0.needs()
    }

    pub fn traits(&self) -> Traits {
        self.0.traits()
    }

    /// The definition, if the job is of that kind.
    pub fn get<W: Work>(&self) -> Option<&W> {
        self.0.as_any().downcast_ref()
    }

    /// As [`Work::games`].
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    pub fn games(&self) -> Result<Option<String>, KeyError> {
        self.0.games()
    }

    /// Processes that the job can be divided among, up to `at_most`.
    pub fn shards(&self, at_most: u32) -> u32 {
        let shards = u32::try_from(self.traits().shards).unwrap_or(u32::MAX);
        shards.clamp(1, at_most.max(1))
    }

    pub(crate) fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        self.0.artefact(dir, planned)
    }

    pub(crate) fn definition(&self) -> Result<Value, KeyError> {
        self.0.definition()
    }

    pub(crate) fn run(&self, context: &mut Context<'_>) -> Result<Value, JobError> {
        self.0.run(context)
    }

    pub(crate) fn run_shard(
        &self,
        shard: Shard,
        context: &mut Context<'_>,
    ) -> Result<(), JobError> {
        self.0.run_shard(shard, context)
    }
}

impl<W: Work> From<W> for Job {
    fn from(work: W) -> Self {
        Self(Arc::new(work))
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other)
    }
}

impl Serialize for Job {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.definition().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// [`Work`] without its types.
trait AnyWork: fmt::Debug + Send + Sync {
    fn kind(&self) -> &'static str;
    fn stage(&self) -> &'static str;
    fn key(&self) -> Result<Key, KeyError>;
    fn needs(&self) -> Vec<Key>;
    fn traits(&self) -> Traits;
    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf>;
    fn games(&self) -> Result<Option<String>, KeyError>;
    fn definition(&self) -> Result<Value, KeyError>;
    fn run(&self, context: &mut Context<'_>) -> Result<Value, JobError>;
    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError>;
    fn equals(&self, other: &Job) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<W: Work> AnyWork for W {
    fn kind(&self) -> &'static str {
        W::KIND
    }

    fn stage(&self) -> &'static str {
        W::STAGE
    }

    fn key(&self) -> Result<Key, KeyError> {
        Work::key(self)
    }

    fn needs(&self) -> Vec<Key> {
        Work::needs(self)
    }

    fn traits(&self) -> Traits {
        Work::traits(self)
    }

    fn artefact(&self, dir: &RunDir, planned: &Planned) -> Option<PathBuf> {
        Work::artefact(self, dir, planned)
    }

    fn games(&self) -> Result<Option<String>, KeyError> {
        Work::games(self)
    }

    fn definition(&self) -> Result<Value, KeyError> {
        to_value(W::KIND, self)
    }

    fn run(&self, context: &mut Context<'_>) -> Result<Value, JobError> {
        Ok(to_value(W::KIND, &Work::run(self, context)?)?)
    }

    fn run_shard(&self, shard: Shard, context: &mut Context<'_>) -> Result<(), JobError> {
        Work::run_shard(self, shard, context)
    }

    fn equals(&self, other: &Job) -> bool {
        other.get::<W>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn to_value<T: Serialize>(kind: &str, value: &T) -> Result<Value, KeyError> {
    serde_json::to_value(value)
        .map_err(|source| KeyError::Unwritable { kind: kind.to_owned(), source })
}
