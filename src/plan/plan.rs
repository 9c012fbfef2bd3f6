//! Jobs in order, and the inputs that they name by content.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Job, PlanError};
use base::{Content, Key};

/// Jobs in an order in which each follows its dependencies.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    jobs: Vec<Planned>,
    places: HashMap<Key, usize>,
    pub inputs: Inputs,
}

#[derive(Clone, Debug)]
pub struct Planned {
    pub key: Key,
    pub job: Job,
    /// For people.
    pub title: String,
    /// Name of the job's folder; empty where it keeps no files.
    pub folder: String,
}

/// Inputs of this machine: paths of the contents that jobs name, and how much of the machine they
/// may use. None of them changes an output.
#[derive(Clone, Default)]
pub struct Inputs {
    pub files: HashMap<Content, PathBuf>,
    /// Net files by fingerprint, or by the key of a training job that the plan does not have.
    pub nets: HashMap<String, PathBuf>,
    /// Threads of training and self-play; 0 for all cores.
    pub threads: usize,
    /// Name of the experiment, for the provenance of nets.
    pub experiment: String,
    values: HashMap<String, Arc<dyn Any + Send + Sync>>,
}

impl Inputs {
    /// Adds a value that jobs name by this text, such as an evaluation by its fingerprint.
    pub fn insert<T: Send + Sync + 'static>(&mut self, name: impl Into<String>, value: Arc<T>) {
        self.values.insert(name.into(), value);
    }

    /// Content of a file whose path is known.
    pub fn content_of(&self, path: &Path) -> Option<Content> {
        self.files.iter().find(|(_, at)| *at == path).map(|(content, _)| *content)
    }

    /// A value by its name, if it is of this type.
    pub fn get<T: Send + Sync + 'static>(&self, name: &str) -> Option<Arc<T>> {
        self.values.get(name)?.clone().downcast().ok()
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Plan {
    /// Adds a job unless the plan has it; its key. `title` is for people.
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    pub fn add(&mut self, job: impl Into<Job>, title: impl Into<String>) -> Result<Key, PlanError> {
        let job = job.into();
        let key = job.key()?;
        self.push(Planned { key, job, title: title.into(), folder: String::new() });
        Ok(key)
    }

    /// As [`add`](Self::add), for a job that keeps files: in a folder that begins with `slug`.
    ///
    /// # Errors
    /// A definition that cannot be serialised.
    pub fn add_with_folder(
        &mut self,
        job: impl Into<Job>,
        title: impl Into<String>,
        slug: &str,
    ) -> Result<Key, PlanError> {
        let key = self.add(job, title)?;
        if let Some(&at) = self.places.get(&key) {
            self.jobs[at].folder = format!("{slug}-{key}");
        }
        Ok(key)
    }

    fn push(&mut self, planned: Planned) {
        if let Entry::Vacant(place) = self.places.entry(planned.key) {
            place.insert(self.jobs.len());
            self.jobs.push(planned);
        }
    }

    /// Adds all jobs of another plan that this one lacks, and its inputs.
    pub fn join(&mut self, other: Plan) {
        let Plan { jobs, inputs, .. } = other;
        jobs.into_iter().for_each(|planned| self.push(planned));
        let Inputs { files, nets, threads, experiment, values } = inputs;
        self.inputs.files.extend(files);
        self.inputs.nets.extend(nets);
        self.inputs.values.extend(values);
        self.inputs.threads = threads;
        self.inputs.experiment = experiment;
    }

    /// All jobs, each after its dependencies.
    pub fn jobs(&self) -> &[Planned] {
        &self.jobs
    }

    pub fn find(&self, key: Key) -> Option<&Planned> {
        self.place(key).map(|at| &self.jobs[at])
    }

    /// Index of a job in [`jobs`](Self::jobs).
    pub fn place(&self, key: Key) -> Option<usize> {
        self.places.get(&key).copied()
    }
}
