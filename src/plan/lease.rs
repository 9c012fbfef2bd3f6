//! Who does a job.
//!
//! A lease is a lock of the operating system on a file named like the job: it ends with the
//! process however that ends. Jobs whose outcome clocks decide also want the machine for
//! themselves, against all jobs below the same folder of runs.

use std::path::{Path, PathBuf};

use crate::PlanError;
use base::{FileLock, Key, LockError};

/// The right to do a job, until it is dropped.
pub(crate) struct Lease {
    path: PathBuf,
    lock: FileLock,
}

impl Lease {
    /// Of a job in the folder of its experiment; who has it, if somebody has.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn take(experiment: &Path, key: Key) -> Result<Result<Self, String>, PlanError> {
        let path = path(experiment, key);
        let folder = path.parent().unwrap_or(experiment);
        std::fs::create_dir_all(folder)
            .map_err(|source| PlanError::Io { path: folder.to_owned(), source })?;
        match FileLock::take(&path) {
            Ok(lock) => Ok(Ok(Self { path, lock })),
            Err(LockError::InUse { holder, .. }) => Ok(Err(holder)),
            Err(error) => Err(error.into()),
        }
    }

    /// Of a job that is done: nobody will ask for it again, and whoever waits for this very
    /// file finds the result.
    pub(crate) fn finish(self) {
        // Best effort: an empty file that stays does no harm.
        let _ = std::fs::remove_file(&self.path);
        drop(self.lock);
    }
}

fn path(experiment: &Path, key: Key) -> PathBuf {
    experiment.join("leases").join(key.to_string())
}

/// Who does a job, for whoever only looks.
///
/// # Errors
/// A lease that cannot be read.
pub(crate) fn holder(experiment: &Path, key: Key) -> Result<Option<String>, PlanError> {
    let path = path(experiment, key);
    match path.exists().then(|| FileLock::take(&path)) {
        None | Some(Ok(_)) => Ok(None),
        Some(Err(LockError::InUse { holder, .. })) => Ok(Some(holder)),
        Some(Err(error)) => Err(error.into()),
    }
}

/// A machine that is quiet as long as this is held, or is kept from being so.
pub(crate) struct Noise(#[expect(dead_code, reason = "held until it is dropped")] FileLock);

impl Noise {
    /// For a job in some folder of runs; `None` while it has to wait for others.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn make(runs: &Path, wants_quiet: bool) -> Result<Option<Self>, PlanError> {
        let path = runs.join(".quiet");
        let lock = if wants_quiet { FileLock::take(&path) } else { FileLock::share(&path) };
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
    fn a_job_has_one_lease_until_it_is_dropped_or_done() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::of("test", &1).unwrap();
        let take = || Lease::take(folder.path(), key).unwrap();
        let held = take().unwrap();
        let holder = take().err().unwrap();
        assert!(holder.contains(&std::process::id().to_string()), "{holder}");
        drop(held);
        take().unwrap().finish();
        assert!(take().is_ok());
    }

    #[test]
    fn what_clocks_decide_is_done_alone() {
        let runs = tempfile::tempdir().unwrap();
        let make = |wants_quiet| Noise::make(runs.path(), wants_quiet).unwrap();
        let two = [make(false), make(false)];
        assert!(two.iter().all(Option::is_some) && make(true).is_none());
        drop(two);
        let quiet = make(true);
        assert!(quiet.is_some() && make(false).is_none() && make(true).is_none());
    }
}
