//! Reading positions while somebody watches.

use std::sync::atomic::AtomicBool;

use super::Observer;
use crate::data::{self, DataError, DataSpec, Dataset};

/// Bytes are shown by the megabyte.
const MEGABYTE: u64 = 1_000_000;

/// Loads a data set, tells how far it is, what came of it and what to know of it.
///
/// # Errors
///
/// As [`data::load`].
pub fn load(
    spec: &DataSpec,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Dataset, DataError> {
    let bytes: u64 =
        spec.train.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    observer.begin("reading positions", bytes.div_ceil(MEGABYTE), "MB");
    let mut advance = |at: data::LoadProgress| {
        observer.advance(at.bytes_read / MEGABYTE, &format!("{} positions", at.kept));
    };
    let dataset = data::load(spec, &mut advance, stop)?;
    observer.end(&dataset.to_string());
    dataset.warnings().iter().for_each(|warning| observer.warn(warning));
    Ok(dataset)
}
