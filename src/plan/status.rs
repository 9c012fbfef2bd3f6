//! Progress of running jobs, for other processes: a small file beside the lease, rewritten every
//! second and removed when the job ends.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::lease;
use crate::{Plan, PlanError, Planned, RunDir};
use base::{Key, Observer, Stopwatch};

/// Time between writes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Extension that the name of the lease gets.
const EXTENSION: &str = "status";

/// Progress of the stage of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub stage: String,
    pub done: u64,
    /// 0 where it is unknown.
    pub total: u64,
    pub unit: String,
    /// Rate in units/s; `None` while it is unknown.
    pub per_second: Option<f64>,
    /// A short live figure.
    pub note: String,
}

impl Status {
    /// Seconds left at the current rate.
    pub fn seconds_left(&self) -> Option<f64> {
        let left = self.total.checked_sub(self.done)?;
        Some(left as f64 / self.per_second?)
    }
}

/// A job whose lease is held.
#[derive(Clone, Debug)]
pub struct RunningJob<'p> {
    pub planned: &'p Planned,
    /// Name of the shard, if the process runs only one.
    pub shard: Option<String>,
    pub holder: String,
    pub status: Option<Status>,
}

/// Running jobs of a plan on all machines, in the plan's order.
///
/// # Errors
/// A lease that cannot be read.
pub fn running<'p>(plan: &'p Plan, dir: &RunDir) -> Result<Vec<RunningJob<'p>>, PlanError> {
    let mut all = Vec::new();
    let names = lease::names(&dir.folder).into_iter();
    // Status files lie beside the leases.
    for name in names.filter(|name| !name.split('.').any(|part| part == EXTENSION)) {
        let (key, shard) = match name.split_once('.') {
            Some((key, shard)) => (key, Some(shard.to_owned())),
            None => (name.as_str(), None),
        };
        let key: Option<Key> = key.parse().ok();
        let Some(at) = key.and_then(|key| plan.place(key)) else { continue };
        let Some(holder) = lease::holder(&dir.folder, &name)? else { continue };
        let status = read(&lease::path(&dir.folder, &name));
        all.push((at, RunningJob { planned: &plan.jobs()[at], shard, holder, status }));
    }
    all.sort_by(|(a, one), (b, other)| (a, &one.shard).cmp(&(b, &other.shard)));
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

/// `None` if there is no file: a job may not have written one yet, or may just have ended.
fn read(lease: &Path) -> Option<Status> {
    serde_json::from_slice(&std::fs::read(lease.with_added_extension(EXTENSION)).ok()?).ok()
}

/// An observer that also writes the status file.
pub(crate) struct StatusWriter<'o> {
    observer: &'o mut dyn Observer,
    path: PathBuf,
    status: Status,
    stopwatch: Stopwatch,
    written: Option<Instant>,
}

impl<'o> StatusWriter<'o> {
    /// For the holder of a lease.
    pub(crate) fn new(observer: &'o mut dyn Observer, experiment: &Path, lease: &str) -> Self {
        Self {
            observer,
            path: lease::path(experiment, lease).with_added_extension(EXTENSION),
            status: Status::default(),
            stopwatch: Stopwatch::default(),
            written: None,
        }
    }

    /// Atomically. No result depends on it: a failing disk does not stop the job.
    fn write(&mut self) {
        self.written = Some(Instant::now());
        let Ok(text) = serde_json::to_vec(&self.status) else { return };
        let _ = base::atomic::write_unsynced(&self.path, &text);
    }
}

impl Observer for StatusWriter<'_> {
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str) {
        self.observer.begin(stage, total, unit);
        let (stage, unit) = (stage.to_owned(), unit.to_owned());
        self.status = Status { stage, total, unit, ..Status::default() };
        self.stopwatch = Stopwatch::default();
        self.write();
    }

    fn advance(&mut self, done: u64, note: &str) {
        self.observer.advance(done, note);
        let per_second = self.stopwatch.pace(done).rate();
        if self.written.is_none_or(|written| written.elapsed() >= INTERVAL) {
            let Status { stage, total, unit, .. } = std::mem::take(&mut self.status);
            self.status = Status { stage, done, total, unit, per_second, note: note.to_owned() };
            self.write();
        }
    }

    fn end(&mut self, result: &str) {
        self.observer.end(result);
    }

    fn warn(&mut self, message: &str) {
        self.observer.warn(message);
    }
}

impl Drop for StatusWriter<'_> {
    fn drop(&mut self) {
        // Best effort: without the lease no process reads the file.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Silent;

    #[test]
    fn the_status_of_a_job_is_readable_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("leases")).unwrap();
        let (lease, mut silent) = (lease::path(folder.path(), "job"), Silent);
        let mut writer = StatusWriter::new(&mut silent, folder.path(), "job");
        assert_eq!(read(&lease), None);
        writer.begin("training", 100, "positions");
        writer.advance(40, "loss 0.1");
        // Not every call is written.
        let status = read(&lease).unwrap();
        assert_eq!((status.stage.as_str(), status.total, status.done), ("training", 100, 0));
        writer.written = None;
        writer.advance(60, "loss 0.09");
        let status = read(&lease).unwrap();
        assert_eq!((status.done, status.note.as_str()), (60, "loss 0.09"));
        assert!(status.per_second.is_some_and(|rate| rate > 0.0), "{status:?}");
        drop(writer);
        assert_eq!(read(&lease), None);
    }

    #[test]
    fn time_left_follows_the_rate() {
        let at = |done, per_second| Status { done, total: 100, per_second, ..Status::default() };
        assert_eq!(at(60, Some(4.0)).seconds_left(), Some(10.0));
        assert_eq!(at(60, None).seconds_left(), None);
    }
}
