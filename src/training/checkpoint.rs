//! The saved training state of a run, in one file.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `OPLUSCKP` |
//! | 4 | format version, u32 |
//! | 4 × 8 | lengths of the four parts that follow, u64 |
//! | … | header, TOML: identity of the run, place in it, finished epochs |
//! | … | weights, a Burn module record |
//! | … | optimiser state, a Burn optimiser record |
//! | … | snapshot: weights of the best epoch, or averaged ones (see `keep`), a Burn module record; may be empty |
//! | 32 | BLAKE3 of all bytes before |
//!
//! Numbers are little endian. The header is TOML because its floats survive
//! being written and read exactly. The *identity* lists what decides the
//! outcome of a run, so that a checkpoint of another run is refused by naming
//! what differs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::history::History;
use base::atomic::{WriteError, replace_atomically};

const MAGIC: &[u8; 8] = b"OPLUSCKP";
const VERSION: u32 = 3;
const CHECKSUM: usize = 32;
const PARTS: usize = 4;
const PREFIX: usize = MAGIC.len() + 4 + PARTS * 8;

/// Inputs and settings that determine the outcome of a run, as names and texts.
pub(crate) type Identity = BTreeMap<String, String>;

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cursor {
    pub epoch: u32,
    /// Batches trained on in the running epoch.
    pub batch: u64,
    /// Sum of their losses.
    pub loss_sum: f64,
    /// Wall time spent on them.
    pub seconds: f64,
}

/// The readable part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckpointHeader {
    pub identity: Identity,
    pub cursor: Cursor,
    #[serde(default)]
    pub history: History,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Checkpoint {
    pub header: CheckpointHeader,
    /// Burn's record of the network.
    pub network: Vec<u8>,
    /// Burn's record of the optimiser.
    pub optimiser: Vec<u8>,
    /// Burn's record of the best or averaged network, if the run keeps one.
    pub snapshot: Option<Vec<u8>>,
}

/// A checkpoint that cannot be written, read or used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("{}: cannot read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{}: not an oplus checkpoint (byte 0: expected the magic `OPLUSCKP`)",
        path.display()
    )]
    Magic { path: PathBuf },
    #[error(
        "{}: checkpoint format version {found}, this program reads version {VERSION}; go on with the program that wrote it, or start the run again in another directory",
        path.display()
    )]
    Version { path: PathBuf, found: u32 },
    #[error(
        "{}: the file has {found} bytes where {expected} are needed; it was cut off",
        path.display()
    )]
    Torn { path: PathBuf, found: u64, expected: u64 },
    #[error(
        "{}: the checksum does not match the content; the file is damaged",
        path.display()
    )]
    Checksum { path: PathBuf },
    #[error("{}: {part} cannot be read: {reason}", path.display())]
    Content { path: PathBuf, part: &'static str, reason: String },
    /// Neither the newest nor the one before is of use.
    #[error(
        "{newest}{}; choose another directory, or move the checkpoints away to start the run again",
        previous.as_ref().map(|error| format!(". The one before it is of no use either: {error}")).unwrap_or_default()
    )]
    Unusable { newest: Box<CheckpointError>, previous: Option<Box<CheckpointError>> },
    #[error(
        "{}: this checkpoint belongs to another run: its {what} is {saved}, here it is {current}",
        path.display()
    )]
    Foreign { path: PathBuf, what: String, saved: String, current: String },
}

