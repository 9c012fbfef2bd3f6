//! Reading games and positions with a progress bar.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use base::Observer;
use base::format::{counted, grouped};
use data::inspect::{Inspection, inspect};
use data::{DataError, Defect, Entry, EntryReader, Filter, Game, Ingredient, LoadProgress};
use data::{PositionSample, SamplesByGame, SkipReport, place};
use features::FeatureSet;
use measure::LossTarget;
use nnue::Net;

/// Counts of entries read and skipped.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// Games.
    pub games: u64,
    /// Positions in which a move was played, and those of lists.
    pub positions: u64,
    /// Those of lists.
    pub listed: u64,
    /// What could not be read.
    pub skipped: SkipReport<Defect>,
}

impl Read {
    fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Game(game) => {
                self.games += 1;
                self.positions += game.moves.len() as u64;
            }
            Entry::Position(_) => {
                self.positions += 1;
                self.listed += 1;
            }
        }
    }
}

/// `12 games, 800 positions`.
impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.games > 0 {
            write!(f, "{} games, ", grouped(self.games))?;
        }
        write!(f, "{} positions", grouped(self.positions))
    }
}

/// Calls `take` with all entries of some files, with a progress bar named `stage`; returns their
/// counts.
pub(crate) fn each(
    paths: &[PathBuf],
    stage: &str,
    take: &mut dyn FnMut(Entry) -> Result<(), DataError>,
) -> Result<Read, Failure> {
    let paths = &place::expand(paths)?;
    let mut progress = Progress::default();
    progress.begin(stage, bytes(paths), "bytes");
    let (mut read, mut before, mut entries) = (Read::default(), 0, 0);
    for path in paths {
        let mut reader = EntryReader::open(path)?;
        while let Some(batch) = reader.next_batch(|entry| entry)? {
            for entry in batch {
                match entry {
                    Ok(entry) => {
                        read.add(&entry);
                        take(entry)?;
                    }
                    Err(bad) => read.skipped.add(bad.bad.defect, || bad.message),
                }
                entries += 1;
            }
            if stop_flag().load(Ordering::Relaxed) {
                return Err(Failure::Interrupted("nothing was written"));
            }
            progress.advance(before + reader.bytes_read(), &format!("{} read", grouped(entries)));
        }
        before += reader.finish()?.bytes;
    }
    progress.end("");
    Ok(read)
}

/// Summary of a file, with a progress bar.
pub(crate) fn inspected(path: &Path) -> Result<Inspection, Failure> {
    let mut progress = Progress::default();
    progress.begin(&format!("reading {}", path.display()), bytes(&[path]), "bytes");
    let mut advance = |at: LoadProgress| {
        progress.advance(at.bytes_read, &format!("{} positions", grouped(at.positions)));
    };
    let found = inspect(path, &mut advance, stop_flag())?;
    progress.end(&format!("{} positions", grouped(found.positions)));
    Ok(found)
}

/// All games of some files; reports skipped entries.
pub(crate) fn games(paths: &[PathBuf]) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut positions = 0;
    let read = each(paths, "reading games", &mut |entry| {
        match entry {
            Entry::Game(game) => games.push(game),
            Entry::Position(_) => positions += 1,
        }
        Ok(())
    })?;
    tell_skipped(&read.skipped);
    if positions > 0 {
        eprintln!("warning: {} positions without a game skipped", grouped(positions));
    }
    Ok(games)
}

/// Quiet positions with scores for some feature sets, by game: `most` positions at most, of games drawn by
/// their moves.
pub(crate) fn quiet_games<'f>(
    paths: &[PathBuf],
    most: usize,
    mut sets: impl Iterator<Item = &'f FeatureSet>,
    progress: &mut Progress,
) -> Result<SamplesByGame, Failure> {
    if sets.any(FeatureSet::reads_halfmoves) {
        let ingredients: Vec<Ingredient> = paths.iter().map(Ingredient::new).collect();
        data::check_halfmoves(&ingredients)?;
    }
    let games = SamplesByGame::read(paths, &Filter::default(), most, progress, stop_flag())?;
    tell_skipped(&games.skipped);
    if games.listed > 0 {
        progress.warn(&format!(
            "{} positions are from lists, which have no game boundaries: each counts as a game, and \
             intervals are too narrow",
            grouped(games.listed as u64)
        ));
    }
    Ok(games)
}

