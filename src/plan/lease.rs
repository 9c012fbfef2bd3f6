//! Leases: the right of one process to run a job.
//!
//! A lease is a file that only one of several processes can create, and its holder rewrites it every
//! few seconds (the heartbeat). That works on file systems that several machines share, where locks
//! of the operating system may not, and compares no clocks: a waiting process watches whether the
//! file changes. On the holder's own machine a stale lease is known at once, since the process is
//! gone.

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
use base::host;

/// Inside the run folder.
const FOLDER: &str = "leases";

/// Time between heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Time without a heartbeat after which the lease of another machine is stale: file systems may be
/// slow and machines busy.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A lease that this process holds until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    path: PathBuf,
    holder: Holder,
    /// Ends the heartbeat when it is dropped.
    _heartbeat: Sender<()>,
}

/// A lease of another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Process, machine and time, as text.
    pub(crate) by: String,
    /// Whether a heartbeat was seen; otherwise it may be stale.
    pub(crate) is_alive: bool,
}

/// The first line of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// Namespace of the process number: machine, boot, PID namespace.
    namespace: String,
    process: u32,
    /// Start time of the process in ticks of its machine: numbers are reused.
    started: Option<u64>,
    host: String,
    since: String,
}

/// The last change seen of another machine's lease.
struct Watched {
    text: String,
    at: Instant,
    has_changed: bool,
}

static WATCHED: LazyLock<Mutex<HashMap<PathBuf, Watched>>> = LazyLock::new(Mutex::default);

impl Lease {
    /// Acquires the lease of a job or shard, or returns its holder.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub(crate) fn acquire(run: &Path, name: &str) -> Result<Result<Self, Held>, PlanError> {
        Self::acquire_after(run, name, TIMEOUT)
    }

    fn acquire_after(
        run: &Path,
        name: &str,
        timeout: Duration,
    ) -> Result<Result<Self, Held>, PlanError> {
        let path = path(run, name);
        let folder = path.parent().unwrap_or(run);
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        loop {
            if let Some(lease) = Self::create(&path).map_err(|source| io(&path, source))? {
                return Ok(Ok(lease));
            }
            let Some(text) = text(&path)? else { continue };
            if let Some(held) = held(&path, &text, timeout) {
                return Ok(Err(held));
            }
            reclaim_stale(&path, &text).map_err(|source| io(&path, source))?;
        }
    }

    /// `None` if the file exists.
    fn create(path: &Path) -> std::io::Result<Option<Self>> {
        let holder = Holder::me();
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => file.write_all(holder.text(0).as_bytes())?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        }
        forget(path);
        let (heartbeat, end) = mpsc::channel();
        let (own, at) = (holder.clone(), path.to_owned());
        std::thread::spawn(move || {
            let mut beats = 0;
            while end.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) && own.has(&at) {
                beats += 1;
                // A heartbeat that fails is written again.
                let file = OpenOptions::new().write(true).open(&at);
                let _ = file.and_then(|mut file| file.write_all(own.text(beats).as_bytes()));
            }
        });
        Ok(Some(Self { path: path.to_owned(), holder, _heartbeat: heartbeat }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.holder.has(&self.path) {
            // Best effort: a file that stays is stale.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Holder {
    fn me() -> Self {
        let process = std::process::id();
        let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok();
        Self {
            namespace: namespace(),
            process,
            started: start_of(process),
            host: host().unwrap_or_default(),
            since: now.and_then(|now| now.format(&Rfc3339).ok()).unwrap_or_default(),
        }
    }

    /// Text of the lease after `beats` heartbeats; its length is constant, so that it can be
    /// overwritten in place.
    fn text(&self, beats: u64) -> String {
        // Texts and numbers are always valid JSON.
        let line = serde_json::to_string(self).unwrap_or_default();
        format!("{line}\n{beats:020}\n")
    }

    fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text.lines().next()?).ok()
    }

    /// Whether this holder has the lease.
    fn has(&self, path: &Path) -> bool {
        std::fs::read_to_string(path).is_ok_and(|text| Self::of(&text).as_ref() == Some(self))
    }

    /// Whether the process runs; `None` where this machine cannot tell.
    fn is_alive(&self) -> Option<bool> {
        let is_here = cfg!(target_os = "linux") && self.namespace == namespace();
        is_here.then(|| self.started.is_some() && start_of(self.process) == self.started)
    }
}

/// The holder of a lease; `None` if the lease is stale.
fn held(path: &Path, text: &str, timeout: Duration) -> Option<Held> {
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
            let is_stale = watched.at.elapsed() >= timeout;
            (!is_stale).then_some(Held { by, is_alive: watched.has_changed })
        }
    }
}

