//! `oplus archive bench`: what each idea saves.

use std::path::PathBuf;
use std::sync::Arc;

use super::fit::fitted;
use crate::cli::progress::Progress;
use crate::cli::{Failure, inputs};
use archive::Model;
use archive::fit::FitConfig;
use archive::yardsticks::{self, ClimbConfig, Yardstick};
use base::Observer;
use data::Game;

/// Measure what each idea saves, on games that nothing was fitted to
///
/// Nine of ten games, chosen by what was played, say how often each place of an order is
/// played and where hill climbing leads; the tenth is measured. Bits are per move, without
/// scores; those of the three modes count everything that is in a block: moves, lengths
/// of the games, results. Speeds are of one core.
///
/// The program's own model has not seen the tenths of the files that it was fitted to
/// (datasets/README.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus archive bench games.pgn.zst
  oplus archive bench lines.pgn --fit              with a model fitted to nine tenths of them
  oplus archive bench lines.pgn --fit --as-they-come
                                                   fitted to what is measured")]
pub(super) struct Args {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// A model of `oplus archive fit --hold-out`, instead of the program's
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Fit a model to the nine tenths first
    #[arg(long, conflicts_with = "model")]
    fit: bool,
    /// Passes of that over the games
    #[arg(long, requires = "fit", default_value_t = FitConfig::default().epochs)]
    epochs: usize,
    /// Fit to all games and measure all of them, which flatters
    #[arg(long)]
    as_they_come: bool,
    /// Steps of hill climbing; 0 leaves it out
    #[arg(long, default_value_t = ClimbConfig::default().steps)]
    climb: usize,
}

pub(super) fn main(args: &Args) -> Result<(), Failure> {
    let games = inputs::games(&args.games)?;
    let (train, test) = match args.as_they_come {
        true => (games.clone(), games),
        false => super::split(games),
    };
    if test.is_empty() || train.is_empty() {
        return Err(Failure::message("there are too few games: some twenty at least are needed"));
    }
    let model = model(args, &train)?;
    let moves: usize = test.iter().map(|game| game.moves.len()).sum();
    let (games, seen) = (test.len(), if args.as_they_come { "the same" } else { "other" });
    println!("{games} games with {moves} moves; fitted to {} {seen} games\n", train.len());
    let climb = ClimbConfig { steps: args.climb, ..ClimbConfig::default() };
    show(&yardsticks::measure(&model, &train, &test, &climb, &mut told(args.climb)));
    Ok(())
}

fn model(args: &Args, train: &[Game]) -> Result<Arc<Model>, Failure> {
    match &args.model {
        Some(path) => super::model(path).map(Arc::new),
        None if args.fit => {
            let config = FitConfig { epochs: args.epochs, ..FitConfig::default() };
            Ok(Arc::new(fitted(train, &config)))
        }
        None => Ok(Model::bundled()),
    }
}

/// A bar for hill climbing.
fn told(steps: usize) -> impl FnMut(usize, f64) {
    let mut progress = Progress::default();
    move |step, bits| {
        if step == 1 {
            progress.begin("hill climbing", steps as u64, "steps");
        }
        progress.advance(step as u64, &format!("{bits:.3} bits a move"));
        if step == steps {
            progress.end("");
        }
    }
}

fn show(rows: &[Yardstick]) {
    println!("{:52} {:>9} {:>12} {:>12}", "", "bits/move", "packed/s", "unpacked/s");
    for row in rows {
        print!("{:52} {:9.3}", row.name, row.bits);
        match row.speed {
            Some([there, back]) => println!(" {there:12.0} {back:12.0}"),
            None => println!(),
        }
    }
}
