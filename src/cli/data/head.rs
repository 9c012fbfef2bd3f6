//! `oplus data head`: the first entries of a file.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::Failure;
use crate::cli::inputs::check_not_empty;
use data::pgn::write_game;
use data::{Entry, EntryReader, Score};

/// Print the first games as PGN, or the first positions as lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data head games.oarc
  oplus data head positions.data --count 20")]
pub(super) struct DataHeadArgs {
    /// The file
    file: PathBuf,
    /// Games or positions to print
    #[arg(long, short = 'n', default_value_t = 3)]
    count: usize,
}

pub(super) fn main(args: &DataHeadArgs) -> Result<(), Failure> {
    let mut reader = EntryReader::open(&args.file)?;
    reader.only_first(args.count);
    let (mut out, mut left, mut printed) = (std::io::stdout().lock(), args.count, 0u64);
    while left > 0 {
        let Some(batch) = reader.next_batch(|entry| entry)? else {
            break;
        };
        for entry in batch.into_iter().take(left) {
            left -= 1;
            match entry {
                Ok(entry) => {
                    print(&mut out, &entry).map_err(Failure::unwritten)?;
                    printed += 1;
                }
                Err(bad) => eprintln!("not read: {}", bad.message),
            }
        }
    }
    match (printed, left == args.count) {
        (0, true) if args.count > 0 => check_not_empty(std::slice::from_ref(&args.file)),
        (0, false) => Err(Failure::message(format!(
            "none of the first {} games or positions of `{}` could be read",
            args.count - left,
            args.file.display()
        ))),
        _ => Ok(()),
    }
}

fn print(out: &mut impl Write, entry: &Entry) -> std::io::Result<()> {
    match entry {
        Entry::Game(game) => write_game(out, game),
        Entry::Position(listed) => {
            let score = listed.white_score.map_or("?".to_owned(), |score| match score {
                Score::Centipawns(cp) => cp.to_string(),
                Score::Mate(_) => score.to_i16().to_string(),
            });
            let result = listed.result.map_or("?", |result| {
                ["0.0", "0.5", "1.0"][usize::from(result.seen_by(chess::Color::White))]
            });
            writeln!(out, "{} | {score} | {result}", listed.position)
        }
    }
}
