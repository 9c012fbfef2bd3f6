//! `oplus net`: what is in a net file.

use std::path::PathBuf;

use super::Failure;
use crate::chess::{Position, Scene};
use crate::nnue::Net;

/// Look into a net file
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: oplus net info runs/quickstart/RUN/net.oplus --fen \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\""
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Feature set, architecture, scales and provenance of a net
    Info {
        /// The net file
        file: PathBuf,
        /// Evaluate this position too
        #[arg(long, value_name = "FEN")]
        fen: Option<String>,
    },
}

pub fn main(args: Args) -> Result<(), Failure> {
    let Command::Info { file, fen } = args.command;
    let net = Net::load(&file).map_err(Failure::from_error)?;
    let features = net.features();
    let scales = net.scales();
    println!(
        "features      {} ({} features, hash {})",
        features.canonical(),
        features.size(),
        features.hash()
    );
    println!(
        "architecture  {} ({} parameters)",
        net.architecture(),
        net.architecture().parameters()
    );
    println!("scales        qa {}, qb {}, qc {}", scales.qa, scales.qb, scales.qc);
    println!(
        "provenance    {}",
        serde_json::to_string_pretty(net.provenance()).unwrap_or_default()
    );
    if let Some(fen) = fen {
        let position = Position::from_fen(&fen).map_err(Failure::from_error)?;
        println!(
            "evaluation    {} cp for the side to move",
            net.evaluate(&Scene::from(&position), position.turn())
        );
    }
    Ok(())
}
