//! `oplus archive`: the smallest form of games.

mod bench;
mod fit;
mod info;
mod show;

use std::path::{Path, PathBuf};

use super::Failure;
use crate::archive::Model;
use crate::data::{Game, GameReader, SkipReport, place};

/// Look into archives of games
///
/// An archive holds games with scores and results in about a byte a position. It
/// is read wherever games are. `oplus data convert` makes one, and turns it into
/// other formats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data convert games.pgn.zst games.oarc             makes an archive
  oplus archive info games.oarc
  oplus archive show games.oarc 117                       the 117th game as PGN
  oplus archive bench games.pgn                           what each idea saves
  oplus archive fit games.pgn --out own.model             a model for games of one kind")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Info(info::Args),
    Show(show::Args),
    Bench(bench::Args),
    Fit(fit::Args),
}

pub fn main(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Info(args) => info::main(&args),
        Command::Show(args) => show::main(&args),
        Command::Bench(args) => bench::main(&args),
        Command::Fit(args) => fit::main(&args),
    }
}

/// All games of some files; what cannot be read is named.
fn games(paths: &[PathBuf]) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut skipped = SkipReport::default();
    for path in &place::expand(paths).map_err(Failure::from_error)? {
        let mut reader = GameReader::open(path).map_err(Failure::from_error)?;
        let mut number = 0;
        while let Some(batch) = reader.next_batch(|game| game).map_err(Failure::from_error)? {
            for entry in batch {
                number += 1;
                match entry {
                    Ok(game) => games.push(game),
                    Err(bad) => skipped.add(bad.defect, || reader.message(number, &bad)),
                }
            }
        }
    }
    if skipped.total() > 0 {
        eprintln!("games not read: {}", skipped.total());
        skipped.first().iter().for_each(|message| eprintln!("  {message}"));
    }
    Ok(games)
}

/// Nine games of ten to learn from, and the tenth to measure with.
fn split(games: Vec<Game>) -> (Vec<Game>, Vec<Game>) {
    let (test, train): (Vec<_>, Vec<_>) =
        games.into_iter().enumerate().partition(|(i, _)| i % 10 == 9);
    let bare = |games: Vec<(usize, Game)>| games.into_iter().map(|(_, game)| game).collect();
    (bare(train), bare(test))
}

/// Reads a model.
pub fn model(path: &Path) -> Result<Model, Failure> {
    let failure = |error: &dyn std::fmt::Display| {
        Failure::message(format!("cannot read `{}`: {error}", path.display()))
    };
    let bytes = std::fs::read(path).map_err(|error| failure(&error))?;
    Model::from_bytes(&bytes).map_err(|error| failure(&error))
}
