//! `oplus data head`: the first entries of a file.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::Failure;
use crate::data::pgn::write_game;
use crate::data::{Entry, EntryReader};

/// Print the first games as PGN, or the first positions as lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data head games.oarc
  oplus data head positions.data --count 20")]
pub struct Args {
    /// The file
    file: PathBuf,
    /// Games or positions to print
    #[arg(long, short = 'n', default_value_t = 3)]
    count: usize,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let mut reader = EntryReader::open(&args.file).map_err(Failure::from_error)?;
    let (mut out, mut left) = (std::io::stdout().lock(), args.count);
    while left > 0 {
        let Some(batch) = reader.next_batch(|entry| entry).map_err(Failure::from_error)? else {
            break;
        };
        for entry in batch.into_iter().take(left) {
            left -= 1;
            let printed = match entry {
                Ok(entry) => print(&mut out, &entry),
                Err(bad) => writeln!(out, "# {}\n", bad.message),
            };
            printed.map_err(Failure::unwritten)?;
        }
    }
    Ok(())
}

fn print(out: &mut impl Write, entry: &Entry) -> std::io::Result<()> {
    match entry {
        Entry::Game(game) => write_game(out, game),
        Entry::Position(listed) => {
            let score =
                listed.white_score.map_or("?".to_owned(), |score| score.to_i16().to_string());
            let result = listed.result.map_or("?", |result| {
                ["0.0", "0.5", "1.0"][usize::from(result.seen_by(crate::chess::Color::White))]
            });
            writeln!(out, "{} | {score} | {result}", listed.position)
        }
    }
}