/// [`data::sample_positions`] or [`data::some_positions`].
pub(crate) type Draw = fn(
    &Path,
    usize,
    u64,
    &mut dyn FnMut(LoadProgress),
    &AtomicBool,
) -> Result<PositionSample, DataError>;

/// Positions drawn from a file, with a progress bar; reports skipped entries.
pub(crate) fn drawn(
    draw: Draw,
    file: &Path,
    count: usize,
    seed: u64,
    progress: &mut Progress,
) -> Result<PositionSample, DataError> {
    progress.begin(&format!("reading {}", file.display()), bytes(&[file]), "bytes");
    let advance = &mut |at: LoadProgress| {
        progress.advance(at.bytes_read, &counted(at.positions, "position"));
    };
    let sample = draw(file, count, seed, advance, stop_flag())?;
    let found = grouped(sample.positions.len() as u64);
    progress.end(&format!("{found} of {}", counted(sample.of, "position")));
    if sample.skipped.total() > 0 {
        let first = sample.skipped.first().iter().map(|message| format!("\n  {message}"));
        progress.warn(&format!("{}{}", sample.skipped, first.collect::<String>()));
    }
    Ok(sample)
}

/// The end of a command that was interrupted before it printed anything.
pub(crate) const UNPRINTED: Failure = Failure::Interrupted("nothing was printed");

/// Loss and target of the training of a net.
pub(crate) fn target_of(net: &Net, progress: &mut Progress) -> LossTarget {
    LossTarget::of_net(net).unwrap_or_else(|| {
        progress.warn("the provenance of the net has no loss: using the default loss");
        LossTarget::default()
    })
}

/// Bytes of files on disk.
pub(crate) fn bytes(paths: &[impl AsRef<Path>]) -> u64 {
    let paths = paths.iter().map(AsRef::as_ref);
    paths.filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).sum()
}

/// Whether both paths lead to one file, which then must not be written.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// A file is not read and written at once.
pub(crate) fn check_not_read(paths: &[PathBuf], out: &Path) -> Result<(), Failure> {
    match paths.iter().find(|path| is_same_file(path, out)) {
        Some(path) => {
            let path = path.display();
            Err(Failure::usage(format!(
                "`{path}` is both input and output; give another output file"
            )))
        }
        None => Ok(()),
    }
}

/// Files to read, those of folders included; none of them is an output.
pub(crate) fn sources(paths: &[PathBuf], outs: &[&Path]) -> Result<Vec<PathBuf>, Failure> {
    let files = place::expand(paths)?;
    outs.iter().try_for_each(|out| check_not_read(&files, out))?;
    Ok(files)
}

/// Files hold something, all of them.
pub(crate) fn check_not_empty(empty: &[PathBuf]) -> Result<(), Failure> {
    let names: Vec<String> = empty.iter().map(|path| format!("`{}`", path.display())).collect();
    match names.is_empty() {
        true => Ok(()),
        false => {
            Err(Failure::message(format!("no games and no positions in {}", names.join(", "))))
        }
    }
}

/// Reports entries read and skipped.
pub(crate) fn tell_read(read: &Read) {
    println!("read: {read}");
    tell_skipped(&read.skipped);
}

/// Reports skipped entries.
pub(crate) fn tell_skipped(skipped: &SkipReport<Defect>) {
    if skipped.total() > 0 {
        let reasons: Vec<String> = skipped
            .by_reason()
            .map(|(defect, count)| format!("{} {defect}", grouped(count)))
            .collect();
        eprintln!("not read: {} ({})", grouped(skipped.total()), reasons.join(", "));
        skipped.first().iter().for_each(|message| eprintln!("  {message}"));
    }
}
