//! `oplus archive fit`: a model of how moves are chosen.

use std::path::PathBuf;

use crate::archive::Model;
use crate::archive::fit::{self, FitConfig, FitProgress};
use crate::archive::policy::Style;
use crate::cli::Failure;
use crate::cli::progress::Progress;
use crate::data::atomic::write_atomically;
use crate::experiment::Observer;

/// Fit a model to games
///
/// The model that comes with the program is made for games of people and of engines
/// alike. One for games of one kind packs them a little smaller; an archive made with
/// it carries it along (`oplus data convert … --model FILE`).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes over the games
    #[arg(long, default_value_t = FitConfig::default().epochs)]
    epochs: usize,
    /// Leave out every tenth game, so that it can be used to measure
    #[arg(long)]
    hold_out: bool,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let mut games = super::games(&args.games)?;
    if args.hold_out {
        games = super::split(games).0;
    }
    if games.is_empty() {
        return Err(Failure::message("there are no games to learn from"));
    }
    let config = FitConfig { epochs: args.epochs, ..FitConfig::default() };
    let fit = |style: Style, stage: &str| {
        let mut progress = Progress::default();
        let mut begun = false;
        let mut tell = |at: FitProgress| {
            if !begun {
                progress.begin(stage, at.steps as u64, "steps");
                begun = true;
            }
            progress.advance(at.step as u64, &format!("{:.3} bits a move", at.bits));
        };
        let model = fit::fit(style, &games, &config, &mut tell);
        progress.end("");
        model
    };
    let model = Model {
        best: fit(Style::Thorough, "all clues"),
        fast: fit(Style::Brisk, "few clues"),
        ranks: fit::count_ranks(&games),
        games: fit::expect(&games),
    };
    let bytes = model.to_bytes().map_err(Failure::from_error)?;
    write_atomically(&args.out, &[&bytes]).map_err(Failure::from_error)?;
    println!("{} ({} bytes, {})", args.out.display(), bytes.len(), model.hash());
    Ok(())
}
