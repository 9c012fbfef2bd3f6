//! `oplus archive`: the smallest form of games.

mod fit;
mod info;
mod show;

use std::path::Path;

use super::Failure;
use base::files;
use data::archive::Model;

/// Look into archives of games
///
/// An archive holds games with scores and results in little more than a byte a position. It
/// is read wherever games are. `oplus data convert` makes one, and turns it into
/// other formats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data convert games.pgn.zst games.oarc             makes an archive
  oplus archive info games.oarc
  oplus archive show games.oarc 117                       the 117th game as PGN
  oplus archive fit games.pgn --out own.model             a model for games of one kind")]
pub(super) struct ArchiveArgs {
    #[command(subcommand)]
    command: ArchiveCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ArchiveCommand {
    Info(info::ArchiveInfoArgs),
    Show(show::ArchiveShowArgs),
    Fit(fit::ArchiveFitArgs),
}

pub(super) fn main(args: ArchiveArgs) -> Result<(), Failure> {
    match args.command {
        ArchiveCommand::Info(args) => info::main(&args),
        ArchiveCommand::Show(args) => show::main(&args),
        ArchiveCommand::Fit(args) => fit::main(&args),
    }
}

/// No file of a model is longer.
const MOST_MODEL_BYTES: u64 = 1 << 26;

pub(super) fn model(path: &Path) -> Result<Model, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::message(format!("cannot read `{}`: {error}", path.display()))
    };
    let bytes = files::read(path, MOST_MODEL_BYTES).map_err(|error| failure(&error))?;
    Model::from_bytes(&bytes).map_err(|error| failure(&error))
}
