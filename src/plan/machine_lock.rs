//! A lock of the machine: timed jobs run alone, all others beside each other.

use std::path::Path;

use crate::PlanError;
use base::{FileLock, LockError, host};

/// The right to run a job of a folder of runs on this machine, until it is dropped.
pub(crate) struct MachineLock(#[expect(dead_code, reason = "held until it is dropped")] FileLock);

impl MachineLock {
    /// `None` while jobs of other processes exclude this one.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn acquire(runs: &Path, timed: bool) -> Result<Option<Self>, PlanError> {
        let path = runs.join(format!(".quiet-{}", host().unwrap_or_default()));
        let lock = if timed { FileLock::take(&path) } else { FileLock::share(&path) };
        match lock {
            Ok(lock) => Ok(Some(Self(lock))),
            Err(LockError::InUse { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timed_jobs_run_alone() {
        let runs = tempfile::tempdir().unwrap();
        let acquire = |timed| MachineLock::acquire(runs.path(), timed).unwrap();
        let two = [acquire(false), acquire(false)];
        assert!(two.iter().all(Option::is_some) && acquire(true).is_none());
        drop(two);
        let timed = acquire(true);
        assert!(timed.is_some() && acquire(false).is_none() && acquire(true).is_none());
    }
}
