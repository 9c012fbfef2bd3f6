//! Jobs, and where what they name is found.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Job, PlanError};
use arena::contender::Evaluation;
use base::{Content, Key};
use engine::Technique;
use features::TrainedSet;
use measure::Ablation;

/// Jobs in an order in which each comes after what it needs.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    jobs: Vec<Planned>,
    /// Where each is.
    places: HashMap<Key, usize>,
    /// Where things are that jobs name by what they are.
    pub supplies: Supplies,
}

#[derive(Clone, Debug)]
pub struct Planned {
    pub key: Key,
    /// What is to be done.
    pub job: Job,
    /// The same for people.
    pub title: String,
    /// Its folder, where it has one.
    pub folder: String,
}

/// Evaluations by their fingerprints.
#[derive(Clone, Default)]
pub struct Evaluations(pub HashMap<String, Evaluation>);

impl std::fmt::Debug for Evaluations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Jobs speak of contents; this says where they lie here, and how much of this machine may
/// be used. None of it changes what comes of a job.
#[derive(Clone, Debug, Default)]
pub struct Supplies {
    pub files: HashMap<Content, PathBuf>,
    /// Net files by their fingerprint.
    pub nets: HashMap<String, PathBuf>,
    /// What judges positions, by its fingerprint.
    pub evaluations: Evaluations,
    /// Feature sets as somebody wrote them, by their canonical expression.
    pub sets: HashMap<String, Arc<TrainedSet>>,
    /// Threads to train and to make games with; 0 for all cores.
    pub threads: usize,
    /// What nets are to say of where they come from.
    pub experiment: String,
}

impl Plan {
    /// Adds a job that is not there yet; its name. `title` is for people.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    pub fn add(&mut self, job: Job, title: impl Into<String>) -> Result<Key, PlanError> {
        let key = job.key()?;
        self.push(Planned { key, job, title: title.into(), folder: String::new() });
        Ok(key)
    }

    /// Adds a job that is not there yet.
    fn push(&mut self, planned: Planned) {
        if let Entry::Vacant(place) = self.places.entry(planned.key) {
            place.insert(self.jobs.len());
            self.jobs.push(planned);
        }
    }

    /// Adds an ablation of each part, of all if none is named, all else as in `like`; their names.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    pub fn add_ablations(
        &mut self,
        parts: &[Technique],
        like: &Ablation,
    ) -> Result<Vec<(Technique, Key)>, PlanError> {
        let parts = if parts.is_empty() { Technique::all() } else { parts };
        let mut add = |&part: &Technique| {
            let ablation = Ablation { part, ..like.clone() };
            Ok((part, self.add(Job::Measure(ablation.into()), part.to_string())?))
        };
        parts.iter().map(&mut add).collect()
    }

    /// As [`add`](Self::add), for a job that keeps files: in a folder that begins with `slug`.
    ///
    /// # Errors
    /// A definition that cannot be written down.
    pub fn add_with_folder(
        &mut self,
        job: Job,
        title: impl Into<String>,
        slug: &str,
    ) -> Result<Key, PlanError> {
        let key = self.add(job, title)?;
        if let Some(&at) = self.places.get(&key) {
            self.jobs[at].folder = format!("{slug}-{key}");
        }
        Ok(key)
    }

    /// Adds all jobs of another plan that are not there yet, and where things are that they name.
    pub fn join(&mut self, other: Plan) {
        let Plan { jobs, supplies, .. } = other;
        jobs.into_iter().for_each(|planned| self.push(planned));
        let Supplies { files, nets, evaluations, sets, threads, experiment } = supplies;
        self.supplies.files.extend(files);
        self.supplies.nets.extend(nets);
        self.supplies.evaluations.0.extend(evaluations.0);
        self.supplies.sets.extend(sets);
        self.supplies.threads = threads;
        self.supplies.experiment = experiment;
    }

    /// All jobs, each after what it needs.
    pub fn jobs(&self) -> &[Planned] {
        &self.jobs
    }

    /// A job by its name.
    pub fn find(&self, key: Key) -> Option<&Planned> {
        self.place(key).map(|at| &self.jobs[at])
    }

    /// Where a job is among [`jobs`](Self::jobs).
    pub fn place(&self, key: Key) -> Option<usize> {
        self.places.get(&key).copied()
    }
}
