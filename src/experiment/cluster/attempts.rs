//! Attempts of a task, to detect stalled jobs.
//!
//! A job that is stopped before its first checkpoint starts from nothing each time, for ever. So
//! each attempt records the saved progress at its start; after three attempts without new progress
//! the job fails.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::{ClusterError, Task};
use base::write_atomically;

/// Consecutive attempts that may end without new progress.
const MOST_IDLE: u32 = 3;

/// State at the start of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Hash of the saved progress; it changes with any progress.
    pub progress: u64,
    /// Attempts before without new progress.
    pub idle: u32,
}

/// The last attempt of each task of an experiment.
#[derive(Clone, Debug)]
pub struct Attempts {
    folder: PathBuf,
}

impl Attempt {
    /// Whether the task has stalled.
    pub fn has_stalled(&self) -> bool {
        self.idle >= MOST_IDLE
    }

    /// The reason of failure of a stalled job.
    pub fn reason() -> String {
        format!(
            "stopped {MOST_IDLE} times without new progress: give it more time \
             (`--sbatch \"--time=…\"`), or shorter epochs"
        )
    }
}

impl Attempts {
    /// The attempts in the folder of an experiment.
    pub fn of(experiment: &Path) -> Self {
        Self { folder: experiment.join("cluster").join("attempts") }
    }

    /// Begins an attempt of a task with this saved progress.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn begin(&self, task: &Task, progress: u64) -> Result<Attempt, ClusterError> {
        let path = self.path(task);
        let last: Option<Attempt> =
            std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let idle = last.filter(|last| last.progress == progress).map_or(0, |last| last.idle + 1);
        let attempt = Attempt { progress, idle };
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| ClusterError::Io { path: self.folder.clone(), source })?;
        // Two numbers are always valid JSON.
        let text = serde_json::to_vec(&attempt).unwrap_or_default();
        write_atomically(&path, &[&text])?;
        Ok(attempt)
    }

    /// Removes the record of a finished task.
    pub fn end(&self, task: &Task) {
        // Best effort: no process reads it again.
        let _ = std::fs::remove_file(self.path(task));
    }

    fn path(&self, task: &Task) -> PathBuf {
        let part = task.shard.map_or(String::new(), |shard| format!(".{}", shard.slug()));
        self.folder.join(format!("{}{part}", task.job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Key;

    #[test]
    fn a_task_stalls_after_three_attempts_without_progress() {
        let folder = tempfile::tempdir().unwrap();
        let attempts = Attempts::of(folder.path());
        let job = Key::of("test", &1).unwrap();
        let task = Task { job, shard: None, then: Vec::new() };
        let stalled = |progress| attempts.begin(&task, progress).unwrap().has_stalled();
        assert!([0, 0, 0].into_iter().all(|progress| !stalled(progress)));
        assert!(stalled(0));
        // New progress resets the count.
        assert!([7, 7, 7].into_iter().all(|progress| !stalled(progress)));
        assert!(stalled(7));
        attempts.end(&task);
        assert!(!stalled(7));
    }
}
