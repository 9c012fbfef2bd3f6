//! `oplus bench engines`: nodes per second of processor time, beside other engines.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use arena::contender;
use arena::uci::Program;
use base::Observer;
use engine::table::MOST_HASH_MB;
use measure::bench::engines::{Runner, positions};
use report::Format::{Fixed, Text};
use report::{Column, Table};

/// Nodes per second of processor time of this engine and others
///
/// Every engine searches the positions of `oplus bench` with the same number of nodes and one
/// thread; the engines take turns on each position. This engine takes part twice, with PeSTO's
/// tables and with a net. Engines count nodes differently, so ratios only compare versions of one
/// engine against an unchanged other one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench engines
  oplus bench engines stockfish
  oplus bench engines stockfish \"./old-oplus uci\" --nodes 3000000 --net best.oplus")]
pub(super) struct BenchEnginesArgs {
    /// UCI engines: command lines, quoted as in a shell; ratios are to the first
    #[arg(value_name = "ENGINE")]
    engines: Vec<String>,
    /// Net of this engine [default: the bundled net]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Nodes per search
    #[arg(long, default_value_t = 1_000_000, value_parser = RangedU64ValueParser::<u64>::new().range(1_000..))]
    nodes: u64,
    /// Transposition table of each engine, in MiB
    #[arg(long, default_value_t = 16, value_parser = RangedU64ValueParser::<u64>::new().range(1..=MOST_HASH_MB as u64))]
    hash: u64,
}

/// Timeout of a position.
const PATIENCE: Duration = Duration::from_secs(600);

pub(super) fn main(args: BenchEnginesArgs) -> Result<(), Failure> {
    let mut runners = Vec::new();
    for (label, program) in programs(&args)? {
        let runner = Runner::start(&program, stop_flag())?;
        let label = label.unwrap_or_else(|| runner.name().to_owned());
        runners.push((label, runner));
    }
    take_turns(&mut runners, args.nodes)?;
    let reference = runners[0].1.pace().rate();
    let rate = |runner: &Runner| runner.pace().rate();
    let table = Table::of("engines", "Speed of engines", &runners)
        .column(Column::new("engine", "engine", Text), |(label, _)| label)
        .column(Column::new("nodes_per_second", "nodes/s", Fixed(0)), |(_, it)| rate(it))
        .column(Column::new("ratio", "to the first", Fixed(2)), |(_, it)| rate(it) / reference)
        .table();
    println!("{table}");
    println!(
        "seconds of processor time, one thread, {} positions of {} nodes each, tables of {} MiB",
        positions().len(),
        args.nodes,
        args.hash
    );
    Ok(())
}

/// Engines to measure, the others first, then this one, with its labels.
fn programs(args: &BenchEnginesArgs) -> Result<Vec<(Option<String>, Program)>, Failure> {
    let hash = || vec![("Hash".to_owned(), args.hash.to_string())];
    let mut programs = Vec::new();
    for engine in &args.engines {
        let program = contender::program(engine, hash(), PATIENCE);
        programs.push((None, program.map_err(|error| Failure::usage(error.to_string()))?));
    }
    let own = std::env::current_exe().map_err(|error| {
        Failure::message(format!("the path of this program is unknown: {error}"))
    })?;
    let own = own.to_string_lossy().into_owned();
    let evaluation = match &args.net {
        None => vec!["--eval".to_owned(), "net".to_owned()],
        Some(file) => vec!["--net".to_owned(), file.to_string_lossy().into_owned()],
    };
    let pesto = vec!["--eval".to_owned(), "pesto".to_owned()];
    for (label, evaluation) in [("oplus, PeSTO's tables", pesto), ("oplus, its net", evaluation)] {
        let command = [vec![own.clone(), "uci".to_owned()], evaluation].concat();
        let program = Program { command, options: hash(), patience: PATIENCE };
        programs.push((Some(label.to_owned()), program));
    }
    Ok(programs)
}

fn take_turns(runners: &mut [(String, Runner)], nodes: u64) -> Result<(), Failure> {
    let positions = positions();
    let mut progress = Progress::default();
    let searches = (positions.len() * runners.len()) as u64;
    progress.begin("timing the engines", searches, "searches");
    let mut done = 0;
    for position in &positions {
        for (_, runner) in &mut *runners {
            runner.search(position, nodes, stop_flag())?;
            done += 1;
            progress.advance(done, "");
        }
    }
    progress.end(&format!("{searches} searches"));
    Ok(())
}
