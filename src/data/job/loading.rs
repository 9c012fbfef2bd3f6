//! Loads data sets with progress.

use std::sync::atomic::AtomicBool;

use crate::cache::{CacheKey, Known};
use crate::dataset;
use crate::{Cache, DataError, DataSpec, Dataset, Ingredient, LoadProgress};
use base::Observer;

const MEGABYTE: u64 = 1_000_000;

/// Loads a data set, from the cache if it has it, and reports progress, content and warnings.
/// Files whose content is `known` are not hashed.
///
/// # Errors
/// As [`dataset::load`].
pub fn load(
    spec: &DataSpec,
    cache: Option<&Cache>,
    known: Known<'_>,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    let Some(cache) = cache else { return in_memory(spec, observer, stop) };
    let files = dataset::expand(&spec.train)?;
    let key = key(spec, &files, known, observer)?;
    if let Some(dataset) = find(cache, &key, &files, observer, stop)? {
        report(&dataset, observer);
        return Ok(dataset);
    }
    let kept = read(spec, observer, &mut |advance| cache.load(&key, spec, advance, stop));
    if let Err(DataError::Gather(error)) = kept {
        observer.warn(&format!("the positions are not kept for the next call: {error}"));
        return in_memory(spec, observer, stop);
    }
    kept
}

/// The cached positions of a key, verified and counted.
fn find(
    cache: &Cache,
    key: &CacheKey,
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
    read(spec, observer, &mut |advance| dataset::load(spec, advance, stop))
}

fn key(
    spec: &DataSpec,
    files: &[Ingredient],
    known: Known<'_>,
    observer: &mut dyn Observer,
) -> Result<CacheKey, DataError> {
    observer.begin("looking for kept positions", megabytes(files), "MB");
    Cache::key(spec, files, known, &mut |bytes| observer.advance(bytes / MEGABYTE, ""))
}

fn megabytes(files: &[Ingredient]) -> u64 {
    let sizes = files.iter().filter_map(|file| file.path.metadata().ok());
    sizes.map(|file| file.len()).sum::<u64>().div_ceil(MEGABYTE)
}

fn report(dataset: &Dataset, observer: &mut dyn Observer) {
    observer.end(&dataset.to_string());
    dataset.warnings().iter().for_each(|warning| observer.warn(warning));
}

type Load<'l> = &'l mut dyn FnMut(&mut dyn FnMut(LoadProgress)) -> Result<Dataset, DataError>;

fn read(
    spec: &DataSpec,
    observer: &mut dyn Observer,
    load: Load<'_>,
) -> Result<Dataset, DataError> {
    observer.begin("reading positions", megabytes(&dataset::expand(&spec.train)?), "MB");
    let mut advance = |at: LoadProgress| {
        observer.advance(at.bytes_read / MEGABYTE, &format!("{} positions", at.kept));
    };
    let dataset = load(&mut advance)?;
    report(&dataset, observer);
    Ok(dataset)
}
