//! `oplus ablate`: worth of each part of the search.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use super::Failure;
use super::progress::Progress;
use super::signals::stop_flag;
use arena::{Limit, NetId, Trinomial};
use base::Key;
use engine::{Margin, Technique};
use experiment::preflight;
use measure::{Ablated, Ablation};
use nnue::Net;
use plan::{Control, Ending, Plan, Results, RunDir};
use report::Format::{Count, Factor, Signed, Text};
use report::{Column, Table};

/// Play the engine without a part of its search against the whole
///
/// Every part is a switch. All matches use the same openings, each with both colours; the table
/// has the gain from the part in Elo, and the nodes to the same depth without it as a multiple of
/// those with it. The judged engine is always the one with the part, also of parts that are off in
/// play. Results are kept, and a stopped run resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus ablate                                     every part, PeSTO's tables, 3000 nodes a move
  oplus ablate null-move late-move-reduction --games 1000
  oplus ablate --net runs/quickstart/RUN/net.oplus --movetime 20
  oplus ablate --list                              the parts and what they do")]
pub(super) struct AblateArgs {
    /// Parts to switch, one at a time; all if none are named
    #[arg(hide_possible_values = true)]
    parts: Vec<Technique>,
    /// List the parts and the margins
    #[arg(long)]
    list: bool,
    /// The net; without one the engine evaluates with PeSTO's tables
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Nodes per move
    #[arg(long, default_value_t = Ablation::NODES, conflicts_with = "movetime")]
    nodes: NonZeroU64,
    /// Milliseconds per move instead, so that parts pay for the time they take
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU32>,
    /// Games for each part; rounded up to whole pairs
    #[arg(long, default_value = "200")]
    games: NonZeroU64,
    /// Plies to which nodes are counted
    #[arg(long, default_value_t = Ablation::DEPTH, value_name = "PLIES")]
    depth: NonZeroU32,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where results and games are kept
    #[arg(long, value_name = "DIR", default_value = "runs/ablation")]
    out: PathBuf,
}

pub(super) fn main(args: AblateArgs) -> Result<(), Failure> {
    if args.list {
        return list();
    }
    preflight::folder("--out", &args.out)?;
    let (plan, planned) = plan(&args)?;
    let place = RunDir::new(args.out.clone(), None);
    let mut progress = Progress::default();
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    match plan::run_all(&plan, &place, &mut control)? {
        Ending::Stopped => return Err(Failure::Stopped("the same command goes on")),
        Ending::Finished(failed) => {
            if let Some((title, reason)) = failed.into_iter().next() {
                return Err(Failure::message(format!("{title}: {reason}")));
            }
        }
    }
    print(&args, &planned)
}

/// A measurement for each part.
fn plan(args: &AblateArgs) -> Result<(Plan, Vec<(Technique, Key)>), Failure> {
    let mut plan = Plan::default();
    let net = match &args.net {
        None => NetId::Pesto,
        Some(path) => {
            let fingerprint = Net::load(path)?.fingerprint();
            let id = fingerprint.to_string();
            plan.inputs.nets.insert(id.clone(), path.clone());
            NetId::File(id)
        }
    };
    let like = Ablation {
        net,
        part: Technique::AlphaBeta,
        limit: args.movetime.map_or(Limit::Nodes(args.nodes), Limit::MovetimeMs),
        games: args.games.get(),
        seed: args.seed,
        depth: args.depth,
    };
    let planned = like.add_each(&args.parts, &mut plan)?;
    Ok((plan, planned))
}

fn list() -> Result<(), Failure> {
    let width = Technique::all().iter().map(|part| part.to_string().len()).max();
    for part in Technique::all() {
        println!("{:2$}  {}", part.to_string(), part.about(), width.unwrap_or(0));
    }
    println!("\nMargins, what they are, from where to where they make sense:");
    let width = Margin::ALL.iter().map(|margin| margin.name.len()).max().unwrap_or(0);
    for Margin { name, about, usual, range: [low, high], .. } in Margin::ALL {
        println!("{name:width$}  {usual}, {low} to {high}:{about}");
    }
    Ok(())
}

/// The results, the part with the largest effect first.
fn print(args: &AblateArgs, planned: &[(Technique, Key)]) -> Result<(), Failure> {
    let results = Results::of(&args.out);
    let mut found: Vec<(Technique, Ablated)> = Vec::new();
    for &(part, key) in planned {
        let ablated = results.output(key)?;
        found.extend(ablated.map(|ablated| (part, ablated)));
    }
    let lead = |ablated: &Ablated| {
        let Trinomial { wins, losses, .. } = ablated.result.games;
        std::cmp::Reverse(wins as i64 - losses as i64)
    };
    found.sort_by_key(|(_, ablated)| lead(ablated));
    let (depth, games) = (args.depth, |ablated: &Ablated| ablated.result.games);
    let table = Table::of("parts", "Parts of the search", &found)
        .column(Column::new("part", "part", Text), |(part, _)| part.to_string())
        .column(Column::new("wins", "won", Count), |(_, it)| games(it).wins)
        .column(Column::new("draws", "drawn", Count), |(_, it)| games(it).draws)
        .column(Column::new("losses", "lost", Count), |(_, it)| games(it).losses)
        .column(Column::estimate("elo", "Elo of the part", Signed(0)), |(_, it)| {
            it.result.pentanomial.elo()
        })
        .column(
            Column::new("nodes_without", format!("nodes without, depth {depth}"), Factor(2)),
            |(_, it)| it.nodes.ratio(),
        );
    println!("{}", table.table());
    Ok(())
}
