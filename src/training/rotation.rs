//! The newest checkpoint and the one before it.
//!
//! A checkpoint is written beside the newest, which then becomes the one
//! before, and only then gets its name; at every moment at least one of the
//! two is whole. Should the newest be unusable all the same (a failing disk, a
//! truncated copy), the run resumes from the one before, and the bad one is moved
//! aside, so that it neither replaces a good one nor is lost.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, CheckpointError, Identity};
use base::atomic::WriteError;

/// Where the checkpoints of a run lie.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    newest: PathBuf,
    previous: PathBuf,
    refused: PathBuf,
}

/// A checkpoint to go on from.
#[derive(Debug)]
pub(crate) struct Found {
    pub checkpoint: Checkpoint,
    /// Where it lies.
    pub path: PathBuf,
    /// Why it is not the newest, if it is not.
    pub instead: Option<Instead>,
}

/// Why the newest checkpoint is not the one that is used.
#[derive(Debug)]
pub(crate) enum Instead {
    Missing,
    /// It is of no use and was moved aside.
    Refused {
        /// Why it is of no use.
        reason: CheckpointError,
        /// Where it is now.
        aside: PathBuf,
    },
}

/// Lets the run in `own` go on from the newest checkpoint of the one in `other`, which stays as it
/// is; `false` if the first has one itself, or the second none.
///
/// # Errors
/// A folder that cannot be read, or not be written to.
pub fn inherit(other: &Path, own: &Path) -> io::Result<bool> {
    let (other, own) = (Rotation::new(other), Rotation::new(own));
    if own.last().exists() || !other.last().exists() {
        return Ok(false);
    }
    if let Some(folder) = own.newest.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let partial = own.newest.with_extension("bin.partial");
    std::fs::copy(other.last(), &partial)?;
    std::fs::rename(&partial, &own.newest)?;
    Ok(true)
}

impl Rotation {
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            newest: dir.join("checkpoint.bin"),
            previous: dir.join("checkpoint.previous.bin"),
            refused: dir.join("checkpoint.refused.bin"),
        }
    }

    /// Where the newest checkpoint goes.
    pub(crate) fn newest(&self) -> &Path {
        &self.newest
    }

    /// The checkpoint that the run would go on from now.
    pub(crate) fn last(&self) -> &Path {
        if self.newest.exists() { &self.newest } else { &self.previous }
    }

    /// Saves a checkpoint as the newest.
    pub(crate) fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        checkpoint.save(&self.newest, || rename_if_there(&self.newest, &self.previous))
    }

    /// The newest checkpoint that is whole and of the run of that identity;
    /// `None` if there is no checkpoint at all.
    ///
    /// # Errors
    /// If there are checkpoints but none is of use, or the disk fails.
    pub(crate) fn load(&self, identity: &Identity) -> Result<Option<Found>, CheckpointError> {
        let reason = match usable(&self.newest, identity) {
            Ok(Some(checkpoint)) => {
                let path = self.newest.clone();
                return Ok(Some(Found { checkpoint, path, instead: None }));
            }
            Ok(None) => None,
            Err(error @ CheckpointError::Read { .. }) => return Err(error),
            Err(reason) => Some(reason),
        };
        match (usable(&self.previous, identity), reason) {
            (Ok(None), None) => Ok(None),
            (Ok(Some(checkpoint)), reason) => {
                let instead = self.set_aside(reason)?;
                let path = self.previous.clone();
                Ok(Some(Found { checkpoint, path, instead: Some(instead) }))
            }
            (Ok(None), Some(reason)) | (Err(reason), None) => {
                Err(CheckpointError::Unusable { newest: Box::new(reason), previous: None })
            }
            (Err(previous), Some(reason)) => Err(CheckpointError::Unusable {
                newest: Box::new(reason),
                previous: Some(Box::new(previous)),
            }),
        }
    }

    /// Moves the newest checkpoint away, if there is one and it was refused.
    fn set_aside(&self, reason: Option<CheckpointError>) -> Result<Instead, CheckpointError> {
        let Some(reason) = reason else { return Ok(Instead::Missing) };
        let aside = self.refused.clone();
        rename_if_there(&self.newest, &aside)
            .map_err(|source| WriteError { path: aside.clone(), source })?;
        Ok(Instead::Refused { reason, aside })
    }
}

