//! `oplus bench eval`: cost of nets in the search, node for node.

use std::path::PathBuf;
use std::sync::Arc;

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use base::Observer;
use clap::builder::RangedU64ValueParser;
use features::FeatureSet;
use measure::bench::eval::{Course, SearchCost, TimedEvaluator, random_net};
use nnue::{Dispatch, Isa, Layers, Net};
use report::Format::{Fixed, Text};
use report::{Column, Table};

/// Time per node of nets, on PeSTO's search tree
///
/// Every net evaluates the nodes of one search, which uses PeSTO's scores, so that node counts are
/// equal and times compare node for node. Expressions get random weights with two of five neurons
/// active, about as in the nets of Lombardo's thesis; trained nets (--net) may have fewer active
/// neurons and are faster then. Times are those of whole nodes: move generation, ordering, table
/// and net together.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench eval
  oplus bench eval ALL \"ALL + PH + PV\" --rounds 9
  oplus bench eval ALL --layers \"1024 pairwise -> 16 dual -> 32 -> 1, buckets 8\"
  oplus bench eval ALL --isa sse2
  oplus bench eval --net runs/quickstart/RUN/net.oplus")]
pub(super) struct BenchEvalArgs {
    /// Feature expressions; the first is the reference
    expressions: Vec<String>,
    /// Net file to measure as well (repeatable)
    #[arg(long, value_name = "FILE")]
    net: Vec<PathBuf>,
    /// The layers above the features (docs/layers.md): WIDTH -> ... -> 1
    #[arg(long, value_name = "LINE", default_value = "512 -> 32 -> 1")]
    layers: String,
    /// Instruction set [default: the machine's best]
    #[arg(long, value_enum)]
    isa: Option<Isa>,
    /// Depth of the search, in plies
    #[arg(long, default_value_t = 10, value_parser = RangedU64ValueParser::<u32>::new().range(1..=60))]
    depth: u32,
    /// Rounds
    #[arg(long, default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,
}

/// Default sets: those of the thesis with a bar of their own.
const SETS: [&str; 6] =
    ["ALL", "ALL + H + V + D1 + D2", "ALL + PH + PV", "ALL + MC", "ALL + MB", "KING-ALL"];

pub(super) fn main(mut args: BenchEvalArgs) -> Result<(), Failure> {
    if args.expressions.is_empty() && args.net.is_empty() {
        args.expressions = SETS.map(str::to_owned).to_vec();
    }
    let dispatch = dispatch(args.isa)?;
    let nets = nets(&args)?;
    let labels: Vec<&String> = nets.iter().map(|(label, _)| label).collect();
    let stopped = Failure::Interrupted("nothing was measured");
    let course = Course::new(args.depth, stop_flag()).ok_or(stopped)?;
    let mut contenders = vec![course.pesto()];
    contenders.extend(nets.iter().map(|(_, net)| course.net(net.clone(), dispatch)));
    take_turns(&course, &mut contenders, args.rounds)?;
    let costs: Vec<&SearchCost> = contenders.iter().map(TimedEvaluator::cost).collect();
    println!("{}", table(&labels, &costs));
    println!(
        "{} nodes and {} evaluations per round, {} rounds, medians; ns and ratios are of whole nodes",
        costs[0].nodes / args.rounds as u64,
        costs[0].evaluations / args.rounds as u64,
        args.rounds
    );
    println!("{}", instructions(dispatch));
    Ok(())
}

/// The requested instruction set, or the best.
fn dispatch(isa: Option<Isa>) -> Result<Dispatch, Failure> {
    let Some(isa) = isa else { return Ok(Dispatch::best()) };
    Dispatch::new(isa).ok_or_else(|| {
        Failure::usage(format!("--isa {isa}: not on this machine, which has {}", names(true)))
    })
}

/// Sets to measure, and the other known ones.
fn instructions(dispatch: Dispatch) -> String {
    let (isa, here, absent) = (dispatch.isa(), names(true), names(false));
    format!("instructions: {isa}; this machine has {here}, and lacks {absent}")
}

/// The instruction sets that the machine has, or those it lacks.
fn names(available: bool) -> String {
    let sets = Isa::ALL.into_iter().filter(|isa| isa.is_available() == available);
    sets.map(|isa| isa.to_string()).collect::<Vec<_>>().join(", ")
}

/// Nets to measure, with their labels.
fn nets(args: &BenchEvalArgs) -> Result<Vec<(String, Arc<Net>)>, Failure> {
    let layers: Layers = args.layers.parse()?;
    let mut nets = Vec::new();
    for expression in &args.expressions {
        let features = FeatureSet::parse(expression)?;
        let net = random_net(&features, layers.clone())?;
        nets.push((expression.clone(), Arc::new(net)));
    }
    for file in &args.net {
        let net = Net::load(file)?;
        nets.push((file.display().to_string(), Arc::new(net)));
    }
    Ok(nets)
}

fn take_turns(
    course: &Course,
    contenders: &mut [TimedEvaluator],
    rounds: usize,
) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let searches = (rounds * contenders.len()) as u64;
    progress.begin("same tree, other evaluations", searches, "searches");
    let mut done = 0;
    for _ in 0..rounds {
        for contender in &mut *contenders {
            let searched = course.round(contender, stop_flag());
            searched.ok_or(Failure::Interrupted("nothing was measured"))?;
            done += 1;
            progress.advance(done, "");
        }
    }
    progress.end(&format!("{searches} searches"));
    Ok(())
}

/// PeSTO's costs, then those of nets; ratios and counts are of nets alone.
fn table(labels: &[&String], costs: &[&SearchCost]) -> Table {
    let [pesto, nets @ ..] = costs else { return Table::default() };
    let pesto_row = ("PeSTO", *pesto, None);
    let nets = labels.iter().zip(nets).map(|(label, &cost)| (label.as_str(), cost, Some(nets[0])));
    let counted = |key: &str, title: &str, decimals| Column::new(key, title, Fixed(decimals));
    let blocks = |cost: &SearchCost| {
        cost.counts.active_blocks as f64 / cost.counts.evaluations.max(1) as f64
    };
    Table::of("evaluations", "Cost per node", std::iter::once(pesto_row).chain(nets))
        .column(Column::new("evaluation", "evaluation", Text), |(label, ..)| label)
        .column(counted("ns_per_node", "ns per node", 0), |(_, cost, _)| cost.median_ns())
        .column(counted("nodes_per_second", "nodes/s", 0), |(_, cost, _)| 1e9 / cost.median_ns())
        .column(counted("of_pesto", "of PeSTO's", 2), |(_, cost, first)| {
            first.map(|_| pesto.relative_to(cost))
        })
        .column(counted("to_first", "cost to first", 2), |(_, cost, first)| {
            first.map(|first| cost.relative_to(first))
        })
        .column(counted("rows", "accumulator updates/node", 1), |(_, cost, first)| {
            first.map(|_| cost.per_node(|counts| counts.rows))
        })
        .column(counted("refreshes", "refreshes/node", 3), |(_, cost, first)| {
            first.map(|_| cost.per_node(|counts| counts.refreshes))
        })
        .column(counted("refreshed_rows", "refreshed rows/node", 1), |(_, cost, first)| {
            first.map(|_| cost.per_node(|counts| counts.refreshed_rows))
        })
        .column(counted("active_blocks", "active blocks", 0), |(_, cost, first)| {
            first.map(|_| blocks(cost))
        })
        .table()
}
