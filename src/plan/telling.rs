//! What a job under way tells of itself, for whoever looks from elsewhere: a small file beside
//! its lease, written anew every second, gone when the job is over.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::lease;
use crate::{Plan, PlanError, Planned, Workplace};
use base::{Key, Observer, Stopwatch};

/// How often it is written.
const INTERVAL: Duration = Duration::from_secs(1);

/// Its name is that of the lease with this behind it.
const EXTENSION: &str = "told";

/// How far the stage of a job is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// What is being done.
    pub stage: String,
    pub done: u64,
    /// So much there is to do; 0 if nobody knows.
    pub total: u64,
    pub unit: String,
    /// How many of them in a second; nothing while that is not known.
    pub per_second: Option<f64>,
    /// A short live figure.
    pub note: String,
}

impl Telling {
    /// Seconds until it is done at this pace.
    pub fn seconds_left(&self) -> Option<f64> {
        let left = self.total.checked_sub(self.done)?;
        Some(left as f64 / self.per_second?)
    }
}

/// A job that somebody is at.
#[derive(Clone, Debug)]
pub struct UnderWay<'p> {
    /// The job.
    pub planned: &'p Planned,
    /// The part of it, if it is one of several.
    pub part: Option<String>,
    pub holder: String,
    /// What it told last.
    pub telling: Option<Telling>,
}

/// Jobs of a plan that somebody is at, wherever that is, in the plan's order.
///
/// # Errors
/// A lease that cannot be read.
pub fn under_way<'p>(plan: &'p Plan, place: &Workplace) -> Result<Vec<UnderWay<'p>>, PlanError> {
    let mut all = Vec::new();
    let names = lease::names(&place.folder).into_iter();
    // Beside them lies what they tell, or is about to.
    for name in names.filter(|name| !name.split('.').any(|part| part == EXTENSION)) {
        let (key, part) = match name.split_once('.') {
            Some((key, part)) => (key, Some(part.to_owned())),
            None => (name.as_str(), None),
        };
        let key: Option<Key> = key.parse().ok();
        let Some(at) = key.and_then(|key| plan.place(key)) else { continue };
        let Some(holder) = lease::holder(&place.folder, &name)? else { continue };
        let telling = read(&lease::path(&place.folder, &name));
        all.push((at, UnderWay { planned: &plan.jobs()[at], part, holder, telling }));
    }
    all.sort_by(|(a, one), (b, other)| (a, &one.part).cmp(&(b, &other.part)));
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

/// Nothing if there is none: it may not have told yet, and be gone at any time.
fn read(lease: &Path) -> Option<Telling> {
    serde_json::from_slice(&std::fs::read(lease.with_added_extension(EXTENSION)).ok()?).ok()
}

/// Hands on what an observer is told, and writes it down.
pub(crate) struct Teller<'o> {
    observer: &'o mut dyn Observer,
    path: PathBuf,
    telling: Telling,
    stopwatch: Stopwatch,
    written: Option<Instant>,
}

impl<'o> Teller<'o> {
    /// Of whoever has this lease.
    pub(crate) fn new(observer: &'o mut dyn Observer, experiment: &Path, lease: &str) -> Self {
        Self {
            observer,
            path: lease::path(experiment, lease).with_added_extension(EXTENSION),
            telling: Telling::default(),
            stopwatch: Stopwatch::default(),
            written: None,
        }
    }

    /// Whole or not at all. Nobody depends on it: a disk that fails does not stop the job.
    fn write(&mut self) {
        self.written = Some(Instant::now());
        let Ok(text) = serde_json::to_vec(&self.telling) else { return };
        let _ = base::atomic::write_unsynced(&self.path, &text);
    }
}

impl Observer for Teller<'_> {
    fn begin(&mut self, stage: &str, total: u64, unit: &'static str) {
        self.observer.begin(stage, total, unit);
        let (stage, unit) = (stage.to_owned(), unit.to_owned());
        self.telling = Telling { stage, total, unit, ..Telling::default() };
        self.stopwatch = Stopwatch::default();
        self.write();
    }

    fn advance(&mut self, done: u64, note: &str) {
        self.observer.advance(done, note);
        let per_second = self.stopwatch.pace(done).rate();
        if self.written.is_none_or(|written| written.elapsed() >= INTERVAL) {
            let Telling { stage, total, unit, .. } = std::mem::take(&mut self.telling);
            self.telling = Telling { stage, done, total, unit, per_second, note: note.to_owned() };
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

impl Drop for Teller<'_> {
    fn drop(&mut self) {
        // Best effort: what stays is read by nobody, since nobody has the lease.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Silent;

    #[test]
    fn what_a_job_tells_can_be_read_until_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("leases")).unwrap();
        let (lease, mut silent) = (lease::path(folder.path(), "job"), Silent);
        let mut teller = Teller::new(&mut silent, folder.path(), "job");
        assert_eq!(read(&lease), None);
        teller.begin("training", 100, "positions");
        teller.advance(40, "loss 0.1");
        // Not every call is written.
        let told = read(&lease).unwrap();
        assert_eq!((told.stage.as_str(), told.total, told.done), ("training", 100, 0));
        teller.written = None;
        teller.advance(60, "loss 0.09");
        let told = read(&lease).unwrap();
        assert_eq!((told.done, told.note.as_str()), (60, "loss 0.09"));
        assert!(told.per_second.is_some_and(|rate| rate > 0.0), "{told:?}");
        drop(teller);
        assert_eq!(read(&lease), None);
    }

    #[test]
    fn time_left_is_what_is_left_at_this_pace() {
        let at = |done, per_second| Telling { done, total: 100, per_second, ..Telling::default() };
        assert_eq!(at(60, Some(4.0)).seconds_left(), Some(10.0));
        assert_eq!(at(60, None).seconds_left(), None);
    }
}
