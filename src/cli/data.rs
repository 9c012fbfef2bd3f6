//! `oplus data`: files of games and positions.

mod convert;
mod inspect;

use super::Failure;

/// Look into files of games and positions, and convert them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data inspect games.pgn.zst                        what is in it?
  oplus data convert games.pgn.zst games.oarc             into an archive, the smallest form
  oplus data convert games.oarc games.pgn
  oplus data convert a.pgn b.viri.zst all.oarc            several files into one
  oplus data convert selfplay.oarc positions.data         records for the trainer bullet")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Convert(convert::Args),
}

pub fn main(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Inspect(args) => inspect::main(&args),
        Command::Convert(args) => convert::main(&args),
    }
}
