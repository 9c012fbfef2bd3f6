//! Reading games and positions with a progress bar.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::cli::Failure;
use crate::cli::net::is_same_file;
use crate::cli::progress::{Progress, stop_flag};
use crate::data::{DataError, Defect, Entry, EntryReader, Game, SkipReport, place};
use crate::experiment::Observer;
use crate::report::format::grouped;

/// Shows all entries of some files to `take`, with a progress bar named `stage`; what
/// could not be read.
pub fn each(
    paths: &[PathBuf],
    stage: &str,
    take: &mut dyn FnMut(Entry) -> Result<(), DataError>,
) -> Result<SkipReport<Defect>, Failure> {
    let paths = &place::expand(paths).map_err(Failure::from_error)?;
    let mut progress = Progress::default();
    progress.begin(stage, bytes(paths), "bytes");
    let (mut skipped, mut before, mut entries) = (SkipReport::default(), 0, 0);
    for path in paths {
        let mut reader = EntryReader::open(path).map_err(Failure::from_error)?;
        while let Some(batch) = reader.next_batch(|entry| entry).map_err(Failure::from_error)? {
            for entry in batch {
                match entry {
                    Ok(entry) => take(entry).map_err(Failure::from_error)?,
                    Err(bad) => skipped.add(bad.bad.defect, || bad.message),
                }
                entries += 1;
            }
            if stop_flag().load(Ordering::Relaxed) {
                return Err(Failure::Stopped("nothing was written"));
            }
            progress.advance(before + reader.bytes_read(), &format!("{} read", grouped(entries)));
        }
        before += reader.finish().map_err(Failure::from_error)?.bytes;
    }
    progress.end("");
    Ok(skipped)
}

/// All games of some files; what could not be read is told.
pub fn games(paths: &[PathBuf]) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut positions = 0;
    let skipped = each(paths, "reading games", &mut |entry| {
        match entry {
            Entry::Game(game) => games.push(game),
            Entry::Position(_) => positions += 1,
        }
        Ok(())
    })?;
    tell_skipped(&skipped);
    if positions > 0 {
        eprintln!("warning: {} positions without a game passed over", grouped(positions));
    }
    Ok(games)
}

/// Bytes of files on disk.
pub fn bytes(paths: &[PathBuf]) -> u64 {
    paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).sum()
}

/// A file is not read and written at once.
pub fn check_not_read(paths: &[PathBuf], out: &Path) -> Result<(), Failure> {
    match paths.iter().find(|path| is_same_file(path, out)) {
        Some(path) => {
            let path = path.display();
            Err(Failure::usage(format!("`{path}` would be read and written at once")))
        }
        None => Ok(()),
    }
}

/// Says what could not be read.
pub fn tell_skipped(skipped: &SkipReport<Defect>) {
    if skipped.total() > 0 {
        eprintln!("not read: {}", skipped.total());
        skipped.first().iter().for_each(|message| eprintln!("  {message}"));
    }
}
