//! `oplus archive show`: games of an archive as PGN.

use std::path::PathBuf;

use super::info::open;
use crate::cli::Failure;
use data::pgn::write_game;

/// Print games of an archive as PGN
#[derive(Debug, clap::Args)]
pub(super) struct ArchiveShowArgs {
    /// The archive
    file: PathBuf,
    /// Numbers of games, from 1
    #[arg(required = true, value_parser = clap::value_parser!(u64).range(1..))]
    games: Vec<u64>,
}

pub(super) fn main(args: &ArchiveShowArgs) -> Result<(), Failure> {
    let mut archive = open(&args.file)?;
    for number in &args.games {
        let game = archive.game(number - 1)?;
        write_game(&mut std::io::stdout().lock(), &game).map_err(Failure::unwritten)?;
    }
    Ok(())
}
