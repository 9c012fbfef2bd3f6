//! `oplus archive bench`: what each idea saves.

use std::path::PathBuf;
use std::sync::Arc;

use crate::archive::{Model, yardsticks};
use crate::cli::Failure;

/// Measure what each idea saves, on games that nothing was fitted to
///
/// Nine of ten games say how often each rank of an order is played, the tenth is
/// measured. Bits are per move, on one core, without scores; those of the three modes
/// count everything that is in a block: moves, lengths of the games, results.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// A model of `oplus archive fit --hold-out`, instead of the program's
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let model = match &args.model {
        Some(path) => Arc::new(super::model(path)?),
        None => Model::bundled(),
    };
    let (train, test) = super::split(super::games(&args.games)?);
    if test.is_empty() {
        return Err(Failure::message("ten games at least are needed"));
    }
    let moves: usize = test.iter().map(|game| game.moves.len()).sum();
    println!(
        "{} games to count, {} games with {moves} moves to measure\n",
        train.len(),
        test.len()
    );
    println!("{:52} {:>9} {:>12} {:>12}", "", "bits/move", "packed/s", "unpacked/s");
    for row in yardsticks::measure(&model, &train, &test) {
        print!("{:52} {:9.3}", row.name, row.bits);
        match row.speed {
            Some([there, back]) => println!(" {there:12.0} {back:12.0}"),
            None => println!(),
        }
    }
    Ok(())
}
