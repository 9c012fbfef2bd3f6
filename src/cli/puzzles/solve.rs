//! `oplus puzzles solve`: puzzles in the Lichess format.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use super::flags::{ModeFlags, PresetName, SelectionFlags, on_threads, threads};
use super::players::{Player, players};
use super::{Progress, json, select, stop_flag};
use crate::cli::command_line::command_line;
use crate::cli::threads::some;
use crate::cli::{Failure, output};
use base::Observer;
use experiment::preflight;
use measure::puzzle_page::{PuzzleReport, SuiteFile};
use measure::puzzles::{
    Puzzle, PuzzleAttempt, PuzzleList, PuzzleSet, PuzzleSummary, SolvingMode, run_suite,
};
use report::Provenance;
use report::render::terminal;

/// Solve the puzzles of a file in the Lichess format
///
/// A puzzle is solved if every move is that of the solution; a mating move is always correct. After
/// a wrong move the solution is played and the puzzle continues, for the share of moves found. All
/// players solve the same puzzles, and each is compared with the first, puzzle by puzzle.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles solve datasets/puzzles.csv
  oplus puzzles solve datasets/puzzles.csv --player bundled --player pesto --report reports/puzzles
  oplus puzzles solve lichess_db_puzzle.csv.zst --preset standard \\
      --player new.oplus --player old.oplus
  oplus puzzles solve lichess_db_puzzle.csv.zst --preset thesis --player net.oplus
  oplus puzzles solve lichess_db_puzzle.csv.zst --list hard.list --one-ply --json
  oplus puzzles solve lichess_db_puzzle.csv.zst --min-rating 2200 --max-rating 2800 --count 1000

Without a sample size (--count, --per-bucket, --per-theme) all puzzles that meet the conditions are
solved. At fixed nodes and one ply deep the moves are the same on every machine.")]
pub(super) struct PuzzlesSolveArgs {
    /// Puzzles in the Lichess format, plain or .zst
    file: PathBuf,
    /// A net (FILE.oplus), bundled, pesto or material; repeatable, the first is the reference
    /// [default: bundled]
    #[arg(long = "player", value_name = "PLAYER")]
    players: Vec<String>,
    /// Named selection; other options override its values
    #[arg(long, value_enum)]
    preset: Option<PresetName>,
    /// The puzzles of a frozen list
    #[arg(long, value_name = "LIST")]
    list: Option<PathBuf>,
    /// Accept a list made from another file, such as an earlier version, with the same puzzles
    #[arg(long, requires = "list")]
    other_file: bool,
    /// Simultaneous puzzles [default: half the cores with --movetime, else all]
    #[arg(long, value_name = "THREADS", value_parser = some())]
    threads: Option<usize>,
    /// Write a page with plots and boards, and its numbers as CSV
    #[arg(long, value_name = "FOLDER")]
    report: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    mode: ModeFlags,
    #[command(flatten)]
    selection: SelectionFlags,
}

/// Default nodes of each move.
const NODES: u64 = 1_000;

pub(super) fn main(args: PuzzlesSolveArgs) -> Result<(), Failure> {
    if let Some(path) = &args.report {
        preflight::folder("--report", path)?;
    }
    let began = Instant::now();
    let players = players(&args.players)?;
    let mode = args.mode.mode(args.preset, NODES);
    let threads = threads(args.threads, mode);
    let (set, selection, ids) = puzzles(&args)?;
    let attempts = on_threads(threads, || {
        let attempt = |player: &Player| solve(&set.puzzles, player, mode);
        players.iter().map(attempt).collect::<Result<Vec<_>, _>>()
    })??;
    let fingerprints: Vec<String> =
        players.iter().map(|player| player.evaluation.fingerprint()).collect();
    let suite = SuiteFile {
        path: args.file.display().to_string(),
        blake3: set.source.blake3.clone(),
        selection,
        ids_blake3: ids,
    };
    let (title, mode) = (title(&args.file), mode.to_string());
    let mut report = PuzzleReport::new(title, suite, mode, &set.puzzles, &attempts, &fingerprints);
    let seconds = began.elapsed().as_secs_f64();
    report.provenance = Provenance::here(command_line(), threads, seconds);
    report.warnings = warnings(&set, &args);
    let page = report.page()?;
    match args.json {
        true => output::print_json(&json::of_page(&page, &report, set.skipped.total()))?,
        false => anstream::print!("{}", terminal::coloured_page(&page, terminal::width())),
    }
    if let Some(folder) = &args.report {
        let written = page.write(folder)?;
        eprintln!("report: {}", written.page.display());
    }
    Ok(())
}

/// The puzzles, their selection, and the hash of their ids.
fn puzzles(args: &PuzzlesSolveArgs) -> Result<(PuzzleSet, String, String), Failure> {
    if let Some(path) = &args.list {
        if !args.selection.is_empty() {
            let message = "--list fixes the puzzles; remove the selection options, \
                           or freeze another list with `oplus puzzles select`";
            return Err(Failure::usage(message));
        }
        let list = PuzzleList::read(path)?;
        let set = select::listed(&args.file, &list, args.other_file)?;
        let selection = format!("{} (list {})", list.selection, path.display());
        return Ok((set, selection, list.blake3()));
    }
    let selection = args.selection.selection(args.preset);
    let (set, _) = select::select(&args.file, &selection)?;
    // Puzzles without ids are solved, but a list cannot name them.
    let ids = PuzzleList::freeze(&set, &selection).map_or(String::new(), |list| list.blake3());
    Ok((set, selection.to_string(), ids))
}

fn solve(puzzles: &[Puzzle], player: &Player, mode: SolvingMode) -> Result<PuzzleAttempt, Failure> {
    let mut progress = Progress::default();
    progress.begin(&format!("{}, {mode}", player.name), puzzles.len() as u64, "puzzles");
    let progress = Mutex::new(progress);
    let show = |done: u64| {
        // A solver thread that panicked is a bug of ours, not of the display.
        if let Ok(mut progress) = progress.lock() {
            progress.advance(done, "");
        }
    };
    let make_solver = || mode.solver(player.evaluation.evaluator(), stop_flag());
    let start = Instant::now();
    let outcomes = run_suite(puzzles, &make_solver, &show, stop_flag())?;
    let seconds = start.elapsed().as_secs_f64();
    if let Ok(mut progress) = progress.lock() {
        progress.end(&format!("{} solved", PuzzleSummary::new(puzzles, &outcomes).solved));
    }
    Ok(PuzzleAttempt { player: player.name.clone(), outcomes, seconds })
}

fn title(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    format!("Puzzles: {}", name.trim_end_matches(".zst").trim_end_matches(".csv"))
}

fn warnings(set: &PuzzleSet, args: &PuzzlesSolveArgs) -> Vec<String> {
    let mut warnings = Vec::new();
    if set.skipped.total() > 0 {
        warnings.push(format!("Lines of the file: {}.", set.skipped));
    }
    if args.other_file {
        warnings.push("The list may have been made from another file (--other-file).".to_owned());
    }
    warnings
}