/// The checkpoint of a file, if there is one and it is of the run.
fn usable(path: &Path, identity: &Identity) -> Result<Option<Checkpoint>, CheckpointError> {
    let checkpoint = Checkpoint::load(path)?;
    if let Some(checkpoint) = &checkpoint {
        checkpoint.belongs_to(identity, path)?;
    }
    Ok(checkpoint)
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::{Cursor, Header};
    use tempfile::TempDir;

    fn identity(seed: &str) -> Identity {
        [("seed".to_owned(), seed.to_owned())].into()
    }

    fn checkpoint(seed: &str, epoch: u32) -> Checkpoint {
        let cursor = Cursor { epoch, ..Cursor::default() };
        let header = Header { identity: identity(seed), cursor, ..Header::default() };
        Checkpoint { header, network: vec![1; 100], ..Checkpoint::default() }
    }

    /// Three checkpoints of the run with seed 1, saved one after the other.
    fn saved() -> (TempDir, Rotation) {
        let dir = tempfile::tempdir().unwrap();
        let rotation = Rotation::new(dir.path());
        for epoch in 1..=3 {
            rotation.save(&checkpoint("1", epoch)).unwrap();
        }
        (dir, rotation)
    }

    fn load(rotation: &Rotation) -> Result<Option<(u32, Option<Instead>)>, CheckpointError> {
        let found = rotation.load(&identity("1"))?;
        Ok(found.map(|found| (found.checkpoint.header.cursor.epoch, found.instead)))
    }

    fn cut(path: &Path) {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }

    #[test]
    fn the_newest_two_are_kept_and_the_newest_is_used() {
        let (dir, rotation) = saved();
        assert!(matches!(load(&rotation), Ok(Some((3, None)))));
        let previous = Checkpoint::load(&rotation.previous).unwrap().unwrap();
        assert_eq!(previous, checkpoint("1", 2));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        let empty = tempfile::tempdir().unwrap();
        assert!(matches!(load(&Rotation::new(empty.path())), Ok(None)));
    }

    #[test]
    fn a_torn_one_is_set_aside_for_the_one_before() {
        let (_dir, rotation) = saved();
        cut(&rotation.newest);
        let found = load(&rotation);
        assert!(
            matches!(
                &found,
                Ok(Some((2, Some(Instead::Refused { reason: CheckpointError::Torn { .. }, aside }))))
                    if aside.exists() && !rotation.newest.exists()
            ),
            "{found:?}"
        );
        // The good one stays the one before when the run goes on.
        assert!(matches!(load(&rotation), Ok(Some((2, Some(Instead::Missing))))));
        assert_eq!(rotation.last(), rotation.previous);
        rotation.save(&checkpoint("1", 3)).unwrap();
        assert_eq!(Checkpoint::load(&rotation.previous).unwrap(), Some(checkpoint("1", 2)));
        assert!(matches!(load(&rotation), Ok(Some((3, None)))));
    }

    #[test]
    fn one_of_another_run_gives_way_to_one_of_this() {
        let (_dir, rotation) = saved();
        rotation.save(&checkpoint("2", 1)).unwrap();
        let found = load(&rotation);
        assert!(
            matches!(
                &found,
                Ok(Some((
                    3,
                    Some(Instead::Refused { reason: CheckpointError::Foreign { .. }, .. })
                )))
            ),
            "{found:?}"
        );
    }

    #[test]
    fn where_neither_is_of_use_both_reasons_are_given_and_nothing_is_moved() {
        let (dir, rotation) = saved();
        cut(&rotation.newest);
        cut(&rotation.previous);
        let text = load(&rotation).unwrap_err().to_string();
        for part in ["checkpoint.bin: ", "checkpoint.previous.bin: ", "cut off", "start the run"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!dir.path().join("checkpoint.refused.bin").exists());
        std::fs::remove_file(&rotation.previous).unwrap();
        let text = load(&rotation).unwrap_err().to_string();
        assert!(text.contains("checkpoint.bin: ") && !text.contains("before it"), "{text}");
    }

    #[test]
    fn a_save_that_fails_leaves_both() {
        let (_dir, rotation) = saved();
        // A folder in the way of the file that is written beside.
        std::fs::create_dir(base::atomic::unfinished(&rotation.newest)).unwrap();
        assert!(rotation.save(&checkpoint("1", 4)).is_err());
        assert!(matches!(load(&rotation), Ok(Some((3, None)))));
        assert_eq!(Checkpoint::load(&rotation.previous).unwrap(), Some(checkpoint("1", 2)));
    }
}
