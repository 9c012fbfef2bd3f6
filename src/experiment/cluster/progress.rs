//! Whether a job gets on, over several sittings.
//!
//! Whoever is stopped before there is anything to keep begins anew each time, for ever. So each
//! sitting notes how much is kept when it begins; three that found no more than the one before
//! are enough.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::{ClusterError, Task};
use base::write_atomically;

/// Sittings that may come to nothing, one after the other.
const MOST_IDLE: u32 = 3;

/// What was found when a sitting began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitting {
    /// How much was kept: of no unit, but another number when there is more.
    pub kept: u64,
    /// How many sittings before had left no more.
    pub idle: u32,
}

/// The last sitting of each task of an experiment.
#[derive(Clone, Debug)]
pub struct Sittings {
    folder: PathBuf,
}

impl Sitting {
    /// Whether there is no hope.
    pub fn is_hopeless(&self) -> bool {
        self.idle >= MOST_IDLE
    }

    /// Why a job is given up.
    pub fn reason() -> String {
        format!(
            "it was stopped {MOST_IDLE} times before there was anything to keep: give it more time \
             (`--sbatch \"--time=…\"`), or shorter epochs"
        )
    }
}

impl Sittings {
    /// Those of an experiment in its folder.
    pub fn of(experiment: &Path) -> Self {
        Self { folder: experiment.join("cluster").join("sittings") }
    }

    /// Begins a sitting of a task of which so much is kept.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn begin(&self, task: &Task, kept: u64) -> Result<Sitting, ClusterError> {
        let path = self.path(task);
        let last: Option<Sitting> =
            std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let idle = last.filter(|last| last.kept == kept).map_or(0, |last| last.idle + 1);
        let sitting = Sitting { kept, idle };
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| ClusterError::Io { path: self.folder.clone(), source })?;
        // Two numbers are always valid JSON.
        let text = serde_json::to_vec(&sitting).unwrap_or_default();
        write_atomically(&path, &[&text])?;
        Ok(sitting)
    }

    /// Forgets those of a task that is over.
    pub fn end(&self, task: &Task) {
        // Best effort: nobody asks for it again.
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
    fn three_sittings_without_anything_new_are_enough() {
        let folder = tempfile::tempdir().unwrap();
        let sittings = Sittings::of(folder.path());
        let job = Key::of("test", &1).unwrap();
        let task = Task { job, shard: None, then: Vec::new() };
        let hopeless = |kept| sittings.begin(&task, kept).unwrap().is_hopeless();
        assert!([0, 0, 0].into_iter().all(|kept| !hopeless(kept)));
        assert!(hopeless(0));
        // Whatever is new begins the count anew.
        assert!([7, 7, 7].into_iter().all(|kept| !hopeless(kept)));
        assert!(hopeless(7));
        sittings.end(&task);
        assert!(!hopeless(7));
    }
}
