//! `oplus data convert`: from one format to another.

use std::path::PathBuf;

use super::output::{LayoutFlags, finish};
use crate::cli::Failure;
use crate::cli::inputs::{each, sources, tell_read};

/// Write games or positions in another format
///
/// File names decide the format: `.oarc` (archive), `.pgn`, `.viri` (viriformat), `.binpack`, `.plain`
/// and `.bin` (Stockfish's), `.data` (bulletformat), `.txt` (`FEN | score | result`), each also
/// compressed (`.zst`). Entries that the new format cannot hold are counted by reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data convert games.pgn.zst games.oarc
  oplus data convert a.pgn b.viri.zst all.oarc        several files into one
  oplus data convert games.oarc games.binpack         for nnue-pytorch, as games
  oplus data convert rescored.plain.gz games.oarc     text of Lc0's rescorer
  oplus data convert games.oarc positions.data        records for the trainer bullet")]
pub(super) struct DataConvertArgs {
    /// Files to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    #[command(flatten)]
    layout: LayoutFlags,
}

pub(super) fn main(args: &DataConvertArgs) -> Result<(), Failure> {
    let from = sources(&args.from, &[&args.to])?;
    let mut writer = args.layout.create(&args.to)?;
    let read = each(&from, "converting", &mut |entry| writer.write(&entry))?;
    tell_read(&read);
    finish(writer, &args.to, &read)
}
