//! The checkpoint pair: the newest and the previous one.
//!
//! A checkpoint is written to a temporary file; the newest becomes the previous one; then the
//! file gets its name. At every moment at least one of the two is whole. If the newest is
//! unusable all the same (a failing disk, a truncated copy), the run resumes from the previous
//! one, and the bad one is renamed, so that it neither replaces a good one nor is lost.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, CheckpointError, Identity};
use base::atomic::WriteError;

/// The paths of a run's checkpoints.
#[derive(Clone, Debug)]
pub(crate) struct CheckpointPair {
    newest: PathBuf,
    previous: PathBuf,
    refused: PathBuf,
}

#[derive(Debug)]
pub(crate) struct LoadedCheckpoint {
    pub checkpoint: Checkpoint,
    pub path: PathBuf,
    /// Set where it is not the newest.
    pub fallback: Option<Fallback>,
}

/// Reason to resume from the previous checkpoint.
#[derive(Debug)]
pub(crate) enum Fallback {
    Missing,
    /// The newest is unusable and was renamed.
    Refused {
        reason: CheckpointError,
        moved_to: PathBuf,
    },
}

/// Copies the newest checkpoint of the run in `other` to the run in `own`; `false` if `own` has one
/// already, or `other` none.
///
/// # Errors
/// A folder that cannot be read, or not be written to.
pub fn inherit(other: &Path, own: &Path) -> io::Result<bool> {
    let (other, own) = (CheckpointPair::new(other), CheckpointPair::new(own));
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

impl CheckpointPair {
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            newest: dir.join("checkpoint.bin"),
            previous: dir.join("checkpoint.previous.bin"),
            refused: dir.join("checkpoint.refused.bin"),
        }
    }

    pub(crate) fn newest(&self) -> &Path {
        &self.newest
    }

    /// The checkpoint that the run resumes from.
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
    pub(crate) fn load(
        &self,
        identity: &Identity,
    ) -> Result<Option<LoadedCheckpoint>, CheckpointError> {
        let reason = match usable(&self.newest, identity) {
            Ok(Some(checkpoint)) => {
                let path = self.newest.clone();
                return Ok(Some(LoadedCheckpoint { checkpoint, path, fallback: None }));
            }
            Ok(None) => None,
            Err(error @ CheckpointError::Read { .. }) => return Err(error),
            Err(reason) => Some(reason),
        };
        match (usable(&self.previous, identity), reason) {
            (Ok(None), None) => Ok(None),
            (Ok(Some(checkpoint)), reason) => {
                let fallback = Some(self.quarantine(reason)?);
                let path = self.previous.clone();
                Ok(Some(LoadedCheckpoint { checkpoint, path, fallback }))
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

    /// Renames the newest checkpoint, if there is one and it was refused.
    fn quarantine(&self, reason: Option<CheckpointError>) -> Result<Fallback, CheckpointError> {
        let Some(reason) = reason else { return Ok(Fallback::Missing) };
        let moved_to = self.refused.clone();
        rename_if_there(&self.newest, &moved_to)
            .map_err(|source| WriteError { path: moved_to.clone(), source })?;
        Ok(Fallback::Refused { reason, moved_to })
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
    use crate::checkpoint::{CheckpointHeader, Cursor};
    use tempfile::TempDir;

    fn identity(seed: &str) -> Identity {
        [("seed".to_owned(), seed.to_owned())].into()
    }

    fn checkpoint(seed: &str, epoch: u32) -> Checkpoint {
        let cursor = Cursor { epoch, ..Cursor::default() };
        let header =
            CheckpointHeader { identity: identity(seed), cursor, ..CheckpointHeader::default() };
        Checkpoint { header, network: vec![1; 100], ..Checkpoint::default() }
    }

    /// Three checkpoints of the run with seed 1, saved one after the other.
    fn saved() -> (TempDir, CheckpointPair) {
        let dir = tempfile::tempdir().unwrap();
        let pair = CheckpointPair::new(dir.path());
        for epoch in 1..=3 {
            pair.save(&checkpoint("1", epoch)).unwrap();
        }
        (dir, pair)
    }

    fn load(pair: &CheckpointPair) -> Result<Option<(u32, Option<Fallback>)>, CheckpointError> {
        let loaded = pair.load(&identity("1"))?;
        Ok(loaded.map(|it| (it.checkpoint.header.cursor.epoch, it.fallback)))
    }

    fn cut(path: &Path) {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }

    #[test]
    fn the_newest_two_are_kept_and_the_newest_is_used() {
        let (dir, pair) = saved();
        assert!(matches!(load(&pair), Ok(Some((3, None)))));
        let previous = Checkpoint::load(&pair.previous).unwrap().unwrap();
        assert_eq!(previous, checkpoint("1", 2));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        let empty = tempfile::tempdir().unwrap();
        assert!(matches!(load(&CheckpointPair::new(empty.path())), Ok(None)));
    }

    #[test]
    fn a_torn_one_is_moved_away_for_the_one_before() {
        let (_dir, pair) = saved();
        cut(&pair.newest);
        let found = load(&pair);
        assert!(
            matches!(
                &found,
                Ok(Some((2, Some(Fallback::Refused { reason: CheckpointError::Torn { .. }, moved_to }))))
                    if moved_to.exists() && !pair.newest.exists()
            ),
            "{found:?}"
        );
        // The good one stays the one before when the run goes on.
        assert!(matches!(load(&pair), Ok(Some((2, Some(Fallback::Missing))))));
        assert_eq!(pair.last(), pair.previous);
        pair.save(&checkpoint("1", 3)).unwrap();
        assert_eq!(Checkpoint::load(&pair.previous).unwrap(), Some(checkpoint("1", 2)));
        assert!(matches!(load(&pair), Ok(Some((3, None)))));
    }

    #[test]
    fn one_of_another_run_gives_way_to_one_of_this() {
        let (_dir, pair) = saved();
        pair.save(&checkpoint("2", 1)).unwrap();
        let found = load(&pair);
        assert!(
            matches!(
                &found,
                Ok(Some((
                    3,
                    Some(Fallback::Refused { reason: CheckpointError::Foreign { .. }, .. })
                )))
            ),
            "{found:?}"
        );
    }

    #[test]
    fn where_neither_is_of_use_both_reasons_are_given_and_nothing_is_moved() {
        let (dir, pair) = saved();
        cut(&pair.newest);
        cut(&pair.previous);
        let text = load(&pair).unwrap_err().to_string();
        for part in ["checkpoint.bin: ", "checkpoint.previous.bin: ", "cut off", "start the run"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!dir.path().join("checkpoint.refused.bin").exists());
        std::fs::remove_file(&pair.previous).unwrap();
        let text = load(&pair).unwrap_err().to_string();
        assert!(text.contains("checkpoint.bin: ") && !text.contains("before it"), "{text}");
    }

    #[test]
    fn a_save_that_fails_leaves_both() {
        let (_dir, pair) = saved();
        // A folder in the way of the file that is written beside.
        std::fs::create_dir(base::atomic::unfinished(&pair.newest)).unwrap();
        assert!(pair.save(&checkpoint("1", 4)).is_err());
        assert!(matches!(load(&pair), Ok(Some((3, None)))));
        assert_eq!(Checkpoint::load(&pair.previous).unwrap(), Some(checkpoint("1", 2)));
    }
}
