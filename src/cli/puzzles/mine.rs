//! `oplus puzzles mine`: makes puzzles from games.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::Ordering;

use super::{Progress, stop_flag, tell_skipped};
use crate::cli::inputs::check_not_read;
use crate::cli::{Failure, uci};
use base::Observer;
use base::atomic::WriteError;
use base::partial::PartialFile;
use data::{Game, GameReader, SkipReport};
use engine::Evaluator;
use selfplay::puzzles::{COLUMNS, MiningConfig, mine};

/// Find positions with a single good move in games
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  oplus puzzles mine datasets/bootstrap.oarc --count 600 --out puzzles.csv")]
pub(super) struct PuzzlesMineArgs {
    /// Games: an archive, PGN or viriformat, plain or .zst
    games: PathBuf,
    /// Output CSV, in the Lichess columns
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of puzzles
    #[arg(long, default_value_t = 600)]
    count: usize,
    /// Nodes per long search
    #[arg(long, default_value_t = MiningConfig::default().nodes)]
    nodes: u64,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Net of the searches [default: PeSTO's tables]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

pub(super) fn main(args: PuzzlesMineArgs) -> Result<(), Failure> {
    let PuzzlesMineArgs { games, out, count, nodes, seed, net } = args;
    check_not_read(slice::from_ref(&games), &out)?;
    let net = uci::load(net.as_deref())?;
    let config = MiningConfig { puzzles: count, nodes, seed, ..MiningConfig::default() };
    mine_file(&games, &out, &config, &|| uci::make(&net))
}

fn mine_file(
    games: &Path,
    out: &Path,
    config: &MiningConfig,
    make_evaluator: &(dyn Fn() -> Box<dyn Evaluator> + Sync),
) -> Result<(), Failure> {
    let games = read_games(games)?;
    let unwritable = |source| WriteError { path: out.to_owned(), source };
    let file = PartialFile::create(out).map_err(unwritable)?;
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(COLUMNS)?;
    let mut progress = Progress::default();
    progress.begin("mining puzzles", config.puzzles as u64, "puzzles");
    let mined = mine(
        &games,
        config,
        make_evaluator,
        &mut |puzzle| writer.write_record(puzzle.row()),
        &mut |at| progress.advance(at.puzzles, &format!("{} games", at.games)),
        stop_flag(),
    )?;
    let file = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    if stop_flag().load(Ordering::Relaxed) {
        let partial = file.leave().map_err(unwritable)?;
        eprintln!("{} puzzles so far: {}", mined.puzzles, partial.display());
        return Err(Failure::Interrupted("the output file is unchanged"));
    }
    file.finish().map_err(unwritable)?;
    progress.end(&format!("{} puzzles in {} games", mined.puzzles, mined.games));
    println!("{}", out.display());
    Ok(())
}

fn read_games(path: &Path) -> Result<Vec<Game>, Failure> {
    let mut reader = GameReader::open(path)?;
    let (mut games, mut skipped) = (Vec::new(), SkipReport::default());
    while let Some(batch) = reader.next_good(|game| game, &mut skipped)? {
        games.extend(batch);
    }
    tell_skipped(&skipped);
    Ok(games)
}
