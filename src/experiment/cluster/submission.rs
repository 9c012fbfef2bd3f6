//! Submissions: records of the jobs handed to a scheduler, beside the results, so that each task
//! finds its job even if the study's file changes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::Note;
use crate::cluster::slurm::Slurm;
use crate::cluster::{ClusterError, Stage, Task};
use base::{Key, write_atomically};

/// A study at the time of submission, and its stages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submission {
    pub id: String,
    /// Name of the study.
    pub study: String,
    /// The submitting user.
    pub user: String,
    /// The study and the contents of its files.
    pub note: Note,
    /// Games at once where clocks run; half the cores of a task's machine by default.
    pub timed_games: Option<usize>,
    pub stages: Vec<Stage>,
    /// Jobs of the scheduler.
    pub submitted: Vec<Submitted>,
    /// Settings for jobs that become known later.
    pub slurm: Option<Slurm>,
}

/// Some tasks of a stage under one number of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// Job id.
    pub job: String,
    /// The stage; `None` for the job that writes the page.
    pub stage: Option<usize>,
    /// The first of its tasks.
    pub first: usize,
    pub tasks: usize,
}

/// All submissions of a study.
#[derive(Clone, Debug)]
pub struct Submissions {
    folder: PathBuf,
}

impl Submission {
    /// Stages that are not submitted yet, of the study that `note` records.
    pub(crate) fn new(
        study: &str,
        note: Note,
        timed_games: Option<usize>,
        stages: Vec<Stage>,
    ) -> Self {
        let now = OffsetDateTime::now_utc();
        let (date, time) = (now.date(), now.time());
        let (month, day) = (u8::from(date.month()), date.day());
        let (hour, minute, second) = time.as_hms();
        let id = format!(
            "{}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{}",
            date.year(),
            std::process::id()
        );
        let (study, user) = (study.to_owned(), user());
        Self { id, study, user, note, timed_games, stages, submitted: Vec::new(), slurm: None }
    }

    /// All jobs of the stages.
    pub(crate) fn keys(&self) -> HashSet<Key> {
        let tasks = self.stages.iter().flat_map(|stage| &stage.tasks);
        tasks.flat_map(|task| std::iter::once(task.job).chain(task.then.iter().copied())).collect()
    }

    /// A task by its stage and number.
    ///
    /// # Errors
    /// If there is none.
    pub fn task(&self, stage: usize, task: usize) -> Result<&Task, ClusterError> {
        let found = self.stages.get(stage).and_then(|stage| stage.tasks.get(task));
        found.ok_or_else(|| ClusterError::NoTask { id: self.id.clone(), stage, task })
    }

    /// From its file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(path: &Path) -> Result<Self, ClusterError> {
        let unreadable =
            |reason: String| ClusterError::Unreadable { path: path.to_owned(), reason };
        let text = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))
    }

    /// The folder of runs of a submission's file, `RUNS/NAME/cluster/ID.json`, seen from here as by
    /// the submitting process: expressions of found sets name files in it.
    pub fn runs_of(path: &Path) -> PathBuf {
        let runs = path.ancestors().nth(3).unwrap_or(path);
        let here = std::env::current_dir().unwrap_or_default();
        runs.strip_prefix(here).unwrap_or(runs).to_owned()
    }

    /// Job ids of the scheduler.
    pub fn jobs(&self) -> Vec<&str> {
        self.submitted.iter().map(|submitted| submitted.job.as_str()).collect()
    }
}

impl Submissions {
    /// Those in a run folder.
    pub fn of(run: &Path) -> Self {
        Self { folder: run.join("cluster") }
    }

    /// File of a submission.
    pub fn path(&self, submission: &Submission) -> PathBuf {
        self.folder.join(format!("{}.json", submission.id))
    }

    /// Folder of the logs of its tasks.
    pub fn logs(&self, submission: &Submission) -> PathBuf {
        self.folder.join(&submission.id)
    }

    /// Writes a submission.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn put(&self, submission: &Submission) -> Result<(), ClusterError> {
        let logs = self.logs(submission);
        std::fs::create_dir_all(&logs)
            .map_err(|source| ClusterError::Io { path: logs.clone(), source })?;
        let path = self.path(submission);
        let text = serde_json::to_vec(submission).map_err(|error| ClusterError::Unreadable {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        Ok(write_atomically(&path, &[&text, b"\n"])?)
    }

    /// All submissions, oldest first.
    ///
    /// # Errors
    /// One that cannot be read.
    pub fn all(&self) -> Result<Vec<Submission>, ClusterError> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_submission =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(is_submission).collect();
        paths.sort();
        paths.iter().map(|path| Submission::read(path)).collect()
    }
}

/// Name of the user.
pub(crate) fn user() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.or_else(number).unwrap_or_else(|| "user".to_owned())
}

/// The user id.
#[cfg(unix)]
fn number() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    Some(format!("user {}", std::fs::metadata("/proc/self").ok()?.uid()))
}

#[cfg(not(unix))]
fn number() -> Option<String> {
    None
}
