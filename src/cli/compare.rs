//! `oplus compare`: what feature sets bring, what they cost, whether they pay.

use std::path::{Path, PathBuf};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use super::Failure;
use super::command_line::command_line;
use super::progress::Progress;
use super::signals::stop_flag;
use super::threads;
use arena::{OpeningSource, RandomPlies};
use compare::{CompareError, Comparison, Config, compare, config, contestant};
use experiment::preflight;
use report::balance::{self, BalanceReport, BalanceRow};
use report::machine::processor;

/// Compare feature sets: what they bring, what they cost, and whether they pay
///
/// Each is a net file, a run, or an expression of which there are trained nets
/// (all its seeds are taken); the first is the reference. All others meet it at
/// fixed nodes (is the evaluation better?) and at fixed time (does it pay?), and
/// the price of time is measured by a match of the reference against itself with
/// half the time. The games stand in logs beside the page, so that a comparison
/// that was stopped goes on.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus compare ALL \"ALL + PV\"                       all seeds of two sets of the last experiments
  oplus compare old.oplus new.oplus --time-games 1000
  oplus compare base=a.oplus \"with pawns=b.oplus\" --puzzles datasets/puzzles.csv
  oplus compare quickstart:ALL \"quickstart:ALL + PV\" --node-games 200 --time-games 0 --out quick

Games at fixed time want a quiet machine: nothing else should run, and no more games at once than
there are idle cores (--time-concurrency).")]
pub struct Args {
    /// Nets, runs or expressions, the reference first; `NAME=` in front names one
    #[arg(required = true, num_args = 2.., value_name = "SET")]
    sets: Vec<String>,
    /// Nodes per move of the games at fixed nodes
    #[arg(long, default_value_t = 4096)]
    nodes: u64,
    /// Games of each set at fixed nodes, over all its seeds
    #[arg(long, value_name = "GAMES", default_value_t = 400)]
    node_games: usize,
    /// Milliseconds per move of the games at fixed time
    #[arg(long, value_name = "MS", default_value_t = 20)]
    movetime: u32,
    /// Games of each set at fixed time
    #[arg(long, value_name = "GAMES", default_value_t = 200)]
    time_games: usize,
    /// Games that tell what time is worth
    #[arg(long, value_name = "GAMES", default_value_t = 200)]
    price_games: usize,
    /// Book of openings, as in `oplus match`; 8 random plies if absent
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Puzzles in the Lichess format
    #[arg(long, value_name = "FILE")]
    puzzles: Option<PathBuf>,
    /// Nodes per move of the puzzles; 0 for one-ply value
    #[arg(long, value_name = "NODES", default_value_t = 1000)]
    puzzle_nodes: u64,
    /// Rounds in which the cost of a node is measured; fewer than 6 leave its interval open
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Games at once at fixed time; half the cores by default
    #[arg(long, value_name = "GAMES", value_parser = threads::some())]
    time_concurrency: Option<usize>,
    /// Where runs lie
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Folder of the page and the logs
    #[arg(long, value_name = "DIR", default_value = "reports/compare")]
    out: PathBuf,
}

pub fn main(args: Args) -> Result<(), Failure> {
    preflight::folder("--out", &args.out)?;
    let contestants = contestant::find_all(&args.sets, &args.runs).map_err(failure)?;
    let config = config_of(&args);
    let mut progress = Progress::default();
    let logs = args.out.join("games");
    let comparison =
        compare(&contestants, &config, &logs, &mut progress, stop_flag()).map_err(failure)?;
    show(&comparison, &args.out)
}

fn config_of(args: &Args) -> Config {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let openings = match &args.openings {
        Some(path) => OpeningSource::Book { path: path.clone(), plies: None, sequential: false },
        None => OpeningSource::Random { plies: RandomPlies::exactly(8), balance_cp: None },
    };
    let puzzles = args.puzzles.clone();
    Config {
        nodes: args.nodes.max(1),
        node_games: args.node_games,
        movetime: Duration::from_millis(args.movetime.max(1).into()),
        time_games: args.time_games,
        price_games: args.price_games,
        openings,
        seed: args.seed,
        node_concurrency: cores,
        time_concurrency: args.time_concurrency.unwrap_or(cores / 2).max(1),
        rounds: args.rounds.into(),
        depth: 9,
        puzzles: puzzles.map(|file| config::Puzzles { file, nodes: args.puzzle_nodes }),
    }
}

fn show(comparison: &Comparison, folder: &Path) -> Result<(), Failure> {
    let mut page = comparison.page(&processor());
    page.conditions.push(("command".to_owned(), command_line()));
    let written = balance::write(&page, folder).map_err(Failure::from_error)?;
    println!("{}", table(&page));
    if let Some(price) = page.price {
        println!("twice the time is worth {} Elo to {}", price.signed(), page.reference.label);
    }
    for row in &page.rows {
        println!("{}: {}", row.label, row.verdict);
    }
    page.warnings.iter().for_each(|told| println!("warning: {told}"));
    eprintln!("report: {}", written.page.display());
    Ok(())
}

fn table(page: &BalanceReport) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "set".to_owned(),
        format!("Elo, {}", page.node_limit),
        format!("Elo, {}", page.time_limit),
        "expected there".to_owned(),
        "time per node".to_owned(),
        "rows/node".to_owned(),
        "puzzles above".to_owned(),
        "loss".to_owned(),
    ]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.add_row(cells(&page.reference));
    table.add_rows(page.rows.iter().map(cells));
    table
}

fn cells(row: &BalanceRow) -> [String; 8] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "—".to_owned());
    [
        row.label.clone(),
        or_dash(row.at_nodes.map(|(elo, _)| elo.signed())),
        or_dash(row.at_time.map(|(elo, _)| elo.signed())),
        or_dash(row.expected.map(|elo| elo.signed())),
        or_dash(row.cost.map(|cost| cost.plain())),
        or_dash(row.rows_per_node.map(|rows| format!("{rows:.1}"))),
        or_dash(row.puzzle_lead.map(|lead| lead.scaled(100.0).signed())),
        or_dash(row.validation_loss.map(|loss| loss.plain())),
    ]
}

fn failure(error: CompareError) -> Failure {
    match error {
        CompareError::Stopped => Failure::Stopped("called again in the same way it goes on"),
        CompareError::Unknown { .. }
        | CompareError::Ambiguous { .. }
        | CompareError::Variants { .. }
        | CompareError::Twice { .. } => Failure::usage(error.to_string()),
        _ => Failure::from_error(error),
    }
}
