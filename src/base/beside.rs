//! A file that is written beside its place, by one process at a time.
//!
//! Files that are whole or not there begin here, under a name that is known beforehand. The
//! name is taken only where nothing stands (so no link is followed), and the file is locked as
//! long as it is written. A file of that name without a lock is the remains of a killed process
//! and is removed. A file with a lock belongs to another process and stays.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::lock;

/// Attempts to take a name while other processes take and release it.
const TRIES: usize = 100;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(2);

/// A file of this process alone, which is removed unless it [takes a name](Self::take_name) or is
/// [left](Self::leave).
#[derive(Debug)]
pub(crate) struct Beside {
    file: File,
    path: PathBuf,
    stays: bool,
}

impl Beside {
    /// Begins an empty file.
    ///
    /// # Errors
    /// [`ErrorKind::ResourceBusy`] if another process writes it; a name that stands for something
    /// other than a file; a folder that is not there, or may not be written to.
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        for _ in 0..TRIES {
            match File::create_new(&path) {
                Ok(file) if lock::hold(&file)? && is_at(&file, &path) => {
                    return Ok(Self { file, path, stays: false });
                }
                // Held by a process that takes it for a left one, before it is locked here.
                Ok(_) => std::thread::sleep(PAUSE),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_left(&path)?,
                Err(error) => return Err(error),
            }
        }
        Err(busy())
    }

    /// The same, as soon as no other process writes it; for files that are written in a moment.
    ///
    /// # Errors
    /// As [`create`](Self::create), if another process writes it for long.
    pub(crate) fn wait(path: &Path) -> io::Result<Self> {
        const PATIENCE: Duration = Duration::from_secs(10);
        let began = Instant::now();
        loop {
            match Self::create(path.to_owned()) {
                Err(error)
                    if error.kind() == ErrorKind::ResourceBusy && began.elapsed() < PATIENCE =>
                {
                    std::thread::sleep(PAUSE);
                }
                other => return other,
            }
        }
    }

    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Renames the file to `name` and replaces any file there.
    ///
    /// # Errors
    /// A file that was removed meanwhile; a place that cannot be written to.
    pub(crate) fn take_name(mut self, name: &Path) -> io::Result<()> {
        if !is_at(&self.file, &self.path) {
            return Err(io::Error::other(format!("{} was removed meanwhile", self.path.display())));
        }
        std::fs::rename(&self.path, name)?;
        self.stays = true;
        Ok(())
    }

    /// Lets the file stay where it is.
    pub(crate) fn leave(mut self) -> PathBuf {
        self.stays = true;
        std::mem::take(&mut self.path)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.stays && is_at(&self.file, &self.path) {
            // Best effort: the next process that takes the name removes a file without a lock.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Removes the remains of a killed process at a path, or a link; the target of a link stays.
fn remove_left(path: &Path) -> io::Result<()> {
    let there = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        there => there?,
    };
    if there.is_symlink() {
        return gone(std::fs::remove_file(path));
    }
    if !there.is_file() {
        let what = format!("{} is in the way; remove it", path.display());
        return Err(io::Error::new(ErrorKind::AlreadyExists, what));
    }
    // Never written to, so the target of a link in its place stays unchanged.
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    match lock::hold(&file)? {
        false => Err(busy()),
        true if is_at(&file, path) => gone(std::fs::remove_file(path)),
        true => Ok(()),
    }
}

/// A missing file counts as removed.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn busy() -> io::Error {
    io::Error::new(ErrorKind::ResourceBusy, "another process is writing it")
}

/// Whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(there)) = (file.metadata(), std::fs::symlink_metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

/// Elsewhere a file that is open cannot be removed or renamed by others.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_name_is_taken_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let (path, name) = (folder.path().join("file.partial"), folder.path().join("file"));
        let mut first = Beside::create(path.clone()).unwrap();
        first.file().write_all(b"first").unwrap();
        let error = Beside::create(path.clone()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceBusy);
        first.take_name(&name).unwrap();
        drop(Beside::create(path.clone()).unwrap());
        assert_eq!(std::fs::read(&name).unwrap(), b"first");
        assert!(!path.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, name) = (folder.path().join("file.partial"), folder.path().join("file"));
        let mut left = Beside::create(path.clone()).unwrap();
        left.file().write_all(b"longer than what follows").unwrap();
        assert_eq!(left.leave(), path);
        let mut next = Beside::create(path).unwrap();
        next.file().write_all(b"next").unwrap();
        next.take_name(&name).unwrap();
        assert_eq!(std::fs::read(&name).unwrap(), b"next");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("file.partial"), folder.path().join("victim"));
        std::fs::write(&victim, "untouched").unwrap();
        for link in [std::os::unix::fs::symlink::<&Path, &Path>, std::fs::hard_link] {
            link(&victim, &path).unwrap();
            let mut file = Beside::create(path.clone()).unwrap();
            file.file().write_all(b"something").unwrap();
            file.take_name(&folder.path().join("file")).unwrap();
            assert_eq!(std::fs::read(&victim).unwrap(), b"untouched");
        }
    }

    #[test]
    fn folders_in_the_way_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.partial");
        std::fs::create_dir(&path).unwrap();
        let error = Beside::create(path).unwrap_err().to_string();
        assert!(error.contains("file.partial is in the way"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_taken_away_does_not_take_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, name) = (folder.path().join("file.partial"), folder.path().join("file"));
        let file = Beside::create(path.clone()).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "of another process").unwrap();
        assert!(file.take_name(&name).is_err());
        assert!(path.exists() && !name.exists());
    }

    /// Many threads write one name, and every reader finds one of their texts, whole.
    #[test]
    fn a_race_for_a_name_ends_with_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let (path, name) = (folder.path().join("file.tmp"), folder.path().join("file"));
        let write = |text: &[u8]| -> io::Result<()> {
            let mut file = Beside::wait(&path)?;
            text.chunks(3).try_for_each(|part| file.file().write_all(part))?;
            file.take_name(&name)
        };
        std::thread::scope(|scope| {
            for number in 0..8u8 {
                let write = &write;
                scope.spawn(move || (0..40).for_each(|_| write(&[number; 100]).unwrap()));
            }
        });
        let whole = std::fs::read(&name).unwrap();
        assert!(whole.len() == 100 && whole.iter().all(|byte| *byte == whole[0]), "{whole:?}");
    }
}
