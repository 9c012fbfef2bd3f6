//! Positions ready to train on, kept from one run to the next.
//!
//! A file of the cache holds the samples of certain files under certain rules. Its name is the
//! hash of both: of the files' contents, not of their names or ages. So the cache never has to be
//! cleared when something changes, and can be deleted to make room.
//!
//! | bytes | content |
//! |---|---|
//! | 32 each | samples, those to train on before those that validate |
//! | … | head, JSON: counts of positions read, kept and dropped |
//! | 32 | BLAKE3 of the head and of [`Dataset::hash`] |
//! | 8 | length of the head, u64, little endian |
//! | 8 | magic `OPLUSPO2` |
//!
//! The head stands behind the samples, so that samples are written while files are
//! read: they may exceed the memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tempfile::NamedTempFile;

use crate::error::DataError;
use crate::samples::dataset::{self, DataSpec, Dataset, Destination, LoadProgress, Scratch};
use crate::samples::filter::Filter;
use crate::samples::inventory::Inventory;
use crate::samples::mixture::Ingredient;
use crate::samples::sample::Sample;
use crate::samples::spill::SpillVec;
use crate::samples::store::Samples;
use base::{Content, content_of};

const MAGIC: &[u8; 8] = b"OPLUSPO2";

/// Ending of a file that is not whole yet.
const PARTIAL: &str = ".partial";

/// Bytes behind the head.
const END_BYTES: usize = blake3::OUT_LEN + 8 + MAGIC.len();

/// Version of readers and filters: raised when one makes other samples of the same bytes.
pub const READING: u32 = 4;

/// Longer heads are refused.
const LONGEST_HEAD: u64 = 1 << 24;

/// A folder of prepared positions.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// The key of samples made of certain files under certain rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheKey(blake3::Hash);

/// Content of a file, where it is known already.
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
    /// is not `known`; `progress` gets the bytes read so far.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn key(
        spec: &DataSpec,
        files: &[Ingredient],
        known: Known<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<CacheKey, DataError> {
        let DataSpec { train: _, validation, filter, limit, choices } = spec;
        let (mut read, mut contents) = (0, Vec::with_capacity(files.len()));
        for Ingredient { path, weight, .. } in files {
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
        let of_net = |net: PathBuf| {
            content_of(&net, &mut |_| {}).map_err(|source| DataError::Open { path: net, source })
        };
        let filter: Filter<Content> = filter.clone().with_net(of_net)?;
        let rules = json!({
            "reading": READING, "choices": choices, "filter": filter, "limit": limit,
            "validation": validation, "files": contents,
        });
        Ok(CacheKey(blake3::hash(rules.to_string().as_bytes())))
    }

    /// The data set under the key of these files, which may have had other names then; `None` if
    /// there is none, or if it is damaged. `progress` gets the numbers of samples checked and of all.
    ///
    /// # Errors
    /// The stop flag.
    pub fn find(
        &self,
        key: &CacheKey,
        files: &[Ingredient],
        progress: &mut dyn FnMut(usize, usize),
        stop: &AtomicBool,
    ) -> Result<Option<Dataset>, DataError> {
        let Ok(mut file) = File::open(self.path(key)) else { return Ok(None) };
        let mut watch = |seen, all| {
            progress(seen, all);
            match stop.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let found = read(&mut file, &mut watch).ok().flatten();
        if stop.load(Ordering::Relaxed) {
            return Err(DataError::Stopped);
        }
        Ok(found.map(|mut dataset| {
            for (source, file) in dataset.sources.iter_mut().zip(files) {
                source.path.clone_from(&file.path);
            }
            dataset
        }))
    }

    /// Loads a data set and keeps it. Its samples never are in the memory all at once.
    ///
    /// # Errors
    /// As [`load`](dataset::load); [`DataError::Gather`] if they cannot be kept, which does
    /// not prevent loading them.
    pub fn load(
        &self,
        key: &CacheKey,
        spec: &DataSpec,
        progress: &mut dyn FnMut(LoadProgress),
        stop: &AtomicBool,
    ) -> Result<Dataset, DataError> {
        let file = self.begin(key).map_err(DataError::Gather)?;
        let scratch = Scratch::Folder(self.folder.clone());
        let train = SpillVec::in_file(file.reopen().map_err(DataError::Gather)?);
        let destination = Destination { train, validation: scratch.spill()?, scratch };
        let (dataset, Destination { train, mut validation, .. }) =
            dataset::read(spec, None, destination, progress, stop)?;
        let counts = [train.len(), validation.len()];
        let mut samples = train.into_file()?;
        validation
            .with(|validation| samples.write_all(bytemuck::cast_slice(validation)))?
            .and_then(|()| complete(dataset, samples, counts))
            .and_then(|dataset| {
                file.as_file().sync_all()?;
                file.persist(self.path(key)).map_err(|error| error.error)?;
                Ok(dataset)
            })
            .map_err(DataError::Gather)
    }

    /// An empty file that takes the name of a key when it is whole and is locked until then.
    /// Removes files without a lock, the remains of killed processes.
    fn begin(&self, key: &CacheKey) -> io::Result<NamedTempFile> {
        std::fs::create_dir_all(&self.folder)?;
        // Whether processes of other machines that share the folder still live is not known here.
        let partial = format!(".{}{PARTIAL}", base::host().unwrap_or_default());
        for entry in std::fs::read_dir(&self.folder)?.flatten() {
            let path = entry.path();
            let is_partial = path.as_os_str().to_string_lossy().ends_with(&partial);
            if is_partial && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
                std::fs::remove_file(path)?;
            }
        }
        let prefix = format!("{}.", &key.0.to_hex()[..32]);
        let file =
            tempfile::Builder::new().prefix(&prefix).suffix(&partial).tempfile_in(&self.folder)?;
        // Where files cannot be locked nothing is lost but the space of old files.
        let _ = file.as_file().try_lock();
        Ok(file)
    }

    pub(super) fn path(&self, key: &CacheKey) -> PathBuf {
        self.folder.join(&key.0.to_hex()[..32]).with_extension("positions")
    }
}

