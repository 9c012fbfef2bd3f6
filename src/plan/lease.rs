//! Who does a job.
//!
//! A lease is a file that only one of those who try can make, and its holder writes into it every
//! few seconds. That holds on file systems that several machines share, where locks of the
//! operating system may not, and no clocks are compared: whoever waits looks whether the file
//! changes. On the machine of its holder nobody waits: a process that is gone holds nothing.
//!
//! Jobs whose outcome clocks decide also want the machine for themselves, against all jobs below
//! the same folder of runs; that is a lock of this machine.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::PlanError;
use base::{FileLock, LockError, host};

/// Where they are, in the folder of an experiment.
const FOLDER: &str = "leases";

/// How often a holder writes.
const BEAT: Duration = Duration::from_secs(5);

/// After so long without a change a holder on another machine is taken for dead. A file system
/// may be slow, and a machine may be busy.
const SILENCE: Duration = Duration::from_secs(60);

/// The right to do a job, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    path: PathBuf,
    holder: Holder,
    /// Ends the writing when it is dropped.
    _beating: Sender<()>,
}

/// Somebody who has a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// For people.
    pub(crate) by: String,
    /// Whether it is known to live; otherwise it may be a process of another machine that is gone.
    pub(crate) is_alive: bool,
}

/// The first line of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// Where processes are numbered as the holder's is: machine, its start, and what of it a
    /// container sees.
    place: String,
    process: u32,
    /// When the process began, as its machine counts: numbers are used again.
    began: Option<u64>,
    host: String,
    since: String,
}

/// When a lease of another machine was seen to change the last time.
struct Watched {
    text: String,
    at: Instant,
    has_changed: bool,
}

static WATCHED: LazyLock<Mutex<HashMap<PathBuf, Watched>>> = LazyLock::new(Mutex::default);

impl Lease {
    /// Of a job, or a part of one, in the folder of its experiment; who has it, if somebody has.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn take(experiment: &Path, name: &str) -> Result<Result<Self, Held>, PlanError> {
        Self::take_after(experiment, name, SILENCE)
    }

    fn take_after(
        experiment: &Path,
        name: &str,
        silence: Duration,
    ) -> Result<Result<Self, Held>, PlanError> {
        let path = path(experiment, name);
        let folder = path.parent().unwrap_or(experiment);
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        loop {
            if let Some(lease) = Self::make(&path).map_err(|source| io(&path, source))? {
                return Ok(Ok(lease));
            }
            let Some(text) = text(&path)? else { continue };
            if let Some(held) = held(&path, &text, silence) {
                return Ok(Err(held));
            }
            bury(&path, &text).map_err(|source| io(&path, source))?;
        }
    }

    /// `None` if the file is there.
    fn make(path: &Path) -> std::io::Result<Option<Self>> {
        let holder = Holder::me();
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => file.write_all(holder.text(0).as_bytes())?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        }
        forget(path);
        let (beating, end) = mpsc::channel();
        let (own, at) = (holder.clone(), path.to_owned());
        std::thread::spawn(move || {
            let mut beats = 0;
            while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) && own.has(&at) {
                beats += 1;
                // A disk that fails for a moment is no reason to stop.
                let file = OpenOptions::new().write(true).open(&at);
                let _ = file.and_then(|mut file| file.write_all(own.text(beats).as_bytes()));
            }
        });
        Ok(Some(Self { path: path.to_owned(), holder, _beating: beating }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.holder.has(&self.path) {
            // Best effort: what stays is found to be dead.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Holder {
    fn me() -> Self {
        let process = std::process::id();
        let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok();
        Self {
            place: place(),
            process,
            began: began(process),
            host: host().unwrap_or_default(),
            since: now.and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default(),
        }
    }

    /// The lease after so many beats: always of one length, so that it can be written over.
    fn text(&self, beats: u64) -> String {
        // Texts and numbers are always valid JSON.
        let line = serde_json::to_string(self).unwrap_or_default();
        format!("{line}\n{beats:020}\n")
    }

    fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text.lines().next()?).ok()
    }

    /// Whether a lease is this one's.
    fn has(&self, path: &Path) -> bool {
        std::fs::read_to_string(path).is_ok_and(|text| Self::of(&text).as_ref() == Some(self))
    }

    /// Whether it lives, where that can be seen from here.
    fn is_alive(&self) -> Option<bool> {
        let is_here = cfg!(target_os = "linux") && self.place == place();
        is_here.then(|| self.began.is_some() && began(self.process) == self.began)
    }
}

/// Who has a lease that says so; `None` if it is nobody any more.
fn held(path: &Path, text: &str, silence: Duration) -> Option<Held> {
    let holder = Holder::of(text);
    let by = holder.as_ref().map_or_else(
        || "another process".to_owned(),
        |Holder { process, host, since, .. }| format!("process {process} on {host}, since {since}"),
    );
    match holder.and_then(|holder| holder.is_alive()) {
        Some(true) => Some(Held { by, is_alive: true }),
        Some(false) => None,
        None => {
            let mut all = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
            let now = Instant::now();
            let first = || Watched { text: text.to_owned(), at: now, has_changed: false };
            let watched = all.entry(path.to_owned()).or_insert_with(first);
            if watched.text != text {
                *watched = Watched { text: text.to_owned(), at: now, has_changed: true };
            }
            let is_silent = watched.at.elapsed() >= silence;
            (!is_silent).then_some(Held { by, is_alive: watched.has_changed })
        }
    }
}

