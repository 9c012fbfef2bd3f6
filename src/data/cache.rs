//! Positions ready to train on, kept from one run to the next.
//!
//! A file of the cache holds what [`load`](super::load) makes of certain files under certain
//! rules. Its name is the hash of both: what the files contain, not what they are called or
//! how old they are. So it never has to be cleared when something changes, and can be
//! deleted whenever its room is wanted.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `OPLUSPO1` |
//! | 8 | length of the head, u64, little endian |
//! | … | head, JSON: what was read, kept and dropped |
//! | 32 | BLAKE3 of the head and of [`Dataset::hash`] |
//! | 32 each | samples, those to train on before those that validate |

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mixture::Ingredient;
use super::{DataError, DataSpec, Dataset, Sample};
use base::atomic::{WriteError, write_atomically};
use base::{Content, content_of, memory};

const MAGIC: &[u8; 8] = b"OPLUSPO1";

/// Raise it whenever a reader or a filter understands the same bytes otherwise than before.
pub const READING: u32 = 3;

/// A longer head is none.
const LONGEST_HEAD: u64 = 1 << 24;

/// A folder of prepared positions.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// Names what is made of certain files under certain rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(blake3::Hash);

/// Files whose content somebody knows already.
pub type Known<'k> = &'k dyn Fn(&Path) -> Option<Content>;

#[derive(Serialize, Deserialize)]
struct Head<D> {
    /// All of the data set but its samples.
    dataset: D,
    train: usize,
    validation: usize,
}

impl Cache {
    /// In a folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The key of a data set made of these files, in their order. Reads those whose content
    /// is not `known`; `progress` hears how many bytes it has taken in.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn key(
        spec: &DataSpec,
        files: &[Ingredient],
        known: Known<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Key, DataError> {
        let DataSpec { train: _, validation, filter, limit, choices } = spec;
        let (mut read, mut contents) = (0, Vec::with_capacity(files.len()));
        for Ingredient { path, weight } in files {
            let (before, mut count) = (read, |bytes| {
                read = bytes;
                progress(bytes);
            });
            let content = match known(path) {
                Some(content) => content,
                None => content_of(path, &mut |bytes| count(before + bytes))
                    .map_err(|source| DataError::Open { path: path.clone(), source })?,
            };
            contents.push((content, weight));
        }
        let rules = json!({
            "reading": READING, "choices": choices, "filter": filter, "limit": limit,
            "validation": validation, "files": contents,
        });
        Ok(Key(blake3::hash(rules.to_string().as_bytes())))
    }

    /// What was kept under the key of these files, which may have had other names then;
    /// `None` if there is nothing, or if it is damaged.
    pub fn find(&self, key: &Key, files: &[Ingredient]) -> Option<Dataset> {
        let mut file = File::open(self.path(key)).ok()?;
        let mut dataset = read(&mut file).ok().flatten()?;
        for (source, file) in dataset.sources.iter_mut().zip(files) {
            source.path.clone_from(&file.path);
        }
        Some(dataset)
    }

    /// Keeps a data set.
    ///
    /// # Errors
    /// The disk.
    pub fn keep(&self, key: &Key, dataset: &Dataset) -> Result<(), WriteError> {
        let path = self.path(key);
        let failed = |source: io::Error| WriteError { path: path.clone(), source };
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let head =
            Head { dataset, train: dataset.train.len(), validation: dataset.validation.len() };
        let head = serde_json::to_vec(&head).map_err(|error| failed(error.into()))?;
        let length = (head.len() as u64).to_le_bytes();
        let [train, validation] = [&dataset.train, &dataset.validation]
            .map(|samples| bytemuck::cast_slice::<Sample, u8>(samples));
        let checksum = checksum(&head, dataset);
        write_atomically(&path, &[MAGIC, &length, &head, checksum.as_bytes(), train, validation])
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0.to_hex()[..32]).with_extension("positions")
    }
}

fn checksum(head: &[u8], dataset: &Dataset) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    hasher.update(dataset.hash().as_bytes());
    hasher.finalize()
}

/// The data set of a file; `None` if it is not whole.
fn read(file: &mut File) -> io::Result<Option<Dataset>> {
    let mut start = [0; 16];
    file.read_exact(&mut start)?;
    let (magic, length) = start.split_at(MAGIC.len());
    let length = length.try_into().map_or(u64::MAX, u64::from_le_bytes);
    if magic != MAGIC || length > LONGEST_HEAD {
        return Ok(None);
    }
    let (mut text, mut wanted) = (vec![0; length as usize], [0; blake3::OUT_LEN]);
    file.read_exact(&mut text)?;
    file.read_exact(&mut wanted)?;
    let Ok(head) = serde_json::from_slice::<Head<Dataset>>(&text) else { return Ok(None) };
    let rest = file.metadata()?.len() - file.stream_position()?;
    let samples_told = head.train.checked_add(head.validation);
    if samples_told.and_then(|told| told.checked_mul(SAMPLE_BYTES)) != usize::try_from(rest).ok() {
        return Ok(None);
    }
    // What does not fit is left to the reader of the files, who says so.
    if memory::ensure(rest).is_err() {
        return Ok(None);
    }
    let dataset = Dataset {
        train: samples(file, head.train)?,
        validation: samples(file, head.validation)?,
        ..head.dataset
    };
    Ok((checksum(&text, &dataset) == wanted).then_some(dataset))
}

const SAMPLE_BYTES: usize = size_of::<Sample>();

fn samples(file: &mut File, count: usize) -> io::Result<Vec<Sample>> {
    let mut samples = vec![Sample::zeroed(); count];
    file.read_exact(bytemuck::cast_slice_mut(&mut samples))?;
    Ok(samples)
}