/// Removes a stale lease.
///
/// Another process may have reclaimed and acquired it since it was read: then its file is restored.
/// If a third process was faster still, two run the same job, with the same result.
fn reclaim_stale(path: &Path, stale: &str) -> std::io::Result<()> {
    let own = format!("{}-{}.stale", host().unwrap_or_default(), std::process::id());
    let tombstone = path.with_added_extension(own);
    match std::fs::rename(path, &tombstone) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other?,
    }
    let removed = std::fs::read_to_string(&tombstone).unwrap_or_default();
    if Holder::of(&removed) != Holder::of(stale) {
        let _ = std::fs::hard_link(&tombstone, path);
    }
    forget(path);
    std::fs::remove_file(tombstone)
}

fn forget(path: &Path) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
}

/// `None` if the lease is gone.
fn text(path: &Path) -> Result<Option<String>, PlanError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io(path, source)),
    }
}

/// Namespace of the numbers of this machine's processes.
fn namespace() -> String {
    let host = host().unwrap_or_default();
    let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let seen = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{host} {} {}", start.trim(), seen.display())
}

/// Start time of a process in ticks; `None` if it does not run.
fn start_of(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may contain anything.
    text.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()
}

/// Path of the lease of a job or shard.
pub(crate) fn path(run: &Path, name: &str) -> PathBuf {
    run.join(FOLDER).join(name)
}

/// Names of all leases, stale ones included.
pub(crate) fn names(run: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(run.join(FOLDER)).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn io(path: &Path, source: std::io::Error) -> PlanError {
    PlanError::Io { path: path.to_owned(), source }
}

/// The holder of a lease, for status displays.
///
/// # Errors
/// A lease that cannot be read.
pub(crate) fn holder(run: &Path, name: &str) -> Result<Option<String>, PlanError> {
    let path = path(run, name);
    let text = text(&path)?;
    Ok(text.and_then(|text| held(&path, &text, TIMEOUT)).map(|held| held.by))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acquire(folder: &Path) -> Result<Lease, Held> {
        Lease::acquire(folder, "job").unwrap()
    }

    /// A holder on another machine.
    fn of_another_machine() -> Holder {
        Holder { namespace: "elsewhere".to_owned(), host: "elsewhere".to_owned(), ..Holder::me() }
    }

    fn write(folder: &Path, holder: &Holder, beats: u64) {
        std::fs::create_dir_all(folder.join("leases")).unwrap();
        std::fs::write(path(folder, "job"), holder.text(beats)).unwrap();
    }

    #[test]
    fn a_job_has_one_lease_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let held = acquire(folder.path()).unwrap();
        let other = acquire(folder.path()).unwrap_err();
        assert!(other.is_alive && other.by.contains(&std::process::id().to_string()), "{other:?}");
        assert_eq!(holder(folder.path(), "job").unwrap(), Some(other.by));
        drop(held);
        assert_eq!(holder(folder.path(), "job").unwrap(), None);
        assert!(acquire(folder.path()).is_ok());
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
                        if let Ok(_lease) = acquire(folder.path()) {
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
    fn the_lease_of_a_gone_process_of_this_machine_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        write(folder.path(), &Holder { process: gone.id(), ..Holder::me() }, 7);
        assert!(acquire(folder.path()).is_ok());
        // The number may belong to another process now.
        write(folder.path(), &Holder { started: Some(1), ..Holder::me() }, 7);
        assert!(acquire(folder.path()).is_ok());
    }

    #[test]
    fn the_lease_of_another_machine_is_stale_without_heartbeats() {
        let folder = tempfile::tempdir().unwrap();
        let timeout = Duration::from_millis(200);
        let acquire = || Lease::acquire_after(folder.path(), "job", timeout).unwrap();
        let elsewhere = of_another_machine();
        write(folder.path(), &elsewhere, 0);
        assert!(!acquire().unwrap_err().is_alive);
        for beats in 1..4 {
            std::thread::sleep(timeout / 2);
            write(folder.path(), &elsewhere, beats);
            let held = acquire().unwrap_err();
            assert!(held.is_alive && held.by.contains("elsewhere"), "{held:?}");
        }
        std::thread::sleep(timeout);
        assert!(acquire().is_ok());
    }

    #[test]
    fn a_lease_acquired_meanwhile_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        let holder = of_another_machine();
        write(folder.path(), &holder, 3);
        let stale = Holder { process: 1, ..of_another_machine() };
        reclaim_stale(&path(folder.path(), "job"), &stale.text(9)).unwrap();
        assert!(holder.has(&path(folder.path(), "job")));
        reclaim_stale(&path(folder.path(), "job"), &holder.text(3)).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join("leases")).unwrap().count(), 0);
    }
}