/// Writes the end of a file of samples, and takes them from there.
fn complete(dataset: Dataset, mut file: File, counts: [usize; 2]) -> io::Result<Dataset> {
    let looked = look(&file, counts, &mut |_| ControlFlow::Continue(()))?;
    let (ControlFlow::Continue(inventory) | ControlFlow::Break(inventory)) = looked;
    let [train, validation] = Samples::of_file(&file, counts)?;
    let dataset = Dataset { train, validation, inventory, ..dataset };
    let [train, validation] = counts;
    let head = serde_json::to_vec(&Head { dataset: &dataset, train, validation })?;
    file.write_all(&head)?;
    file.write_all(checksum(&head, &dataset).as_bytes())?;
    file.write_all(&(head.len() as u64).to_le_bytes())?;
    file.write_all(MAGIC)?;
    Ok(dataset)
}

/// The inventory of a file, through a mapping of its own: the system
/// keeps pages in memory that have been mapped and read, as long as they are mapped.
fn look(
    file: &File,
    counts: [usize; 2],
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> io::Result<ControlFlow<Inventory, Inventory>> {
    let [train, validation] = Samples::of_file(file, counts)?;
    Ok(Inventory::watched(&train, &validation, watch))
}

fn checksum(head: &[u8], dataset: &Dataset) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    hasher.update(dataset.hash().as_bytes());
    hasher.finalize()
}

/// The data set of a file, counted and hashed; `watch` gets the numbers of samples read and of all.
/// `None` if the file is not whole, or `watch` stopped.
fn read(
    file: &mut File,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> io::Result<Option<Dataset>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::End(-(END_BYTES as i64)))?;
    let mut end = [0; END_BYTES];
    file.read_exact(&mut end)?;
    let (wanted, rest) = end.split_at(blake3::OUT_LEN);
    let (head_length, magic) = rest.split_at(8);
    let head_length = head_length.try_into().map_or(u64::MAX, u64::from_le_bytes);
    let samples_length = length.checked_sub(END_BYTES as u64 + head_length.min(length));
    let Some(samples_length) = samples_length else { return Ok(None) };
    if magic != MAGIC || head_length > LONGEST_HEAD {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(samples_length))?;
    let mut text = vec![0; head_length as usize];
    file.read_exact(&mut text)?;
    let Ok(head) = serde_json::from_slice::<Head<Dataset>>(&text) else { return Ok(None) };
    let samples = head.train.checked_add(head.validation);
    if samples.and_then(|samples| samples.checked_mul(size_of::<Sample>()))
        != usize::try_from(samples_length).ok()
    {
        return Ok(None);
    }
    let (counts, all) = ([head.train, head.validation], head.train + head.validation);
    let looked = look(file, counts, &mut |seen| watch(seen, all))?;
    let ControlFlow::Continue(inventory) = looked else { return Ok(None) };
    let [train, validation] = Samples::of_file(file, counts)?;
    let dataset = Dataset { train, validation, inventory, ..head.dataset };
    Ok((checksum(&text, &dataset) == *wanted).then_some(dataset))
}
