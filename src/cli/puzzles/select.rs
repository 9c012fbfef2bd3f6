//! `oplus puzzles select`: freezes a selection as a list.

use std::path::{Path, PathBuf};
use std::slice;

use super::flags::{PresetName, SelectionFlags};
use super::{Progress, stop_flag, tell_skipped};
use crate::cli::Failure;
use crate::cli::inputs::check_not_read;
use base::Observer;
use experiment::preflight;
use measure::puzzles::source::OnRead;
use measure::puzzles::{
    PuzzleError, PuzzleList, PuzzleSet, Selection, SelectionCounts, listed_puzzles, select_puzzles,
};

/// Sample puzzles from a file and freeze the selection as a list
///
/// The file is streamed, and may have any size. The sample depends on the seed and the puzzle ids
/// alone; a puzzle sampled for several strata counts for all of them. The list has the names and
/// hashes of the file and the selection, which `solve --list` checks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles select lichess_db_puzzle.csv.zst --preset standard --out standard.list
  oplus puzzles select lichess_db_puzzle.csv.zst --min-rating 2200 --max-rating 2800 --count 1000 \\
      --out hard.list
  oplus puzzles select lichess_db_puzzle.csv.zst --theme zugzwang --per-bucket 50 --out z.list
  oplus puzzles solve lichess_db_puzzle.csv.zst --list hard.list --player net.oplus")]
pub(super) struct PuzzlesSelectArgs {
    /// Puzzles in the Lichess format, plain or .zst
    file: PathBuf,
    /// Output list
    #[arg(long, value_name = "LIST")]
    out: PathBuf,
    /// Named selection; other options override its values
    #[arg(long, value_enum)]
    preset: Option<PresetName>,
    #[command(flatten)]
    selection: SelectionFlags,
}

pub(super) fn main(args: PuzzlesSelectArgs) -> Result<(), Failure> {
    preflight::file("--out", &args.out)?;
    check_not_read(slice::from_ref(&args.file), &args.out)?;
    let selection = args.selection.selection(args.preset);
    let (set, counts) = select(&args.file, &selection)?;
    let list = PuzzleList::freeze(&set, &selection)?;
    list.write(&args.out)?;
    println!("selected   {} puzzles: {selection}", set.puzzles.len());
    println!("eligible   {counts}");
    println!("{:11}BLAKE3 {}", "list", list.blake3());
    println!("{}", args.out.display());
    Ok(())
}

/// Reading more puzzles takes seconds.
const LONG: u64 = 200_000;

/// Draws a selection with progress; reports skipped lines.
pub(super) fn select(
    file: &Path,
    selection: &Selection,
) -> Result<(PuzzleSet, SelectionCounts), Failure> {
    let stop = stop_flag();
    let read = |on_read: OnRead<'_>| select_puzzles(file, selection, on_read, stop);
    let (set, counts) = watched(file, read, |(_, counts)| counts.to_string())?;
    tell_skipped(&set.skipped);
    Ok((set, counts))
}

/// Reads the puzzles of a list with progress; reports skipped lines.
pub(super) fn listed(file: &Path, list: &PuzzleList, any_file: bool) -> Result<PuzzleSet, Failure> {
    let stop = stop_flag();
    let read = |on_read: OnRead<'_>| listed_puzzles(file, list, any_file, on_read, stop);
    let set = watched(file, read, |set| format!("{} of the list", set.puzzles.len()))?;
    tell_skipped(&set.skipped);
    Ok(set)
}

/// Shows the progress of reading; its result only if it took some time.
fn watched<T>(
    file: &Path,
    read: impl FnOnce(OnRead<'_>) -> Result<T, PuzzleError>,
    summary: impl FnOnce(&T) -> String,
) -> Result<T, Failure> {
    let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
    let mut progress = Progress::default();
    progress.begin("reading puzzles", bytes, "bytes");
    let mut is_long = false;
    let result = read(&mut |bytes, puzzles| {
        is_long = puzzles >= LONG;
        progress.advance(bytes, &format!("{puzzles} puzzles"));
    });
    let result = result?;
    if is_long {
        progress.end(&summary(&result));
    }
    Ok(result)
}
