//! Results of jobs: a file each, written atomically.
//!
//! A result file is the only record of a finished job; removing it makes the job run again. A file
//! that cannot be read, or whose checksum is wrong, is an error and not a job to run.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::{Plan, PlanError, Planned, Work};
use base::{Key, processor, sealed, write_atomically};

/// Results of the jobs of one run folder.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
    /// Folders of jobs, where unfinished ones show their progress.
    folders: HashMap<Key, PathBuf>,
    /// Results of other run folders, where this one has none.
    others: Vec<Results>,
}

/// A finished job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobResult {
    pub key: Key,
    pub kind: String,
    /// For people.
    pub title: String,
    /// Name of the job's folder; empty where it keeps no files.
    pub folder: String,
    pub needs: Vec<Key>,
    /// The log of games that the job played, inside the folder of games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<String>,
    /// The definition.
    job: Value,
    #[serde(rename = "made")]
    pub provenance: ResultProvenance,
    #[serde(flatten)]
    pub outcome: JobOutcome,
}

/// Program, machine and time of a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResultProvenance {
    /// Version of the program.
    pub program: String,
    pub processor: String,
    /// Logical cores.
    pub cores: usize,
    /// RFC 3339.
    #[serde(rename = "at")]
    pub finished: String,
    /// Wall-clock time since the job was started or resumed the last time.
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobOutcome {
    /// The output.
    #[serde(rename = "found")]
    Done(Value),
    /// Every run fails, for this reason.
    Failed(String),
}

impl JobResult {
    /// The definition, if the job is of that kind and this version can read it.
    pub fn definition<W: Work>(&self) -> Option<W> {
        let is_kind = self.kind == W::KIND;
        is_kind.then(|| serde_json::from_value(self.job.clone()).ok()).flatten()
    }

    /// The reason of a failure.
    pub fn failure(&self) -> Option<&str> {
        match &self.outcome {
            JobOutcome::Done(_) => None,
            JobOutcome::Failed(reason) => Some(reason),
        }
    }
}

impl ResultProvenance {
    fn here(seconds: f64) -> Self {
        let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok();
        Self {
            program: base::version(),
            processor: processor(),
            cores: base::cores(),
            finished: now.and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default(),
            seconds,
        }
    }
}

impl Results {
    /// Whether a run folder has any.
    pub fn are_in(run: &Path) -> bool {
        Self::folder_in(run).exists()
    }

    /// Their folder in that of a run, or in that of a page that keeps them.
    pub fn folder_in(run: &Path) -> PathBuf {
        run.join("results")
    }

    pub fn of(run: &Path) -> Self {
        let folder = Self::folder_in(run);
        Self { folder, folders: HashMap::new(), others: Vec::new() }
    }

    /// With the folders of the jobs of a plan, whose progress counts before they are done.
    pub fn with_progress_of(self, plan: &Plan) -> Self {
        let run = self.folder.parent().unwrap_or(&self.folder);
        let with_files = plan.jobs().iter().filter(|planned| !planned.folder.is_empty());
        let folders = with_files.map(|it| (it.key, run.join(&it.folder))).collect();
        Self { folders, ..self }
    }

    /// With the results of other run folders, which count where this one has none.
    pub fn or(self, others: Vec<Results>) -> Self {
        Self { others, ..self }
    }

    /// The folder of a job whose progress counts.
    pub fn folder_in_progress(&self, key: Key) -> Option<&Path> {
        self.folders.get(&key).map(PathBuf::as_path)
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// A result; `None` if the job is not done.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn get(&self, key: Key) -> Result<Option<JobResult>, PlanError> {
        if let Some(result) = read(&self.path(key))? {
            return Ok(Some(result));
        }
        for other in &self.others {
            if let Some(result) = other.get(key)?.filter(|result| result.failure().is_none()) {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// Whether another folder has the output of a job, and this one has no result.
    pub(crate) fn is_done_elsewhere(&self, key: Key) -> Result<bool, PlanError> {
        let is_done = |result: JobResult| result.failure().is_none();
        Ok(!self.path(key).exists() && self.get(key)?.is_some_and(is_done))
    }

    /// Writes the results of the done jobs of a plan into another folder, from which a run on
    /// another machine continues; those that are there stay.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn keep(&self, plan: &Plan, folder: &Path) -> Result<(), PlanError> {
        let to = Self::of(folder);
        std::fs::create_dir_all(&to.folder)
            .map_err(|source| PlanError::Io { path: to.folder.clone(), source })?;
        for planned in plan.jobs() {
            let path = to.path(planned.key);
            let result = if path.exists() { None } else { self.get(planned.key)? };
            let is_done = result.is_some_and(|result| result.failure().is_none());
            if let Some(from) = self.place(planned.key).filter(|_| is_done) {
                // As it is: numbers that are written again may lose their last digit.
                let bytes = std::fs::read(&from)
                    .map_err(|source| PlanError::Io { path: from.clone(), source })?;
                write_atomically(&path, &[&bytes])?;
            }
        }
        Ok(())
    }

    /// The file of a result.
    fn place(&self, key: Key) -> Option<PathBuf> {
        let own = Some(self.path(key)).filter(|path| path.exists());
        own.or_else(|| self.others.iter().find_map(|other| other.place(key)))
    }

    /// The output of a job that is done and did not fail.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub fn output<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, PlanError> {
        if let Some(JobResult { outcome: JobOutcome::Done(output), .. }) = self.get(key)? {
            let unreadable = |error: serde_json::Error| PlanError::Unreadable {
                path: self.path(key),
                reason: error.to_string(),
            };
            return serde_json::from_value(output).map(Some).map_err(unreadable);
        }
        Ok(None)
    }

    /// The output of a job by its definition.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else.
    pub fn output_of<W: Work>(&self, work: &W) -> Result<Option<W::Output>, PlanError> {
        self.output(work.key()?)
    }

    /// The reason of a failed job.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn failure(&self, key: Key) -> Result<Option<String>, PlanError> {
        Ok(self.get(key)?.and_then(|result| result.failure().map(str::to_owned)))
    }

