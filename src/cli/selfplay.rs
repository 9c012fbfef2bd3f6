//! `oplus selfplay`: games of the engine against itself.

use std::path::PathBuf;

use super::Failure;
use super::progress::{Progress, stop_flag};
use super::uci;
use crate::archive::Layout;
use crate::data::DataWriter;
use crate::experiment::Observer;
use crate::selfplay::{SelfplayConfig, Target, generate};

/// Make training games: the engine against itself at fixed nodes
///
/// The same seed makes the same file, whatever the number of threads.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus selfplay --positions 100000 --out games.viri.zst
  oplus selfplay --positions 1000000 --nodes 5000 --net best.oplus --out games.viri.zst")]
pub struct Args {
    /// File to write: an archive (.oarc), or viriformat (.viri, .viri.zst), PGN, …
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions to make; the last game is played to its end
    #[arg(long, default_value_t = 100_000)]
    positions: u64,
    /// Nodes after which no new iteration begins
    #[arg(long, default_value_t = SelfplayConfig::default().nodes)]
    nodes: u64,
    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// The net that plays; PeSTO's tables without one
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
}

pub fn main(args: Args) -> Result<(), Failure> {
    let net = uci::load(args.net.as_deref()).map_err(Failure::from_error)?;
    let config = SelfplayConfig {
        target: Target::Positions(args.positions),
        nodes: args.nodes,
        seed: args.seed,
        threads: args.threads,
        ..SelfplayConfig::default()
    };
    let mut writer =
        DataWriter::create(&args.out, Layout::default()).map_err(Failure::from_error)?;
    let stop = stop_flag();
    let mut progress = Progress::default();
    progress.begin("self-play", args.positions, "positions");
    let made = generate(
        &config,
        &|| uci::make(&net),
        &mut |game| writer.write_game(&game),
        &mut |at| progress.advance(at.positions, &format!("{} games", at.games)),
        stop,
    )
    .map_err(Failure::from_error)?;
    writer.finish().map_err(Failure::from_error)?;
    progress.end(&format!(
        "{} positions in {} games, {} draws",
        made.positions, made.games, made.draws
    ));
    println!("{}", args.out.display());
    match made.positions < args.positions {
        true => Err(Failure::Stopped("the file holds the games finished so far")),
        false => Ok(()),
    }
}