/// Takes away the lease of somebody dead.
///
/// Between the look and this somebody else may have done so and taken the lease: then it is put
/// back. If a third one was faster still, two do the same job, which comes to the same.
fn bury(path: &Path, dead: &str) -> std::io::Result<()> {
    let own = format!("{}-{}.dead", host().unwrap_or_default(), std::process::id());
    let grave = path.with_added_extension(own);
    match std::fs::rename(path, &grave) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other?,
    }
    let buried = std::fs::read_to_string(&grave).unwrap_or_default();
    if Holder::of(&buried) != Holder::of(dead) {
        let _ = std::fs::hard_link(&grave, path);
    }
    forget(path);
    std::fs::remove_file(grave)
}

fn forget(path: &Path) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

/// What a lease says; `None` if it is gone.
fn text(path: &Path) -> Result<Option<String>, PlanError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io(path, source)),
    }
}

/// Where processes are numbered as ours is.
fn place() -> String {
    let host = host().unwrap_or_default();
    let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let seen = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{host} {} {}", start.trim(), seen.display())
}

/// When a process began, as its machine counts; `None` if there is none of that number.
fn began(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    text.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()
}

/// Where the lease of a job, or of a part of one, lies.
pub(crate) fn path(experiment: &Path, name: &str) -> PathBuf {
    experiment.join(FOLDER).join(name)
}

/// Names of all leases there are, of the dead too.
pub(crate) fn names(experiment: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(experiment.join(FOLDER)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn io(path: &Path, source: std::io::Error) -> PlanError {
    PlanError::Io { path: path.to_owned(), source }
}

/// Who does a job, for whoever only looks.
///
/// # Errors
/// A lease that cannot be read.
pub(crate) fn holder(experiment: &Path, name: &str) -> Result<Option<String>, PlanError> {
    let path = path(experiment, name);
    let text = text(&path)?;
    Ok(text.and_then(|text| held(&path, &text, SILENCE)).map(|held| held.by))
}

/// A machine that is quiet as long as this is held, or is kept from being so.
pub(crate) struct Noise(#[expect(dead_code, reason = "held until it is dropped")] FileLock);

impl Noise {
    /// For a job in some folder of runs; `None` while it has to wait for others.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn make(runs: &Path, wants_quiet: bool) -> Result<Option<Self>, PlanError> {
        let path = runs.join(format!(".quiet-{}", host().unwrap_or_default()));
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

    fn take(folder: &Path) -> Result<Lease, Held> {
        Lease::take(folder, "job").unwrap()
    }

    /// The lease of a process on a machine that is not this one.
    fn of_another_machine() -> Holder {
        Holder { place: "elsewhere".to_owned(), host: "elsewhere".to_owned(), ..Holder::me() }
    }

    fn write(folder: &Path, holder: &Holder, beats: u64) {
        std::fs::create_dir_all(folder.join("leases")).unwrap();
        std::fs::write(path(folder, "job"), holder.text(beats)).unwrap();
    }

    #[test]
    fn a_job_has_one_lease_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let held = take(folder.path()).unwrap();
        let other = take(folder.path()).unwrap_err();
        assert!(other.is_alive && other.by.contains(&std::process::id().to_string()), "{other:?}");
        assert_eq!(holder(folder.path(), "job").unwrap(), Some(other.by));
        drop(held);
        assert_eq!(holder(folder.path(), "job").unwrap(), None);
        assert!(take(folder.path()).is_ok());
        assert!(!path(folder.path(), "job").exists());
    }

    #[test]
    fn one_of_many_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let holds = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        if let Ok(_lease) = take(folder.path()) {
                            use std::sync::atomic::Ordering::SeqCst;
                            assert_eq!(holds.fetch_add(1, SeqCst), 0);
                            holds.fetch_sub(1, SeqCst);
                        }
                    }
                });
            }
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_of_this_machine_that_is_gone_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        write(folder.path(), &Holder { process: gone.id(), ..Holder::me() }, 7);
        assert!(take(folder.path()).is_ok());
        // Nor does one whose number another has now.
        write(folder.path(), &Holder { began: Some(1), ..Holder::me() }, 7);
        assert!(take(folder.path()).is_ok());
    }

    #[test]
    fn another_machine_is_believed_dead_when_it_has_been_silent() {
        let folder = tempfile::tempdir().unwrap();
        let silence = Duration::from_millis(200);
        let take = || Lease::take_after(folder.path(), "job", silence).unwrap();
        let elsewhere = of_another_machine();
        write(folder.path(), &elsewhere, 0);
        assert!(!take().unwrap_err().is_alive);
        for beats in 1..4 {
            std::thread::sleep(silence / 2);
            write(folder.path(), &elsewhere, beats);
            let held = take().unwrap_err();
            assert!(held.is_alive && held.by.contains("elsewhere"), "{held:?}");
        }
        std::thread::sleep(silence);
        assert!(take().is_ok());
    }

    #[test]
    fn what_somebody_else_has_taken_meanwhile_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let living = of_another_machine();
        write(folder.path(), &living, 3);
        let dead = Holder { process: 1, ..of_another_machine() };
        bury(&path(folder.path(), "job"), &dead.text(9)).unwrap();
        assert!(living.has(&path(folder.path(), "job")));
        bury(&path(folder.path(), "job"), &living.text(3)).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join("leases")).unwrap().count(), 0);
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
