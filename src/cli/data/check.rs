//! `oplus data check`: is all of a file sound?

use std::path::PathBuf;

use crate::cli::Failure;
use crate::cli::inputs::{check_not_empty, each};
use crate::data::place;
use crate::report::format::grouped;

/// Read files to their end and name what is wrong with them; exit code 1 if anything is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data check games.pgn.zst selfplay.oarc")]
pub struct Args {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn main(args: &Args) -> Result<(), Failure> {
    let (mut bad, mut empty) = (0, Vec::new());
    for path in &place::expand(&args.files).map_err(Failure::from_error)? {
        let mut sound = 0u64;
        let read = each(std::slice::from_ref(path), "checking", &mut |_| {
            sound += 1;
            Ok(())
        })?;
        let skipped = read.skipped;
        bad += skipped.total();
        if sound + skipped.total() == 0 {
            empty.push(path.clone());
        }
        println!("{}: {} sound, {} not", path.display(), grouped(sound), grouped(skipped.total()));
        skipped.by_reason().for_each(|(defect, count)| println!("  {defect}: {}", grouped(count)));
        skipped.first().iter().for_each(|message| println!("  {message}"));
    }
    match bad {
        0 => check_not_empty(&empty),
        bad => Err(Failure::message(format!("{} games or positions are not sound", grouped(bad)))),
    }
}
