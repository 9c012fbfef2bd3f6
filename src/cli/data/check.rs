//! `oplus data check`: is all of a file sound?

use std::path::PathBuf;

use crate::cli::Failure;
use crate::cli::inputs::each;
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
    let mut bad = 0;
    for path in &place::expand(&args.files).map_err(Failure::from_error)? {
        let mut sound = 0u64;
        let skipped = each(std::slice::from_ref(path), "checking", &mut |_| {
            sound += 1;
            Ok(())
        })?;
        bad += skipped.total();
        println!("{}: {} sound, {} not", path.display(), grouped(sound), grouped(skipped.total()));
        skipped.by_reason().for_each(|(defect, count)| println!("  {defect}: {}", grouped(count)));
        skipped.first().iter().for_each(|message| println!("  {message}"));
    }
    match bad {
        0 => Ok(()),
        bad => Err(Failure::message(format!("{} games or positions are not sound", grouped(bad)))),
    }
}