impl Checkpoint {
    /// Writes the file whole or not at all. `make_way` is called once all is
    /// on the disk, just before the file gets its name.
    pub(crate) fn save(
        &self,
        path: &Path,
        make_way: impl FnOnce() -> io::Result<()>,
    ) -> Result<(), CheckpointError> {
        let header = toml::to_string(&self.header).map_err(|error| CheckpointError::Content {
            path: path.to_owned(),
            part: "the header to be written",
            reason: error.to_string(),
        })?;
        let snapshot = self.snapshot.as_deref().unwrap_or_default();
        let parts = [header.as_bytes(), &self.network, &self.optimiser, snapshot];
        let prefix = prefix(parts);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&prefix);
        for part in parts {
            hasher.update(part);
        }
        let checksum = hasher.finalize();
        let [header, network, optimiser, snapshot] = parts;
        let pieces = [&prefix, header, network, optimiser, snapshot, checksum.as_bytes()];
        Ok(replace_atomically(path, &pieces, make_way)?)
    }

    /// Reads the file; `None` if there is none.
    pub(crate) fn load(path: &Path) -> Result<Option<Self>, CheckpointError> {
        let failed = |source| CheckpointError::Read { path: path.to_owned(), source };
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(source)),
        };
        let found = file.metadata().map_err(failed)?.len();
        let mut start = Vec::with_capacity(PREFIX);
        file.by_ref().take(PREFIX as u64).read_to_end(&mut start).map_err(failed)?;
        let lengths = lengths(path, &start, found)?;
        let [header, network, optimiser, snapshot] = parts(&mut file, &start, lengths)
            .map_err(failed)?
            .ok_or_else(|| CheckpointError::Checksum { path: path.to_owned() })?;
        let header = std::str::from_utf8(&header)
            .map_err(|error| error.to_string())
            .and_then(|text| toml::from_str(text).map_err(|error| error.to_string()))
            .map_err(|reason| CheckpointError::Content {
                path: path.to_owned(),
                part: "the header",
                reason,
            })?;
        let snapshot = (!snapshot.is_empty()).then_some(snapshot);
        Ok(Some(Self { header, network, optimiser, snapshot }))
    }

    /// Whether this is a checkpoint of the run with that identity.
    pub(crate) fn belongs_to(
        &self,
        identity: &Identity,
        path: &Path,
    ) -> Result<(), CheckpointError> {
        let saved = &self.header.identity;
        let missing = || "not given".to_owned();
        for what in saved.keys().chain(identity.keys()) {
            let (saved, current) = (saved.get(what), identity.get(what));
            if saved != current {
                return Err(CheckpointError::Foreign {
                    path: path.to_owned(),
                    what: what.clone(),
                    saved: saved.cloned().unwrap_or_else(missing),
                    current: current.cloned().unwrap_or_else(missing),
                });
            }
        }
        Ok(())
    }
}

fn prefix(parts: [&[u8]; PARTS]) -> Vec<u8> {
    let mut prefix = MAGIC.to_vec();
    prefix.extend(VERSION.to_le_bytes());
    for part in parts {
        prefix.extend((part.len() as u64).to_le_bytes());
    }
    prefix
}

/// The lengths of the parts, from the first bytes of a file of `found` bytes that has just
/// these parts.
fn lengths(path: &Path, start: &[u8], found: u64) -> Result<[u64; PARTS], CheckpointError> {
    let path = || path.to_owned();
    let torn = |expected: u64| CheckpointError::Torn { path: path(), found, expected };
    if !start.starts_with(&MAGIC[..start.len().min(MAGIC.len())]) {
        return Err(CheckpointError::Magic { path: path() });
    }
    if start.len() < PREFIX {
        return Err(torn((PREFIX + CHECKSUM) as u64));
    }
    let version = u32::from_le_bytes(array(&start[MAGIC.len()..]));
    if version != VERSION {
        return Err(CheckpointError::Version { path: path(), found: version });
    }
    let lengths: [u64; PARTS] =
        std::array::from_fn(|i| u64::from_le_bytes(array(&start[MAGIC.len() + 4 + 8 * i..])));
    let expected =
        lengths.iter().fold((PREFIX + CHECKSUM) as u64, |sum, &length| sum.saturating_add(length));
    if found == expected { Ok(lengths) } else { Err(torn(expected)) }
}

