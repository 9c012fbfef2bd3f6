//! `oplus puzzles`: solve puzzle files, and make them.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::Failure;
use super::progress::{Progress, stop_flag};
use super::uci;
use crate::data::{Game, GameReader};
use crate::engine::Evaluator;
use crate::experiment::Observer;
use crate::puzzles::{
    FixedNodes, OnePly, Outcome, Proportion, Puzzle, PuzzleError, Solver, Summary, read_puzzles,
    run_suite,
};
use crate::selfplay::puzzles::{COLUMNS, MiningConfig, mine};

/// Solve puzzles with a net, or make puzzles from games
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles solve datasets/puzzles.csv --net net.oplus
  oplus puzzles solve lichess_db_puzzle.csv.zst --limit 5000 --nodes 10000
  oplus puzzles mine datasets/bootstrap.viri.zst --count 600 --out puzzles.csv")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Solve a file in the Lichess format, plain or .zst
    Solve {
        /// The puzzles
        file: PathBuf,
        /// The net; without one PeSTO's tables
        #[arg(long, value_name = "FILE")]
        net: Option<PathBuf>,
        /// Nodes per move; 0 for one-ply value
        #[arg(long, default_value_t = 1_000)]
        nodes: u64,
        /// Only the first so many puzzles
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Find positions with one clearly best move in games
    Mine {
        /// Games: PGN or viriformat, plain or .zst
        games: PathBuf,
        /// CSV to write, in the Lichess columns
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Enough puzzles
        #[arg(long, default_value_t = 600)]
        count: usize,
        /// Nodes of each long search
        #[arg(long, default_value_t = MiningConfig::default().nodes)]
        nodes: u64,
        /// Seed of the choice of positions
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The net that judges; PeSTO's tables without one
        #[arg(long, value_name = "FILE")]
        net: Option<PathBuf>,
    },
}

pub fn main(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Solve { file, net, nodes, limit } => {
            let net = uci::load(net.as_deref()).map_err(Failure::from_error)?;
            let set = read_puzzles(&file, limit).map_err(Failure::from_error)?;
            if set.skipped.total() > 0 {
                eprintln!("{} puzzles skipped; the first:", set.skipped.total());
                set.skipped.first().iter().for_each(|message| eprintln!("  {message}"));
            }
            let make_solver = || -> Box<dyn Solver + Send> {
                match nodes {
                    0 => Box::new(OnePly(uci::make(&net))),
                    _ => Box::new(FixedNodes::new(uci::make(&net), nodes, stop_flag())),
                }
            };
            let outcomes = solve(&set.puzzles, &make_solver)?;
            print_summary(&set.puzzles, &outcomes);
            Ok(())
        }
        Command::Mine { games, out, count, nodes, seed, net } => {
            let net = uci::load(net.as_deref()).map_err(Failure::from_error)?;
            let config = MiningConfig { puzzles: count, nodes, seed, ..MiningConfig::default() };
            mine_file(&games, &out, &config, &|| uci::make(&net))
        }
    }
}

fn solve(
    puzzles: &[Puzzle],
    make_solver: &(dyn Fn() -> Box<dyn Solver + Send> + Sync),
) -> Result<Vec<Outcome>, Failure> {
    let mut progress = Progress::default();
    progress.begin("solving", puzzles.len() as u64, "puzzles");
    let shown = Mutex::new(progress);
    let show = |done: u64| {
        // A solver thread that panicked is a bug of ours, not of the display.
        if let Ok(mut progress) = shown.lock() {
            progress.advance(done, "");
        }
    };
    match run_suite(puzzles, make_solver, &show, stop_flag()) {
        Err(PuzzleError::Stopped) => Err(Failure::Stopped("nothing was kept")),
        other => other.map_err(Failure::from_error),
    }
}

fn print_summary(puzzles: &[Puzzle], outcomes: &[Outcome]) {
    let summary = Summary::new(puzzles, outcomes);
    println!("solved         {}", share(summary.solved));
    println!("moves found    {}", share(summary.moves));
    for bucket in &summary.by_rating {
        println!("rated {:>4}–{:<4} {}", bucket.from, bucket.from + 199, share(bucket.solved));
    }
}

/// `123 of 456, 27.0 % (23.1–31.2)`.
fn share(of: Proportion) -> String {
    let interval = of.interval();
    format!(
        "{} of {}, {:.1} % ({:.1}–{:.1})",
        of.successes,
        of.trials,
        100.0 * of.share().unwrap_or(0.0),
        100.0 * interval.low,
        100.0 * interval.high
    )
}

fn mine_file(
    games: &Path,
    out: &Path,
    config: &MiningConfig,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
) -> Result<(), Failure> {
    let games = read_games(games)?;
    let mut writer = csv::Writer::from_path(out).map_err(Failure::from_error)?;
    writer.write_record(COLUMNS).map_err(Failure::from_error)?;
    let mut progress = Progress::default();
    progress.begin("looking for puzzles", config.puzzles as u64, "puzzles");
    let mined = mine(
        &games,
        config,
        make_evaluator,
        &mut |puzzle| writer.write_record(puzzle.row()),
        &mut |at| progress.advance(at.puzzles, &format!("{} games", at.games)),
        stop_flag(),
    )
    .map_err(Failure::from_error)?;
    writer.flush().map_err(Failure::from_error)?;
    progress.end(&format!("{} puzzles in {} games", mined.puzzles, mined.games));
    println!("{}", out.display());
    Ok(())
}

fn read_games(path: &Path) -> Result<Vec<Game>, Failure> {
    let mut reader = GameReader::open(path).map_err(Failure::from_error)?;
    let mut games = Vec::new();
    while let Some(batch) = reader.next_batch(|game| game).map_err(Failure::from_error)? {
        games.extend(batch.into_iter().flatten());
    }
    Ok(games)
}
