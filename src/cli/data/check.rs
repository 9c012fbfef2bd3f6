//! `oplus data check`: defects of files.

use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::cli::inputs::{check_not_empty, each};
use base::format::{counted, grouped};
use data::{EntryReader, Protection, place};

/// Read files to their end and list defects; exit code 1 if there is any
///
/// A file without checksums (any but archives, `.gz`, `.bz2` and most `.zst`) is only known to be
/// readable: a note says so.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data check games.pgn.zst selfplay.oarc")]
pub(super) struct DataCheckArgs {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Prints a note for files without checksums, whose damage is undetectable.
fn tell_protection(path: &Path) -> Result<(), Failure> {
    let format = EntryReader::open(path)?.format();
    let protection = Protection::of(path, format)?;
    let why = match protection {
        Protection::Blocks | Protection::Frames => return Ok(()),
        Protection::UncheckedFrames => "it is compressed without checksums".to_owned(),
        Protection::Nothing => format!("{} has no checksums", format.name()),
    };
    let name = path.display();
    let advice = match protection {
        Protection::UncheckedFrames => format!("unpack it and pack it again with `zstd {name}`"),
        _ => format!("`zstd {name}` packs it with checksums"),
    };
    println!("  unprotected: {why}, so a flipped bit can give other data that look sound;");
    println!("  {advice}, and an archive (`oplus data convert`) has them");
    Ok(())
}

pub(super) fn main(args: &DataCheckArgs) -> Result<(), Failure> {
    let (mut bad, mut empty) = (0, Vec::new());
    for path in &place::expand(&args.files)? {
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
        let defects = counted(skipped.total(), "defect");
        println!("{}: {} sound, {defects}", path.display(), grouped(sound));
        skipped.by_reason().for_each(|(defect, count)| println!("  {defect}: {}", grouped(count)));
        skipped.first().iter().for_each(|message| println!("  {message}"));
        if !place::is_read_once(path) {
            tell_protection(path)?;
        }
    }
    match bad {
        0 => check_not_empty(&empty),
        bad => Err(Failure::message(format!(
            "{} in games, positions or blocks of games",
            counted(bad, "defect")
        ))),
    }
}
