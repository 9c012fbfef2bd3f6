//! `oplus data convert`: from one format to another.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::archive::{Access, Layout, Mode};
use crate::cli::Failure;
use crate::cli::progress::{Progress, stop_flag};
use crate::data::{DataError, Defect, GameFile, GameReader, SkipReport, Unsaid};
use crate::experiment::Observer;

/// Write games in another format
///
/// Formats are told by the names of the files: `.oarc` (archive), `.pgn`, `.viri`
/// (viriformat), `.data` (bulletformat), `.txt` (`FEN | score | result`), each also
/// compressed (`.zst`). What the new format cannot say is counted and named.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// How closely an archive looks at moves
    #[arg(long, value_enum, default_value = "best")]
    mode: Mode,
    /// What can be read alone in an archive
    #[arg(long, value_enum, default_value = "block")]
    access: Access,
    /// Games of a block in an archive
    #[arg(long, value_name = "GAMES", default_value_t = Layout::default().block)]
    block: usize,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let is_source = |path: &PathBuf| same(path, &args.to);
    if let Some(path) = args.from.iter().find(|path| is_source(path)) {
        let path = path.display();
        return Err(Failure::usage(format!("`{path}` would be read and written at once")));
    }
    let layout = Layout { mode: args.mode, access: args.access, block: args.block };
    let mut file = GameFile::create(&args.to, layout).map_err(Failure::from_error)?;
    let mut skipped = SkipReport::default();
    let mut progress = Progress::default();
    progress.begin("converting", bytes(&args.from), "bytes");
    let mut before = 0;
    for path in &args.from {
        before += copy(path, &mut file, &mut skipped, before, &mut progress)
            .map_err(Failure::from_error)?;
    }
    let exported = file.finish().map_err(Failure::from_error)?;
    progress.end(&format!("{} games, {} positions", exported.games, exported.positions));
    tell("not read", skipped.first(), skipped.total());
    for (unsaid, count) in exported.left_out.by_reason() {
        let what = match unsaid {
            Unsaid::Game => "games left out",
            Unsaid::Score => "positions left out for want of a score",
            Unsaid::Result => "games left out for want of a result",
        };
        eprintln!("{what}: {count}");
    }
    tell("the first left out", exported.left_out.first(), exported.left_out.total());
    println!("{}", args.to.display());
    Ok(())
}

fn tell(what: &str, first: &[String], total: u64) {
    if total > 0 {
        eprintln!("{what} ({total}):");
        first.iter().for_each(|message| eprintln!("  {message}"));
    }
}

fn bytes(paths: &[PathBuf]) -> u64 {
    paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).sum()
}

/// Copies the games of a file; how many bytes it had.
fn copy(
    path: &Path,
    file: &mut GameFile,
    skipped: &mut SkipReport<Defect>,
    before: u64,
    progress: &mut Progress,
) -> Result<u64, DataError> {
    let mut reader = GameReader::open(path)?;
    let mut number = 0;
    while let Some(batch) = reader.next_batch(|game| game)? {
        for entry in batch {
            number += 1;
            match entry {
                Ok(game) => file.write(&game)?,
                Err(bad) => skipped.add(bad.defect, || reader.message(number, &bad)),
            }
        }
        if stop_flag().load(Ordering::Relaxed) {
            return Err(DataError::Stopped);
        }
        let games = file.exported().games;
        progress.advance(before + reader.bytes_read(), &format!("{games} games"));
    }
    Ok(reader.finish()?.bytes)
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
