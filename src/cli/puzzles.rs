//! `oplus puzzles`: select puzzles, solve them, make them; suites in EPD.

mod epd;
mod flags;
mod json;
mod mine;
mod players;
mod select;
mod solve;

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use data::SkipReport;

/// Solve puzzles and EPD suites; select puzzles, or make them from games
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus puzzles solve datasets/puzzles.csv
  oplus puzzles solve lichess_db_puzzle.csv.zst --preset standard \\
      --player new.oplus --player old.oplus
  oplus puzzles select lichess_db_puzzle.csv.zst --preset thesis --out thesis.list
  oplus puzzles epd wac.epd STS1-STS15_LAN_v3.epd --player bundled --player pesto
  oplus puzzles mine datasets/bootstrap.oarc --count 600 --out puzzles.csv
docs/puzzles.md has the details.")]
pub(super) struct PuzzlesArgs {
    #[command(subcommand)]
    command: PuzzlesCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PuzzlesCommand {
    Solve(Box<solve::PuzzlesSolveArgs>),
    Select(select::PuzzlesSelectArgs),
    Epd(epd::PuzzlesEpdArgs),
    Mine(mine::PuzzlesMineArgs),
}

pub(super) fn main(args: PuzzlesArgs) -> Result<(), Failure> {
    match args.command {
        PuzzlesCommand::Solve(args) => solve::main(*args),
        PuzzlesCommand::Select(args) => select::main(args),
        PuzzlesCommand::Epd(args) => epd::main(args),
        PuzzlesCommand::Mine(args) => mine::main(args),
    }
}

/// Prints the counts of skipped lines, and the first three of them.
fn tell_skipped<R: Ord + Copy + std::fmt::Display>(skipped: &SkipReport<R>) {
    if skipped.total() > 0 {
        eprintln!("{skipped}; the first:");
        skipped.first().iter().for_each(|message| eprintln!("  {message}"));
    }
}
