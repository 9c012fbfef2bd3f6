//! `oplus compare`: gain, cost and verdict of feature sets.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use super::Failure;
use super::study::{self, Folders, StudyFlags};
use arena::Limit;
use experiment::Runs;
use experiment::compare::{Comparison, Request};

/// Compare feature sets: Elo, time per node, and verdict at equal time
///
/// A set is a net file, a run, or an expression with trained nets (all its seeds); the first is the
/// reference. All others play it at fixed nodes (better evaluation?), at equal time (does it pay?)
/// and on the clock (same verdict with a real clock?). At equal time the reference searches fixed
/// nodes, and the others as many nodes as fit into the same time, by the measured time per node. A
/// match of the reference against itself with half the time measures the Elo per doubling of time.
/// Every measurement is a job: finished jobs are not repeated, and a stopped or killed comparison
/// resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus compare ALL \"ALL + PV\"                       all seeds of two sets of the last experiments
  oplus compare old.oplus new.oplus --equal-games 2000 --time-games 0
  oplus compare base=a.oplus \"with pawns=b.oplus\" --puzzles datasets/puzzles.csv
  oplus compare quickstart:ALL \"quickstart:ALL + PV\" --node-games 200 --name quick

Games on the clock need an idle machine: no other load, and at most one game per idle core
(--time-concurrency).")]
pub(super) struct CompareArgs {
    /// Nets, runs or expressions, the reference first; `NAME=` in front names one
    #[arg(required = true, num_args = 2.., value_name = "SET")]
    sets: Vec<String>,
    /// Nodes per move of the games at fixed nodes
    #[arg(long, default_value = "4096")]
    nodes: NonZeroU64,
    /// Games per set at fixed nodes, over all its seeds
    #[arg(long, value_name = "GAMES", default_value_t = 400)]
    node_games: u64,
    /// Games per set at equal time, over all its seeds: the reference searches `--nodes`, the others
    /// as many nodes as fit into the same time
    #[arg(long, value_name = "GAMES", default_value_t = 400)]
    equal_games: u64,
    /// Milliseconds per move on the clock
    #[arg(long, value_name = "MS", default_value = "20")]
    movetime: NonZeroU32,
    /// Games per set on the clock
    #[arg(long, value_name = "GAMES", default_value_t = 200)]
    time_games: u64,
    /// Games for the Elo per doubling of time
    #[arg(long, value_name = "GAMES", default_value_t = 200)]
    price_games: u64,
    /// Book of openings, as in `oplus match` [default: 8 random plies]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Puzzle file in the Lichess format
    #[arg(long, value_name = "FILE")]
    puzzles: Option<PathBuf>,
    /// Nodes per move in puzzles; 0 for one ply
    #[arg(long, value_name = "NODES", default_value_t = 1000)]
    puzzle_nodes: u64,
    /// Rounds of the time per node; it has an interval from 6 rounds on
    #[arg(long, default_value_t = measure::SPEED_ROUNDS as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Rounds of node timing for games and puzzles at equal time
    #[arg(long, value_name = "ROUNDS", default_value_t = measure::TIMING_ROUNDS as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    timing_rounds: u16,
    /// Folder of runs
    #[arg(long, value_name = "DIR", default_value = Runs::FOLDER)]
    runs: PathBuf,
    /// Name of the comparison; its folder is DIR/NAME
    #[arg(long, default_value = "compare")]
    name: String,
    /// Folder of the page [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    study: StudyFlags,
}

pub(super) fn main(args: CompareArgs) -> Result<(), Failure> {
    let limits = [
        (Limit::Nodes(args.nodes), args.node_games),
        (Limit::EqualTime(args.nodes), args.equal_games),
        (Limit::MovetimeMs(args.movetime), args.time_games),
    ];
    let request = Request {
        matches: limits.into(),
        price_games: args.price_games,
        openings: args.openings,
        seed: args.seed,
        rounds: args.rounds.into(),
        timing_rounds: args.timing_rounds.into(),
        puzzles: args.puzzles.map(|file| (file, args.puzzle_nodes)),
    };
    let comparison = Comparison::new(args.name, &args.sets, &args.runs, request)?;
    let folders = Folders { runs: Some(args.runs), page: args.out };
    study::main_in(&comparison, &args.study, folders)
}
