//! Reading positions while somebody watches.

use std::sync::atomic::AtomicBool;

use base::Observer;
use data::cache::{Key, Known};
use data::{self, Cache, DataError, DataSpec, Dataset, Ingredient};

/// Bytes are shown by the megabyte.
const MEGABYTE: u64 = 1_000_000;

/// Loads a data set, tells how far it is, what came of it and what to know of it. What
/// has been loaded before is taken from the cache, if there is one; files whose content is
/// `known` are not read to find it.
///
/// # Errors
/// As [`data::load`].
pub fn load(
    spec: &DataSpec,
    cache: Option<&Cache>,
    known: Known<'_>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    let Some(cache) = cache else { return in_memory(spec, observer, stop) };
    let files = data::expand(&spec.train)?;
    let key = key(spec, &files, known, observer)?;
    if let Some(dataset) = find(cache, &key, &files, observer, stop)? {
        tell(&dataset, observer);
        return Ok(dataset);
    }
    let kept = read(spec, observer, &mut |advance| cache.load(&key, spec, advance, stop));
    if let Err(DataError::Gather(error)) = kept {
        observer.warn(&format!("the positions are not kept for the next call: {error}"));
        return in_memory(spec, observer, stop);
    }
    kept
}

/// The positions kept under a key, looked through: that they are whole, and what is among them.
fn find(
    cache: &Cache,
    key: &Key,
    files: &[Ingredient],
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Option<Dataset>, DataError> {
    let mut begun = false;
    let mut progress = |seen, all| {
        if !std::mem::replace(&mut begun, true) {
            observer.begin("looking through the positions kept", all as u64, "positions");
        }
        observer.advance(seen as u64, "");
    };
    cache.find(key, files, &mut progress, stop)
}

fn in_memory(
    spec: &DataSpec,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    read(spec, observer, &mut |advance| data::load(spec, advance, stop))
}

fn key(
    spec: &DataSpec,
    files: &[Ingredient],
    known: Known<'_>,
    observer: &mut dyn Observer,
) -> Result<Key, DataError> {
    observer.begin("looking for kept positions", megabytes(files), "MB");
    Cache::key(spec, files, known, &mut |bytes| observer.advance(bytes / MEGABYTE, ""))
}

fn megabytes(files: &[Ingredient]) -> u64 {
    let sizes = files.iter().filter_map(|file| file.path.metadata().ok());
    sizes.map(|file| file.len()).sum::<u64>().div_ceil(MEGABYTE)
}

fn tell(dataset: &Dataset, observer: &mut dyn Observer) {
    observer.end(&dataset.to_string());
    dataset.warnings().iter().for_each(|warning| observer.warn(warning));
}

/// Loads by `load`, which tells how far it is.
type Load<'l> = &'l mut dyn FnMut(&mut dyn FnMut(data::LoadProgress)) -> Result<Dataset, DataError>;

fn read(
    spec: &DataSpec,
    observer: &mut dyn Observer,
    load: Load<'_>,
) -> Result<Dataset, DataError> {
    observer.begin("reading positions", megabytes(&data::expand(&spec.train)?), "MB");
    let mut advance = |at: data::LoadProgress| {
        observer.advance(at.bytes_read / MEGABYTE, &format!("{} positions", at.kept));
    };
    let dataset = load(&mut advance)?;
    tell(&dataset, observer);
    Ok(dataset)
}
