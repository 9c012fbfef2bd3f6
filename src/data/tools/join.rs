//! Several files as one.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::error::DataError;
use crate::formats::archive::Layout;
use crate::formats::entry::EntryReader;
use crate::formats::writer::{DataWriter, Written};
use crate::skip::SkipReport;
use base::Observer;

/// Writes the entries of some files into one, file behind file, in its own format.
///
/// # Errors
/// A file that cannot be read or written; the stop flag.
pub fn join(
    from: &[PathBuf],
    to: &Path,
    layout: Layout,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Written, DataError> {
    let name = to.file_name().unwrap_or(to.as_os_str());
    observer.begin(&format!("writing {}", name.display()), 0, "entries");
    let (mut writer, mut skipped) = (DataWriter::create(to, layout)?, SkipReport::default());
    let mut written = 0;
    for path in from {
        let mut reader = EntryReader::open(path)?;
        while let Some(batch) = reader.next_good(|entry| entry, &mut skipped)? {
            DataError::if_stopped(stop)?;
            written += batch.len() as u64;
            batch.iter().try_for_each(|entry| writer.write(entry))?;
            observer.advance(written, "");
        }
        reader.finish()?;
    }
    if skipped.total() > 0 {
        observer.warn(&format!("{skipped}; the first: {}", skipped.first().join("; ")));
    }
    observer.end("");
    let written = writer.finish()?;
    written.left_out_warning(to).iter().for_each(|warning| observer.warn(warning));
    Ok(written)
}
