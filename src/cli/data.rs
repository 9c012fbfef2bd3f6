//! `oplus data`: files of games and positions.

mod check;
mod convert;
mod dedup;
mod filter;
mod head;
mod inspect;
mod output;
mod rescore;
mod shuffle;
mod split;
mod stats;

use super::Failure;

/// Look into files of games and positions, convert, filter, judge and order them
///
/// Read are archives, PGN, viriformat, `FEN | score | result`, EPD, bulletformat and
/// Stockfish's `.bin` and `.binpack`, plain or compressed with zstd; docs/data.md describes them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data inspect games.pgn.zst                        a summary
  oplus data convert games.pgn.zst games.oarc             into an archive, the smallest form
  oplus data dedup a.pgn b.pgn all.oarc
  oplus data shuffle all.oarc shuffled.oarc
  oplus data split shuffled.oarc --train train.oarc --validation validation.oarc
  oplus data filter train.oarc quiet.data --positions quiet
  oplus data rescore train.oarc labelled.oarc --player stockfish --nodes 100 --filter quiet")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Stats(stats::Args),
    Head(head::Args),
    Check(check::Args),
    Convert(convert::Args),
    Filter(filter::Args),
    Rescore(Box<rescore::Args>),
    Shuffle(shuffle::Args),
    Split(split::Args),
    Dedup(dedup::Args),
}

pub(super) fn main(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Inspect(args) => inspect::main(&args),
        Command::Stats(args) => stats::main(&args),
        Command::Head(args) => head::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Convert(args) => convert::main(&args),
        Command::Filter(args) => filter::main(&args),
        Command::Rescore(args) => rescore::main(&args),
        Command::Shuffle(args) => shuffle::main(&args),
        Command::Split(args) => split::main(&args),
        Command::Dedup(args) => dedup::main(&args),
    }
}
