//! `oplus net`: what is in a net file, and nets from elsewhere.

use std::path::{Path, PathBuf};

use super::Failure;
use crate::chess::{Position, Scene};
use crate::nnue::{Net, thesis};

/// Look into a net file, or import one from elsewhere
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus net info runs/quickstart/RUN/net.oplus --fen \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\"
  oplus net import all_ph_pv.nn                    writes all_ph_pv.oplus beside it")]
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
    /// Make a net file from a .nn file of Lombardo's thesis (UBA 2024)
    ///
    /// Feature set, sizes and weights stay what they are; evaluations differ by
    /// about half a centipawn, because that program rounds down and this one
    /// to nearest.
    #[command(after_help = "\
Examples:
  oplus net import all_ph_pv.nn
  oplus net import all_ph_pv.nn --output pairs.oplus
  oplus uci --net pairs.oplus                      plays it")]
    Import {
        /// The .nn file
        file: PathBuf,
        /// Net file to write, replaced if it exists; without it FILE with the ending .oplus
        #[arg(long, value_name = "NET")]
        output: Option<PathBuf>,
    },
}

pub fn main(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Info { file, fen } => info(&file, fen.as_deref()),
        Command::Import { file, output } => import(&file, output),
    }
}

fn import(file: &Path, output: Option<PathBuf>) -> Result<(), Failure> {
    let output = output.unwrap_or_else(|| file.with_extension("oplus"));
    if is_same_file(file, &output) {
        return Err(Failure::usage(format!(
            "{}: this would replace the file that is imported; choose another --output",
            output.display()
        )));
    }
    let net = thesis::import(file).map_err(Failure::from_error)?;
    net.save(&output).map_err(Failure::from_error)?;
    print_shape(&net);
    println!("written       {}", output.display());
    Ok(())
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn info(file: &Path, fen: Option<&str>) -> Result<(), Failure> {
    let net = Net::load(file).map_err(Failure::from_error)?;
    print_shape(&net);
    println!(
        "provenance    {}",
        serde_json::to_string_pretty(net.provenance()).unwrap_or_default()
    );
    if let Some(fen) = fen {
        let position = Position::from_fen(fen).map_err(Failure::from_error)?;
        println!(
            "evaluation    {} cp for the side to move",
            net.evaluate(&Scene::from(&position), position.turn())
        );
    }
    Ok(())
}

fn print_shape(net: &Net) {
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
}
