//! `oplus bench eval`: what nets cost the search, node for node.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::RangedU64ValueParser;
use comfy_table::{CellAlignment, Table, presets};

use super::Failure;
use super::progress::{Progress, stop_flag};
use crate::bench::eval::{Contender, SearchCost, random_net};
use crate::experiment::Observer;
use crate::features::FeatureSet;
use crate::nnue::{HiddenActivation, Layers, Net};

/// Cost per node of nets, all of which search the tree of PeSTO
///
/// Every net follows the same search, which is told PeSTO's evaluation, so that
/// node counts are equal and cost is compared node for node. Expressions get
/// random weights; trained nets (--net) have fewer active neurons and are
/// quicker. Costs are those of whole nodes: move generation, ordering, table
/// and net together.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus bench eval
  oplus bench eval ALL \"ALL + PH + PV\" --rounds 9
  oplus bench eval ALL --l1 128 --l2 0 --activation squared-clipped-relu
  oplus bench eval --net runs/quickstart/RUN/net.oplus")]
pub struct Args {
    /// Feature expressions; the first is what the others are compared with
    expressions: Vec<String>,
    /// A net file to measure too (repeatable)
    #[arg(long, value_name = "FILE")]
    net: Vec<PathBuf>,
    /// Feature transformer outputs per perspective; 0 for the linear model
    #[arg(long, default_value_t = 512)]
    l1: usize,
    /// Second hidden layer; 0 for none
    #[arg(long, default_value_t = 32)]
    l2: usize,
    /// What the hidden layers pass through
    #[arg(long, value_enum, default_value_t)]
    activation: HiddenActivation,
    /// Depth of each search, in plies
    #[arg(long, default_value_t = 10, value_parser = RangedU64ValueParser::<u32>::new().range(1..=60))]
    depth: u32,
    /// Turns that each contender takes
    #[arg(long, default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,
}

/// Measured if nothing is asked for: the thesis's sets with a bar of their own.
const SETS: [&str; 6] =
    ["ALL", "ALL + H + V + D1 + D2", "ALL + PH + PV", "ALL + MC", "ALL + MB", "KING-ALL"];

pub fn main(mut args: Args) -> Result<(), Failure> {
    if args.expressions.is_empty() && args.net.is_empty() {
        args.expressions = SETS.map(str::to_owned).to_vec();
    }
    let nets = nets(&args)?;
    let labels: Vec<&String> = nets.iter().map(|(label, _)| label).collect();
    let mut contenders = vec![Contender::pesto()];
    contenders.extend(nets.iter().map(|(_, net)| Contender::net(net.clone())));
    take_turns(&mut contenders, &args)?;
    let costs: Vec<&SearchCost> = contenders.iter().map(Contender::cost).collect();
    println!("{}", table(&labels, &costs));
    println!(
        "{} nodes and {} evaluations per round, {} rounds, medians; ns and ratios are of whole nodes",
        costs[0].nodes / args.rounds as u64,
        costs[0].evaluations / args.rounds as u64,
        args.rounds
    );
    Ok(())
}

/// Every net that is to be measured, and what to call it.
fn nets(args: &Args) -> Result<Vec<(String, Arc<Net>)>, Failure> {
    let layers = Layers::new(args.l1, args.l2, args.activation, 1)
        .map_err(|e| Failure::usage(format!("--{e}: {}", e.help())))?;
    let mut nets = Vec::new();
    for expression in &args.expressions {
        let features = FeatureSet::parse(expression)?;
        let net = random_net(&features, layers).map_err(Failure::from_error)?;
        nets.push((expression.clone(), Arc::new(net)));
    }
    for file in &args.net {
        let net = Net::load(file).map_err(Failure::from_error)?;
        nets.push((file.display().to_string(), Arc::new(net)));
    }
    Ok(nets)
}

fn take_turns(contenders: &mut [Contender], args: &Args) -> Result<(), Failure> {
    let mut progress = Progress::default();
    let searches = (args.rounds * contenders.len()) as u64;
    progress.begin("same tree, other evaluations", searches, "searches");
    let mut done = 0;
    for _ in 0..args.rounds {
        for contender in &mut *contenders {
            let searched = contender.round(args.depth, stop_flag());
            searched.ok_or(Failure::Stopped("nothing was measured"))?;
            done += 1;
            progress.advance(done, "");
        }
    }
    progress.end(&format!("{searches} searches"));
    Ok(())
}

fn table(labels: &[&String], costs: &[&SearchCost]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "evaluation",
        "ns per node",
        "nodes/s",
        "of PeSTO's",
        "cost to first",
        "rows per node",
        "refreshes",
        "rows in them",
    ]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let [pesto, nets @ ..] = costs else { return table };
    let rate = |cost: &SearchCost| {
        let ns = cost.median_ns();
        [format!("{ns:.0}"), format!("{:.0}", 1e9 / ns)]
    };
    table.add_row([vec!["PeSTO".to_owned()], rate(pesto).to_vec()].concat());
    for (label, cost) in labels.iter().zip(nets) {
        let mut row = vec![(*label).clone()];
        row.extend(rate(cost));
        row.extend([
            format!("{:.2}", pesto.relative_to(cost)),
            format!("{:.2}", cost.relative_to(nets[0])),
            format!("{:.1}", cost.per_node(|counts| counts.rows)),
            format!("{:.3}", cost.per_node(|counts| counts.refreshes)),
            format!("{:.1}", cost.per_node(|counts| counts.refreshed_rows)),
        ]);
        table.add_row(row);
    }
    table
}
