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
/// Reads archives, PGN, viriformat, marlinformat, montyformat, `FEN | score | result`, EPD,
/// bulletformat, Stockfish's `.binpack`, `.bin` and `.plain`, and the evaluations of Lichess, plain
/// or compressed (zstd, gzip, bzip2); docs/data.md describes them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data inspect games.pgn.zst                        a summary
  oplus data convert games.pgn.zst games.oarc             into an archive, the smallest form
  oplus data convert games.oarc games.binpack             for nnue-pytorch
  oplus data dedup a.pgn b.pgn all.oarc
  oplus data shuffle all.oarc shuffled.oarc
  oplus data split shuffled.oarc --train train.oarc --validation validation.oarc
  oplus data filter train.oarc quiet.data --positions quiet
  oplus data rescore train.oarc labelled.oarc --player stockfish --nodes 100 --filter quiet")]
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DataCommand {
    Inspect(inspect::DataInspectArgs),
    Stats(stats::DataStatsArgs),
    Head(head::DataHeadArgs),
    Check(check::DataCheckArgs),
    Convert(convert::DataConvertArgs),
    Filter(filter::DataFilterArgs),
    Rescore(Box<rescore::DataRescoreArgs>),
    Shuffle(shuffle::DataShuffleArgs),
    Split(split::DataSplitArgs),
    Dedup(dedup::DataDedupArgs),
}

pub(super) fn main(args: DataArgs) -> Result<(), Failure> {
    match args.command {
        DataCommand::Inspect(args) => inspect::main(&args),
        DataCommand::Stats(args) => stats::main(&args),
        DataCommand::Head(args) => head::main(&args),
        DataCommand::Check(args) => check::main(&args),
        DataCommand::Convert(args) => convert::main(&args),
        DataCommand::Filter(args) => filter::main(&args),
        DataCommand::Rescore(args) => rescore::main(&args),
        DataCommand::Shuffle(args) => shuffle::main(&args),
        DataCommand::Split(args) => split::main(&args),
        DataCommand::Dedup(args) => dedup::main(&args),
    }
}
