//! `oplus ablate`: worth of each part of the search.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use super::Failure;
use super::study::{self, Folders, StudyFlags};
use arena::Limit;
use engine::{Margin, Technique};
use experiment::ablate::Ablations;
use measure::Ablation;

/// Elo of each part of the search: the engine with it against the engine without it
///
/// All matches use the same openings, each with both colours. The table has the Elo gained by the
/// part, and the ratio of nodes without and with it to the same depth. Elo is that of the engine
/// with the part, also for parts that are off by default. Every match is a job: finished jobs are
/// not repeated, and a stopped or killed run resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus ablate                                     every part, PeSTO's tables, 3000 nodes per move
  oplus ablate null-move late-move-reduction --games 1000
  oplus ablate --net runs/quickstart/RUN/net.oplus --movetime 20
  oplus ablate --list                              the parts and their effects")]
pub(super) struct AblateArgs {
    /// Parts to switch, one at a time [default: all]
    #[arg(hide_possible_values = true)]
    parts: Vec<Technique>,
    /// List the parts and the margins
    #[arg(long)]
    list: bool,
    /// Net of the engine [default: PeSTO's tables]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Nodes per move
    #[arg(long, default_value_t = Ablation::NODES, conflicts_with = "movetime")]
    nodes: NonZeroU64,
    /// Milliseconds per move instead of nodes, which includes the cost of each part
    #[arg(long, value_name = "MS")]
    movetime: Option<NonZeroU32>,
    /// Games per part, rounded up to whole pairs
    #[arg(long, default_value = "200")]
    games: NonZeroU64,
    /// Depth of the node counts, in plies
    #[arg(long, default_value_t = Ablation::DEPTH, value_name = "PLIES")]
    depth: NonZeroU32,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name of the ablation; its folder is runs/NAME
    #[arg(long, default_value = "ablation")]
    name: String,
    /// Folder of the page [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    study: StudyFlags,
}

pub(super) fn main(args: AblateArgs) -> Result<(), Failure> {
    if args.list {
        return list();
    }
    let ablations = Ablations {
        name: args.name,
        net: args.net,
        parts: args.parts,
        limit: args.movetime.map_or(Limit::Nodes(args.nodes), Limit::MovetimeMs),
        games: args.games,
        depth: args.depth,
        seed: args.seed,
    };
    study::main_in(&ablations, &args.study, Folders { page: args.out, ..Folders::default() })
}

fn list() -> Result<(), Failure> {
    let width = Technique::all().iter().map(|part| part.to_string().len()).max();
    for part in Technique::all() {
        println!("{:2$}  {}", part.to_string(), part.about(), width.unwrap_or(0));
    }
    println!("\nMargins: name, meaning, default and sensible range:");
    let width = Margin::ALL.iter().map(|margin| margin.name.len()).max().unwrap_or(0);
    for Margin { name, about, usual, range: [low, high], .. } in Margin::ALL {
        println!("{name:width$}  {usual}, {low} to {high}:{about}");
    }
    Ok(())
}