    /// All results, by key.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn all(&self) -> Result<Vec<JobResult>, PlanError> {
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

    pub(crate) fn put(
        &self,
        planned: &Planned,
        outcome: JobOutcome,
        seconds: f64,
    ) -> Result<(), PlanError> {
        let Planned { key, job, title, folder } = planned;
        let result = JobResult {
            key: *key,
            kind: job.kind().to_owned(),
            title: title.clone(),
            folder: folder.clone(),
            needs: job.needs(),
            games: job.games()?,
            job: job.definition()?,
            provenance: ResultProvenance::here(seconds),
            outcome,
        };
        let text = serde_json::to_string(&result)
            .map_err(|source| base::KeyError::Unwritable { kind: result.kind.clone(), source })?;
        Ok(write_atomically(&self.path(*key), &[sealed::seal(&text).as_bytes(), b"\n"])?)
    }

    /// Removes results, and those of all jobs that needed them; the removed ones.
    ///
    /// # Errors
    /// A file that cannot be read or removed.
    pub fn remove(&self, keys: &[Key]) -> Result<Vec<JobResult>, PlanError> {
        let mut gone: BTreeSet<Key> = keys.iter().copied().collect();
        let all = self.all()?;
        loop {
            let before = gone.len();
            let needing = all.iter().filter(|it| it.needs.iter().any(|key| gone.contains(key)));
            gone.extend(needing.map(|result| result.key).collect::<Vec<_>>());
            if gone.len() == before {
                break;
            }
        }
        let removed: Vec<JobResult> =
            all.into_iter().filter(|result| gone.contains(&result.key)).collect();
        for result in &removed {
            let path = self.path(result.key);
            std::fs::remove_file(&path).map_err(|source| PlanError::Io { path, source })?;
        }
        Ok(removed)
    }
}

fn read(path: &Path) -> Result<Option<JobResult>, PlanError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(PlanError::Io { path: path.to_owned(), source }),
    };
    sealed::parse(&bytes)
        .map(Some)
        .map_err(|reason| PlanError::Unreadable { path: path.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sum, plan};

    #[test]
    fn a_removed_result_takes_those_that_needed_it_along() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let (plan, results) = (plan(), Results::of(folder.path()));
        for planned in plan.jobs() {
            results.put(planned, JobOutcome::Done(1.into()), 0.5).unwrap();
            let result = results.get(planned.key).unwrap().unwrap();
            assert_eq!(result.definition::<Sum>().as_ref(), planned.job.get::<Sum>());
            assert_eq!(result.needs, planned.job.needs());
        }
        assert_eq!(results.all().unwrap().len(), 4);
        let gone = results.remove(&[plan.jobs()[0].key]).unwrap();
        let mut titles: Vec<&str> = gone.iter().map(|result| result.title.as_str()).collect();
        titles.sort();
        assert_eq!(titles, ["first", "second", "third"]);
        assert_eq!(results.all().unwrap()[0].title, "other");
    }

    #[test]
    fn damage_is_an_error_and_not_a_job_to_run() {
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
    fn a_changed_byte_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let (plan, results) = (plan(), Results::of(folder.path()));
        let planned = &plan.jobs()[1];
        let output = serde_json::json!({ "elo": 12.5, "games": 400 });
        results.put(planned, JobOutcome::Done(output), 0.5).unwrap();
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
    fn kept_results_are_those_of_the_done_jobs() {
        let (own, report) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(own.path().join("results")).unwrap();
        let (plan, results) = (plan(), Results::of(own.path()));
        let put = |at: usize, outcome| results.put(&plan.jobs()[at], outcome, 0.5).unwrap();
        put(0, JobOutcome::Done(0.000_123_456_789_012_345_68.into()));
        put(1, JobOutcome::Failed("no".into()));
        results.keep(&plan, report.path()).unwrap();
        put(2, JobOutcome::Done(3.into()));
        results.keep(&plan, report.path()).unwrap();
        let kept = Results::of(report.path()).all().unwrap();
        let keys: BTreeSet<Key> = kept.iter().map(|result| result.key).collect();
        assert_eq!(keys, BTreeSet::from([plan.jobs()[0].key, plan.jobs()[2].key]));
        let name = format!("results/{}.json", plan.jobs()[0].key);
        let bytes = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert_eq!(bytes(own.path()), bytes(report.path()));
    }

    #[test]
    fn another_folder_counts_where_this_one_has_no_result() {
        let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let plan = plan();
        for folder in [&own, &other] {
            std::fs::create_dir(folder.path().join("results")).unwrap();
        }
        let put = |folder: &Path, at: usize, output: u64| {
            let outcome = JobOutcome::Done(output.into());
            Results::of(folder).put(&plan.jobs()[at], outcome, 0.5).unwrap();
        };
        put(own.path(), 0, 1);
        put(other.path(), 0, 2);
        put(other.path(), 1, 3);
        let results = Results::of(own.path()).or(vec![Results::of(other.path())]);
        let output = |at: usize| results.output::<u64>(plan.jobs()[at].key).unwrap();
        assert_eq!([output(0), output(1), output(2)], [Some(1), Some(3), None]);
    }
}
