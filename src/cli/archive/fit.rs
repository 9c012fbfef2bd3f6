//! `oplus archive fit`: a model of how moves are chosen.

use std::path::PathBuf;

use crate::cli::progress::Progress;
use crate::cli::{Failure, inputs};
use base::Observer;
use base::atomic::write_atomically;
use data::Game;
use data::archive::fit::{self, FitConfig};
use data::archive::{Mode, Model};
use data::split::Split;
use experiment::preflight;

/// Fit a model to games
///
/// The model that comes with the program is made for games of people and of engines
/// alike. One for games of one kind packs them a little smaller; an archive made with
/// it carries it along (`oplus data convert … --model FILE`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus archive fit games.pgn.zst --out own.model
  oplus archive fit games.pgn.zst --hold-out --out own.model
  oplus data convert games.pgn.zst games.oarc --model own.model")]
pub(super) struct ArchiveFitArgs {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes over the games
    #[arg(long, default_value_t = FitConfig::default().epochs)]
    epochs: usize,
    /// Hold out a tenth of the games, chosen by their moves, to measure the model
    #[arg(long)]
    hold_out: bool,
}

pub(super) fn main(args: &ArchiveFitArgs) -> Result<(), Failure> {
    preflight::file("--out", &args.out)?;
    inputs::check_not_read(&args.games, &args.out)?;
    let mut games = inputs::games(&args.games)?;
    if args.hold_out {
        games = without_a_tenth(games);
    }
    if games.is_empty() {
        return Err(Failure::message("there are no games to learn from"));
    }
    let config = FitConfig { epochs: args.epochs, ..FitConfig::default() };
    let model = fitted(&games, &config);
    let bytes = model.to_bytes()?;
    write_atomically(&args.out, &[&bytes])?;
    println!("{} ({} bytes, {})", args.out.display(), bytes.len(), model.hash());
    Ok(())
}

/// Share of the games that are held out.
const HELD_OUT: f64 = 0.1;

/// Splits by a hash of the moves, so that a game is on the same side in any set of files.
fn without_a_tenth(mut games: Vec<Game>) -> Vec<Game> {
    if let Some(split) = Split::new(HELD_OUT) {
        games.retain(|game| !split.game_validates(game));
    }
    games
}

/// Fits a model, with a bar for each policy.
fn fitted(games: &[Game], config: &FitConfig) -> Model {
    let mut progress = Progress::default();
    let mut stage = None;
    let model = fit::fit(games, config, &mut |at| {
        if stage != Some(at.mode) {
            if stage.replace(at.mode).is_some() {
                progress.end("");
            }
            let name = match at.mode {
                Mode::Best => "fitting `best`",
                Mode::Fast => "fitting `fast`",
            };
            progress.begin(name, at.steps as u64, "steps");
        }
        progress.advance(at.step as u64, &format!("{:.3} bits a move", at.bits));
    });
    progress.end("");
    model
}
