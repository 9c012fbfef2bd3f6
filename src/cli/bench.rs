//! `oplus bench`: figures that a reader can repeat.

use std::path::PathBuf;

use super::signals::stop_flag;
use super::techniques::TechniqueFlags;
use super::uci;
use super::{Failure, bench_engines, bench_eval, bench_train};
use engine::bench;
use features::FeatureSet;
use features::catalogue::CATALOGUE;
use measure::bench::features::measure;
use report::Format::{Count, Fixed, Percent, Text};
use report::{Column, Table};

/// Nodes and nodes/s on fixed positions; times of features, nets, engines and training
///
/// The node count is the signature of the search: it is the same on every machine and changes
/// only with the search or the net.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench
  oplus bench --net runs/quickstart/RUN/net.oplus --depth 9
  oplus bench features \"ALL\" \"ALL + PH + PV\"
  oplus bench eval ALL \"ALL + PH + PV\"
  oplus bench engines stockfish
  oplus bench train ALL --layers \"128 -> 16 -> 1\"")]
pub(super) struct BenchArgs {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    /// Net of the engine [default: PeSTO's tables]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Depth of each search, in plies
    #[arg(long, default_value_t = bench::DEPTH)]
    depth: u32,
    #[command(flatten)]
    techniques: TechniqueFlags,
}

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    /// Nanoseconds per list of active features and per incremental update, one core
    Features {
        /// Feature expressions [default: all named sets]
        expressions: Vec<String>,
    },
    Train(bench_train::BenchTrainArgs),
    Eval(bench_eval::BenchEvalArgs),
    Engines(bench_engines::BenchEnginesArgs),
}

pub(super) fn main(args: BenchArgs) -> Result<(), Failure> {
    match args.command {
        Some(BenchCommand::Features { expressions }) => features(expressions),
        Some(BenchCommand::Train(args)) => bench_train::main(args),
        Some(BenchCommand::Eval(args)) => bench_eval::main(args),
        Some(BenchCommand::Engines(args)) => bench_engines::main(args),
        None => search(args),
    }
}

fn search(args: BenchArgs) -> Result<(), Failure> {
    let net = uci::load(args.net.as_deref())?;
    let techniques = args.techniques.techniques();
    let signature =
        bench::run(uci::make(&net), techniques, args.depth, stop_flag(), &mut |_, _| {})
            .ok_or(Failure::Interrupted("nothing was measured"))?;
    println!("{} nodes", signature.nodes);
    println!("{} evaluations", signature.evaluations);
    // As testing frameworks read it.
    println!("{} nodes {:.0} nps", signature.nodes, signature.nodes_per_second());
    Ok(())
}

/// Sums that the thesis trained, measured beside the named sets.
const SUMS: [&str; 3] = ["H + V", "D1 + D2", "ALL + PH + PV"];

fn features(mut expressions: Vec<String>) -> Result<(), Failure> {
    if expressions.is_empty() {
        let named = CATALOGUE.iter().map(|set| set.name);
        expressions = named.chain(SUMS).map(str::to_owned).collect();
    }
    let mut rows = Vec::new();
    for expression in expressions {
        let set = FeatureSet::parse(&expression)?;
        rows.push((expression, set.size(), measure(&set)));
    }
    let ns = |key: &str, title: &str, decimals| Column::new(key, title, Fixed(decimals));
    let table = Table::of("features", "Cost of features", &rows)
        .column(Column::new("features", "features", Text), |(expression, ..)| expression)
        .column(Column::new("size", "size", Count), |(_, size, _)| *size)
        .column(Column::new("active", "active", Fixed(1)), |(.., cost)| cost.active)
        .column(ns("active_ns", "ns per list", 0), |(.., cost)| cost.active_ns)
        .column(Column::new("rows", "rows per move", Fixed(2)), |(.., cost)| cost.rows)
        .column(Column::new("refreshes", "refreshes", Percent(2)), |(.., cost)| cost.refreshes)
        .column(ns("delta_ns", "ns per move", 1), |(.., cost)| cost.delta_ns)
        .column(ns("both_ns", "ns for both", 1), |(.., cost)| cost.both_ns)
        .table();
    println!(
        "{table}\none core, moves of random games, attack and mobility maps included; best of several\nrounds; per perspective, except for the last column: both perspectives with shared maps"
    );
    Ok(())
}