/// The parts behind the first bytes, each in memory of its own, since they may be gigabytes;
/// `None` if the checksum fails.
fn parts(
    file: &mut File,
    start: &[u8],
    lengths: [u64; PARTS],
) -> io::Result<Option<[Vec<u8>; PARTS]>> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(start);
    let mut parts: [Vec<u8>; PARTS] = Default::default();
    for (part, length) in parts.iter_mut().zip(lengths) {
        *part = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact(part)?;
        hasher.update(part);
    }
    let mut checksum = [0; CHECKSUM];
    file.read_exact(&mut checksum)?;
    Ok((hasher.finalize() == checksum).then_some(parts))
}

/// The first `N` bytes of a slice of at least `N`.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::EpochMetrics;

    fn example() -> Checkpoint {
        let identity = [("seed", "1"), ("features", "ALL")];
        let epoch = EpochMetrics {
            epoch: 1,
            step: 10,
            train_loss: 0.1 + 0.2,
            validation_loss: None,
            validation_score_loss: None,
            learning_rate: 5e-4,
            positions: 163_840,
            positions_per_second: 0.1,
            seconds: 1.0 / 3.0,
            waiting: 0.1,
        };
        let mut history = History::default();
        history.push(epoch);
        Checkpoint {
            header: CheckpointHeader {
                identity: identity.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
                cursor: Cursor { epoch: 1, batch: 3, loss_sum: 0.7 / 3.0, seconds: 0.1 },
                history,
            },
            network: (0..=255).collect(),
            optimiser: vec![7; 1000],
            snapshot: Some(vec![1, 2, 3]),
        }
    }

    /// Saves the example, lets `damage` change the file, and loads it.
    fn load_after(damage: impl FnOnce(&mut Vec<u8>)) -> CheckpointError {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        example().save(&path, || Ok(())).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        damage(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        Checkpoint::load(&path).unwrap_err()
    }

    #[test]
    fn survives_writing_and_reading_to_the_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        assert!(Checkpoint::load(&path).unwrap().is_none());
        example().save(&path, || Ok(())).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap(), Some(example()));
        let alone = Checkpoint { snapshot: None, ..example() };
        alone.save(&path, || Ok(())).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap(), Some(alone));
    }

    #[test]
    fn torn_anywhere_it_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        example().save(&path, || Ok(())).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let error = Checkpoint::load(&path).unwrap_err();
            assert!(matches!(error, CheckpointError::Torn { .. }), "{length}: {error}");
        }
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        for place in [8, 12, 20, 28, 36, 50, 400, 700, 1500] {
            load_after(|bytes| bytes[place] ^= 4);
        }
        let error = load_after(|bytes| bytes[0] = b'X');
        assert!(matches!(error, CheckpointError::Magic { .. }), "{error}");
        let error = load_after(|bytes| bytes[8] = 9);
        assert!(matches!(error, CheckpointError::Version { found: 9, .. }), "{error}");
        let error = load_after(|bytes| bytes[70] ^= 1);
        assert!(matches!(error, CheckpointError::Checksum { .. }), "{error}");
        let error = load_after(|bytes| bytes.push(0));
        assert!(matches!(error, CheckpointError::Torn { .. }), "{error}");
        // A length that would overflow every sum.
        let error = load_after(|bytes| bytes[12..20].fill(0xff));
        assert!(matches!(error, CheckpointError::Torn { .. }), "{error}");
    }

    #[test]
    fn another_run_is_refused_by_its_difference() {
        let path = Path::new("runs/x/checkpoint.bin");
        let checkpoint = example();
        let mut identity = checkpoint.header.identity.clone();
        assert!(checkpoint.belongs_to(&identity, path).is_ok());
        identity.insert("seed".into(), "2".into());
        let error = checkpoint.belongs_to(&identity, path).unwrap_err().to_string();
        assert!(error.contains("its seed is 1, here it is 2"), "{error}");
        identity.insert("seed".into(), "1".into());
        identity.insert("l1".into(), "64".into());
        let error = checkpoint.belongs_to(&identity, path).unwrap_err().to_string();
        assert!(error.contains("its l1 is not given, here it is 64"), "{error}");
    }
}
