//! A folder in which one process works at a time.
//!
//! The lock is the operating system's, on a file of its own in the folder: it ends with the
//! process, so a crash leaves nothing locked. The file's text is for people: the process that
//! works there, and its start.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::host;

/// Name of the file that is locked.
const FILE: &str = ".lock";

/// Why a folder cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error(
        "{} is in use: {holder} works there; wait for it or stop it (its results are kept), then \
         give the same command again",
        folder.display()
    )]
    InUse { folder: PathBuf, holder: String },
    #[error("{}: cannot lock: {source}; choose a folder that can be written to", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A file held against other processes until it is dropped.
#[derive(Debug)]
pub struct FileLock {
    // Closing the file ends the lock.
    _file: File,
}

/// A folder held against other processes until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _lock: FileLock,
}

impl FolderLock {
    /// Takes a folder, which must be there, for oneself.
    ///
    /// # Errors
    /// A folder that another process holds, or that cannot be written to.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        Ok(Self { _lock: FileLock::take(&folder.join(FILE)).map_err(|e| e.of_folder(folder))? })
    }

    /// Takes a shared lock of a folder.
    ///
    /// # Errors
    /// A folder that another process has for itself, or that cannot be written to.
    pub fn share(folder: &Path) -> Result<Self, LockError> {
        Ok(Self { _lock: FileLock::share(&folder.join(FILE)).map_err(|e| e.of_folder(folder))? })
    }
}

impl FileLock {
    /// Takes a file, which is made if it is not there, for oneself.
    ///
    /// # Errors
    /// A file that another process holds, or that cannot be written to.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let mut lock = Self::with(path, File::try_lock)?;
        let named = |source| LockError::Io { path: path.to_owned(), source };
        let file = &mut lock._file;
        file.set_len(0).and_then(|()| file.write_all(me().as_bytes())).map_err(named)?;
        Ok(lock)
    }

    /// Takes a file for oneself as soon as it is free.
    ///
    /// # Errors
    /// A file that cannot be written to.
    pub fn wait(path: &Path) -> Result<Self, LockError> {
        const PATIENCE: Duration = Duration::from_millis(50);
        loop {
            match Self::take(path) {
                Err(LockError::InUse { .. }) => std::thread::sleep(PATIENCE),
                other => return other,
            }
        }
    }

    /// Takes a shared lock of a file.
    ///
    /// # Errors
    /// A file that another process has for itself, or that cannot be written to.
    pub fn share(path: &Path) -> Result<Self, LockError> {
        Self::with(path, File::try_lock_shared)
    }

    fn with(path: &Path, lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self, LockError> {
        let failed = |source| LockError::Io { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(failed)?;
        if is_held(lock(&file)).map_err(failed)? {
            return Ok(Self { _file: file });
        }
        let (folder, holder) = (path.to_owned(), holder_of(&mut file));
        Err(LockError::InUse { folder, holder })
    }
}

/// Locks a file against other processes until it is closed; `false` if one of them holds the lock.
///
/// On file systems without locks every process gets it; there the leases of jobs keep machines
/// apart that work in one folder.
///
/// # Errors
/// Any other error of the system.
pub fn hold(file: &File) -> io::Result<bool> {
    is_held(file.try_lock())
}

fn is_held(locked: Result<(), TryLockError>) -> io::Result<bool> {
    match locked {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if has_no_locks(&error) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether it is the file system that keeps no locks.
fn has_no_locks(error: &io::Error) -> bool {
    /// `ENOLCK` of Linux: a network file system whose server keeps none.
    const NO_LOCKS: i32 = 37;
    error.kind() == ErrorKind::Unsupported
        || (cfg!(target_os = "linux") && error.raw_os_error() == Some(NO_LOCKS))
}

impl LockError {
    fn of_folder(self, folder: &Path) -> Self {
        match self {
            Self::InUse { holder, .. } => Self::InUse { folder: folder.to_owned(), holder },
            other => other,
        }
    }
}

/// The holder's text in the file; some systems let no other process read it.
fn holder_of(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(1_000).read_to_string(&mut text));
    match read.map(|_| text.trim()) {
        Ok(text) if !text.is_empty() => text.to_owned(),
        _ => "another process".to_owned(),
    }
}

/// `process 4711 on laptop, since 2026-03-14T09:26:53Z,`.
fn me() -> String {
    let host = host().map_or(String::new(), |host| format!(" on {host}"));
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).ok();
    let since = now.and_then(|now| now.format(&Rfc3339).ok());
    let since = since.map_or(String::new(), |since| format!(", since {since},"));
    format!("process {}{host}{since}\n", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_who_is_named_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let held = FolderLock::take(folder.path()).unwrap();
        let error = FolderLock::take(folder.path()).unwrap_err().to_string();
        let process = format!("process {}", std::process::id());
        for part in [&process, "is in use", "since 2", "stop it"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        drop(held);
        FolderLock::take(folder.path()).unwrap();
    }

    #[test]
    fn a_folder_is_shared_or_somebodys() {
        let folder = tempfile::tempdir().unwrap();
        let shared = [(); 2].map(|()| FolderLock::share(folder.path()).unwrap());
        assert!(FolderLock::take(folder.path()).is_err());
        drop(shared);
        let _own = FolderLock::take(folder.path()).unwrap();
        assert!(FolderLock::share(folder.path()).is_err());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = FolderLock::take(&folder.path().join("missing")).unwrap_err().to_string();
        assert!(error.contains("missing") && error.contains("cannot lock"), "{error}");
    }
}
